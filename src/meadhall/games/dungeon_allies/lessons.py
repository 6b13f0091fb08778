"""The guided first turns of Dungeon Allies: place dice, fight, take treasure, look at tiles, train, cast spells."""

from __future__ import annotations

from meadhall.engine.language import marked
from meadhall.engine.lessons import Lesson, Lessons
from meadhall.games.dungeon_allies.actions import Act, place
from meadhall.games.dungeon_allies.pieces import GOLD_TREASURE, Die, Target

_Y1, _Y2, _Y4, _Y6 = 0, 1, 3, 5

# The seed is the first of "first descent 1", "first descent 2" … in which the following happens. Astrid plays first. In turn 1
# she wins a plain fight, Björn loses one, and she takes a red crystal. In turn 2 she finds a tile that her d4 beats only because
# it is doubled, and she takes a guarded yellow crystal. In turn 3 she wins a fight with that d4 only because of Bless.
LESSONS = Lessons(
    seed="first descent 81",
    players=("Astrid", "Björn"),
    lessons=(
        Lesson(
            marked(
                "You are Astrid. You and Björn place dice on the eight places of the boards. Then the places are resolved, from "
                "1 to 8. Gold is points. You lead two characters: Sella, skilled in water, and Ishar, skilled in amulets. "
                "Give the better die, the d6, to Sella."
            ),
            rule="DA-2.3",
            action=int(Act.ASSIGN),
        ),
        Lesson(
            marked(
                "You place first. Behind every door waits a monster, and monsters behind yellow doors are the easiest to beat. "
                "Place the d6 on Y2."
            ),
            rule="DA-3.3",
            before=(int(Act.ASSIGN),),
            action=place(Target.SQUARE + _Y2, Die.D6),
        ),
        Lesson(
            marked(
                "Björn tries his luck on Y1. You have one die left. A die on treasure 3 takes the red crystal there. Place the "
                "d4 on treasure 3."
            ),
            rule="DA-6.2",
            before=(place(Target.SQUARE + _Y1, Die.D6),),
            action=place(Target.TREASURE + 2, Die.D4),
        ),
        Lesson(
            marked(
                "Björn placed his last die on the turn order, and all eight places were resolved. You needed 3 to beat the Thorn "
                "Sprite and rolled 4, so you gained its gold and keep the tile. Björn lost his fight, and that tile is gone. "
                "But he goes first now."
            ),
            rule="DA-4.7",
            before=(place(Target.TURN_ORDER, Die.D4),),
        ),
        Lesson(
            marked(
                "Every crystal pays for a spell. A red one pays for Illuminate, before you place a die: you look at two tiles, "
                "and only you see them. Cast Illuminate."
            ),
            rule="DA-3.4",
            before=(place(Target.TREASURE + GOLD_TREASURE, Die.D6),),
            action=int(Act.ILLUMINATE),
        ),
        Lesson(marked("You choose which tiles. Look at Y6."), rule="DA-3.4", action=Act.PEEK + _Y6),
        Lesson(
            marked(
                "On Y6 waits a Whisper Lich: 5 or more beats it on yellow, and it is weak to amulet. On Y4 you found a Frost "
                "Ferret: 4 or more, and weak to fire. Ishar is skilled in amulets, so his die counts double against the lich. "
                "Place the d4 on Y6."
            ),
            rule="DA-4.4",
            before=(Act.PEEK + _Y4,),
            action=place(Target.SQUARE + _Y6, Die.D4),
        ),
        Lesson(
            marked(
                "On treasure 1 lie a yellow crystal and a white one. Treasure with a green or white crystal is guarded, and so "
                "is the gold: you get it only if you win a fight this turn. Be bold, and place the d6 on treasure 1."
            ),
            rule="DA-6.1",
            before=(place(Target.PRISONER + 0, Die.D4),),
            action=place(Target.TREASURE + 0, Die.D6),
        ),
        Lesson(
            marked(
                "You rolled 3, doubled to 6: enough, and both crystals are yours. Björn had a die on the gold but won no "
                "fight, so the gold stays there. But he paid his red crystal to free a prisoner, who gave him 1 gold."
            ),
            rule="DA-6.2",
            before=(int(Act.FREE),),
        ),
        Lesson(
            marked("It is turn 3, and you still know the tile on Y4: the Frost Ferret. Place the d4 there."),
            rule="DA-3.3",
            before=(place(Target.TRAINER, Die.D6),),
            action=place(Target.SQUARE + _Y4, Die.D4),
        ),
        Lesson(
            marked(
                "The trainer replaces a die by the next larger one. Place the d6 there, and it will become a d8. The d4 could "
                "not be trained: you can't have two dice of the same size, and you have a d6."
            ),
            rule="DA-7.1",
            before=(place(Target.TAVERN, Die.D4),),
            action=place(Target.TRAINER, Die.D6),
        ),
        Lesson(
            marked(
                "The fight begins, and you may cast spells before the roll. A white crystal would win at once, but keep it for "
                "a stronger monster. Pay the yellow one to bless the d4, which then counts double."
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
                "You rolled 2, doubled to 4: a narrow win. Sella has a d8 now. No follower joined Björn in the tavern, because "
                "a follower needs a die smaller than all others of the player. There are also a market and a sorcerer, whose "
                "cards score points. The game ends when the last monster is gone. Now play on your own!"
            ),
            rule="DA-13.2",
        ),
    ),
)
