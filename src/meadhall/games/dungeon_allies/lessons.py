"""The guided first turns of Dungeon Allies. They visit all eight places, and each place is used by one of the players."""

from __future__ import annotations

from meadhall.games.dungeon_allies.pieces import GOLD_TREASURE, Act, Die, Target, place, trade
from meadhall.sdk import Lesson, Lessons, marked

_Y1, _Y2, _Y3, _Y4, _Y5, _Y6 = range(6)

# The seed is the first of "first descent 1", "first descent 2" … in which the following happens. Astrid plays first. In turn 1
# she wins a plain fight, Björn loses one, and she takes a red crystal. In turn 2 she finds a tile that her d4 beats only because
# it is doubled, and she takes a guarded treasure, a yellow and a green crystal. In turn 3 she wins a fight with that d4 only
# because of Bless.
LESSONS = Lessons(
    seed="first descent 76",
    players=("Astrid", "Björn"),
    minutes=4,
    lessons=(
        Lesson(
            marked(
                "You are Astrid. You and Björn place dice on eight places, which are then resolved from 1 to 8. Gold is "
                "points. You lead two characters: Brannoc, skilled in fire, and Quill, skilled in potions. Give the better "
                "die, the d6, to Quill."
            ),
            rule="DA-2.3",
            action=Act.ASSIGN + 1,
        ),
        Lesson(
            marked(
                "You place first. Place 1 is the dungeon: a monster waits behind every door, and those behind yellow doors "
                "are the easiest to beat. Place the d6 on Y3."
            ),
            rule="DA-3.3",
            before=(int(Act.ASSIGN),),
            action=place(Target.SQUARE + _Y3, Die.D6),
        ),
        Lesson(
            marked(
                "Björn tries his luck on Y4. Your other die can take a treasure at place 3. Place the d4 on treasure 2, for "
                "the red crystal there."
            ),
            rule="DA-6.2",
            before=(place(Target.SQUARE + _Y4, Die.D6),),
            action=place(Target.TREASURE + 1, Die.D4),
        ),
        Lesson(
            marked(
                "All dice were placed, so the places were resolved. You needed 3 to beat the Thorn Sprite and rolled 5: you "
                "gained its gold and keep the tile. Björn lost his fight. His other die was at place 2, the turn order: it "
                "got him a red crystal, and he goes first now."
            ),
            rule="DA-4.7",
            before=(place(Target.TURN_ORDER, Die.D4),),
        ),
        Lesson(
            marked(
                "Every crystal pays for a spell. A red one pays for Illuminate, before you place a die: you look at two "
                "tiles, and only you see them. Cast Illuminate."
            ),
            rule="DA-3.4",
            before=(place(Target.TREASURE + GOLD_TREASURE, Die.D6),),
            action=int(Act.ILLUMINATE),
        ),
        Lesson(
            marked("You choose which tiles. Look at Y2."),
            rule="DA-3.4",
            action=Act.PEEK + _Y2,
        ),
        Lesson(
            marked(
                "On Y2 waits a Briar Giant: 5 or more beats it on yellow, and it is weak to fire. On Y6 you found the "
                "Cellar Rat King: 2 or more, weak to melee. Brannoc is skilled in fire, so his die counts double against "
                "the giant. Place the d4 on Y2."
            ),
            rule="DA-4.4",
            before=(Act.PEEK + _Y6,),
            action=place(Target.SQUARE + _Y2, Die.D4),
        ),
        Lesson(
            marked(
                "On treasure 4 lie a yellow crystal and a green one. Treasure with a green or white crystal is guarded, and "
                "so is the gold: you get it only if you win a fight this turn. Place the d6 on treasure 4."
            ),
            rule="DA-6.1",
            before=(place(Target.PRISONER + 0, Die.D4),),
            action=place(Target.TREASURE + 3, Die.D6),
        ),
        Lesson(
            marked(
                "You rolled 4, doubled to 8, and both crystals are yours. Björn had a die on the gold but won no fight, so "
                "the gold stays there. At place 6 he paid his red crystal to free a prisoner, for 1 gold."
            ),
            rule="DA-9.1",
            before=(int(Act.FREE),),
        ),
        Lesson(
            marked("It is turn 3, and you still know the tile on Y6: the Cellar Rat King. Place the d4 there."),
            rule="DA-3.3",
            before=(place(Target.TRAINER, Die.D6),),
            action=place(Target.SQUARE + _Y6, Die.D4),
        ),
        Lesson(
            marked(
                "Place 4 is the trainer, who replaces a die by the next larger one. Place the d6 there to get a d8. The d4 "
                "can't be trained now: you have a d6, and no two of your dice may be equal."
            ),
            rule="DA-7.1",
            before=(place(Target.TAVERN, Die.D4),),
            action=place(Target.TRAINER, Die.D6),
        ),
        Lesson(
            marked(
                "The fight begins, and you may cast spells before the roll. Keep the green crystal, and pay the yellow one "
                "to bless the d4, which then counts double."
            ),
            rule="DA-4.5",
            action=Act.BLESS + Die.D4,
        ),
        Lesson(
            marked("Now roll. If the roll is too low, you could pay a blue crystal to re-roll a die."),
            rule="DA-4.6",
            action=int(Act.ROLL),
        ),
        Lesson(
            marked(
                "You rolled 1, doubled to 2: a narrow win. Quill has a d8 now. No follower joined Björn at place 5, the "
                "tavern, because a follower needs a die smaller than all others of the player. So train your d4 first."
            ),
            rule="DA-8.4",
            before=(place(Target.SQUARE + _Y1, Die.D8),),
            action=place(Target.TRAINER, Die.D4),
        ),
        Lesson(
            marked(
                "The trainer comes before the tavern, so your smallest die will be a d6 by then. Place the d8 in the "
                "tavern. The first die there bids no gold."
            ),
            rule="DA-8.1",
            before=(place(Target.TRADE, Die.D4),),
            action=place(Target.TAVERN, Die.D8),
        ),
        Lesson(
            marked(
                "Joss has joined you with the d4, and you have three dice. At place 7 you trade crystals. Place the d4 on trade."
            ),
            rule="DA-10.1",
            before=(place(Target.SQUARE + _Y5, Die.D8),),
            action=place(Target.TRADE, Die.D4),
        ),
        Lesson(
            marked(
                "At place 8 the sorcerer sells cards, in round 1 for a blue crystal. You don't have one yet, but trade "
                "comes first. Place the d6 on sorcerer 1, a card for 5 points."
            ),
            rule="DA-11.1",
            before=(place(Target.TRADE, Die.D4),),
            action=place(Target.SORCERER + 0, Die.D6),
        ),
        Lesson(
            marked(
                "Your last die can put you first in the turn order, and it gains the crystal of the space. Place the d8 there."
            ),
            rule="DA-5.1",
            action=place(Target.TURN_ORDER, Die.D8),
        ),
        Lesson(
            marked("Now you trade. Give the green crystal for a blue one and a yellow one."),
            rule="DA-10.1",
            action=trade(2, 1),
        ),
        Lesson(
            marked("The sorcerer asks for a blue crystal. You could decline, but 5 points are worth it: buy the card."),
            rule="DA-11.1",
            before=(int(Act.END_TRADE),),
            action=int(Act.BUY),
        ),
        Lesson(
            marked(
                "The card is yours and scores at the end, like your gold. You have seen all eight places. The game ends "
                "when the last monster is gone. Now play on your own!"
            ),
            rule="DA-13.2",
        ),
    ),
)
