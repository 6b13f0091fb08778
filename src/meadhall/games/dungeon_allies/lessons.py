"""The guided first turns of Dungeon Allies: place dice, fight, loot, look ahead, be doubled, train, bless."""

from __future__ import annotations

from meadhall.engine.language import marked
from meadhall.engine.lessons import Lesson, Lessons
from meadhall.games.dungeon_allies.state import (
    ASSIGN,
    BLESS,
    D4,
    D6,
    DICE,
    GOLD_TREASURE,
    ILLUMINATE,
    ON_PRISONER,
    ON_SQUARE,
    ON_TAVERN,
    ON_TRACK,
    ON_TRAINER,
    ON_TREASURE,
    PEEK,
    PLACE,
    ROLL,
)


def _place(die: int, target: int) -> int:
    return PLACE + DICE * target + die


_Y2, _Y3, _Y6, _Y8 = 1, 2, 5, 7

# Of "first descent 1", "first descent 2" … the first in which Astrid goes first, wins a plain fight in turn 1 while Björn loses
# one, loots a red crystal, finds a tile in turn 2 that her d4 beats only because it is doubled, loots a guarded yellow crystal,
# and in turn 3 wins with that d4 what she wins only by Bless.
LESSONS = Lessons(
    seed="first descent 133",
    players=("Astrid", "Björn"),
    lessons=(
        Lesson(
            marked(
                "You are Astrid. You and Björn place dice on the eight places of the boards, and then the places are dealt with, "
                "from 1 to 8. Gold is points. Two characters follow you: Brannoc, who knows about fire, and Teodric, who shoots. "
                "Give the better die, the d6, to Teodric."
            ),
            rule="DA-2.3",
            action=ASSIGN + 1,
        ),
        Lesson(
            marked(
                "You place first. Below every square lies a monster, and the yellow ones are the easiest to beat. Send the d6 "
                "to Y2."
            ),
            rule="DA-3.3",
            before=(ASSIGN,),
            action=_place(D6, ON_SQUARE + _Y2),
        ),
        Lesson(
            marked(
                "Björn tries his luck on Y3. You have a die left: whoever stands on treasure 1 takes the red crystal there. "
                "Place the d4 on it."
            ),
            rule="DA-6.2",
            before=(_place(D6, ON_SQUARE + _Y3),),
            action=_place(D4, ON_TREASURE + 0),
        ),
        Lesson(
            marked(
                "Björn placed his last die on the turn order, and all eight places were dealt with. Your Rust Beetle took 4, "
                "you rolled 4: you have its gold, and keep the tile. Björn lost, so his tile is gone. But he goes first now."
            ),
            rule="DA-4.7",
            before=(_place(D4, ON_TRACK),),
        ),
        Lesson(
            marked(
                "Every crystal pays for a spell. With a red one you cast Illuminate, before you place a die: it shows you two "
                "tiles, and you alone."
            ),
            rule="DA-3.4",
            before=(_place(D6, ON_TREASURE + GOLD_TREASURE),),
            action=ILLUMINATE,
        ),
        Lesson(marked("Which tiles are for you to say. Look at Y8."), rule="DA-3.4", action=PEEK + _Y8),
        Lesson(
            marked(
                "A Frost Ferret, which takes 4 on yellow and fears fire; and on Y6 you found a Cave Bear, which takes 4 as well "
                "and fears nature. Brannoc knows about fire: his die counts double against the ferret. Send the d4 to Y8."
            ),
            rule="DA-4.4",
            before=(PEEK + _Y6,),
            action=_place(D4, ON_SQUARE + _Y8),
        ),
        Lesson(
            marked(
                "On treasure 3 lie a yellow crystal and a white one. Green and white crystals are guarded, and so is the gold: "
                "you get them only if you win a fight in this turn. Be bold, and place the d6 there."
            ),
            rule="DA-6.1",
            before=(_place(D4, ON_PRISONER + 0),),
            action=_place(D6, ON_TREASURE + 2),
        ),
        Lesson(
            marked(
                "You rolled 2, doubled 4: enough, and both crystals are yours. Björn stood on the gold and had won nothing, so "
                "it stays. But with his red crystal he freed a prisoner, who gave him a gold."
            ),
            rule="DA-6.2",
        ),
        Lesson(
            marked("Turn 3, and you still know what lies on Y6. Send the d4 to the Cave Bear."),
            rule="DA-3.3",
            before=(_place(D6, ON_TRAINER),),
            action=_place(D4, ON_SQUARE + _Y6),
        ),
        Lesson(
            marked(
                "The trainer gives a die in exchange for the next larger one. Place the d6 there and it will be a d8. The d4 "
                "couldn't go: you never have two dice of a size, and you have a d6."
            ),
            rule="DA-7.1",
            before=(_place(D4, ON_TAVERN),),
            action=_place(D6, ON_TRAINER),
        ),
        Lesson(
            marked(
                "The fight begins, and before the roll you may cast spells. A white crystal would win at once; keep it for a "
                "worse monster. Pay the yellow one and bless the d4: it counts double."
            ),
            rule="DA-4.5",
            action=BLESS + D4,
        ),
        Lesson(
            marked("Now roll. If it isn't enough, a blue crystal would let you roll a die again."),
            rule="DA-4.6",
            action=ROLL,
        ),
        Lesson(
            marked(
                "2, doubled 4: won by a hair. Teodric has a d8 now, but nobody joined Björn in the tavern: a follower needs a "
                "die smaller than all others. There are traders too, and a sorcerer whose cards bring points. "
                "When the last monster is gone, the game is over. Now it is yours."
            ),
            rule="DA-13.2",
        ),
    ),
)
