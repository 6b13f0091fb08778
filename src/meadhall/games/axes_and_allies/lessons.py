"""Axes and Allies: the guided first game. Attack, find an ally, lose him, win."""

from __future__ import annotations

from meadhall.games.axes_and_allies.rules import ALLY, ATTACK
from meadhall.sdk import Lesson, Lessons, marked

_ASTRID, _BJORN, _IVAR = range(3)

# The first seed of "first blood 1", "first blood 2" … whose dice fit these lessons: Astrid goes first with power 3 or 4 and
# misses, Björn and Ivar miss, power 2, Björn misses, Ivar rolls a one, a kill with power 5 or 6, Ivar misses, the last kill.
LESSONS = Lessons(
    seed="first blood 2327070",
    players=("Astrid", "Björn", "Ivar"),
    lessons=(
        Lesson(
            marked(
                "You are Astrid, playing against Björn and Ivar. Each of you has an axe, and you share one die. "
                "The last one standing wins."
            ),
            rule="AA-6.1",
        ),
        Lesson(
            marked("You rolled highest, so you go first. The die shows the power of your axe this turn: three."),
            rule="AA-2.1",
        ),
        Lesson(
            marked(
                "Power 3 kills on a roll below 3: a one or a two. The odds are poor, but you need no friends yet. Attack Björn."
            ),
            rule="AA-3.2",
            action=ATTACK + _BJORN,
        ),
        Lesson(
            marked("You rolled a four. That is not below 3, so you missed. It is Björn's turn now, and his axe has power 6."),
            rule="AA-1.3",
        ),
        Lesson(
            marked(
                "Björn attacked Ivar and missed. Ivar attacked you and missed. Your axe has only power 2 this time. "
                "The weak need friends."
            ),
            rule="AA-3.4",
            before=(ATTACK + _IVAR, ATTACK + _ASTRID),
            action=ALLY + _BJORN,
        ),
        Lesson(
            marked(
                "You are allies now: neither of you may attack the other. Björn had no say in it. "
                "His axe has power 5, and Ivar is the only player he can attack."
            ),
            rule="AA-3.4",
        ),
        Lesson(
            marked("Björn missed. Now look at Ivar's power: he rolled a one. That ends every alliance at once, yours too."),
            rule="AA-2.2",
            before=(ATTACK + _IVAR,),
        ),
        Lesson(
            marked(
                "With power 1, Ivar could only miss you. Your axe has power 6, which misses only on a six, "
                "and Björn is no longer your ally. Friendships don't last in this hall."
            ),
            rule="AA-3.2",
            before=(ATTACK + _ASTRID,),
            action=ATTACK + _BJORN,
        ),
        Lesson(
            marked(
                "Björn is dead. He takes no more turns, and no one can choose him. "
                "Ivar attacked you and missed, and you have rolled another six. Finish it."
            ),
            rule="AA-5.1",
            before=(ATTACK + _ASTRID,),
            action=ATTACK + _IVAR,
        ),
        Lesson(
            marked(
                "You are the last one standing, and that is the whole game. One warning: in a real match they don't always miss."
            ),
            rule="AA-6.1",
        ),
    ),
)
