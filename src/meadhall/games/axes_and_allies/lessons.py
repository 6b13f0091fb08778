"""The guided first game of Axes and Allies: strike, make a friend, lose him, win."""

from __future__ import annotations

from meadhall.engine.language import marked
from meadhall.engine.lessons import Lesson, Lessons
from meadhall.games.axes_and_allies.rules import ALLY, ATTACK

_ASTRID, _BJORN, _IVAR = range(3)

# The first of "first blood 1", "first blood 2" … whose dice tell this story: Astrid begins with power 3 or 4 and
# misses, Björn and Ivar miss, power 2, Björn misses, Ivar's one, a kill with power 5 or 6, Ivar misses, the last kill.
LESSONS = Lessons(
    seed="first blood 2327070",
    players=("Astrid", "Björn", "Ivar"),
    lessons=(
        Lesson(
            marked(
                "You are Astrid. Björn and Ivar sit at your table. Each of you has one axe, and all share one die. "
                "The last one standing wins."
            ),
            rule="AA-6.1",
        ),
        Lesson(
            marked("You rolled highest, so you begin. The die in the middle is the power of your axe for this turn: a three."),
            rule="AA-2.1",
        ),
        Lesson(
            marked("Power 3 kills on a roll below 3, so on a one or a two. Poor odds, but trying costs nothing."),
            rule="AA-3.2",
            action=ATTACK + _BJORN,
        ),
        Lesson(
            marked("You rolled a four: not below 3, a miss. Now it is Björn's turn, and the die gives his axe power 6."),
            rule="AA-1.3",
        ),
        Lesson(
            marked(
                "Björn struck at Ivar and missed, Ivar at you and missed. Your axe has only power 2 this time. "
                "Who is weak needs a friend."
            ),
            rule="AA-3.4",
            before=(ATTACK + _IVAR, ATTACK + _ASTRID),
            action=ALLY + _BJORN,
        ),
        Lesson(
            marked(
                "The red cord binds you: neither of you may attack the other. Björn was not even asked. "
                "His axe has power 5, and Ivar is the only one whom he can strike."
            ),
            rule="AA-3.4",
        ),
        Lesson(
            marked(
                "Björn missed. And see what Ivar rolled for his power: a one. "
                "It breaks every alliance at the table at once, yours too."
            ),
            rule="AA-2.2",
            before=(ATTACK + _IVAR,),
        ),
        Lesson(
            marked(
                "With power 1 Ivar could only strike in vain. Your axe has power 6, which fails on nothing but a six, "
                "and Björn is your ally no longer. Friendship is short in this hall."
            ),
            rule="AA-3.2",
            before=(ATTACK + _ASTRID,),
            action=ATTACK + _BJORN,
        ),
        Lesson(
            marked(
                "Björn is dead: no more turns for him, and nobody can choose him. "
                "Ivar struck at you and missed, and you have another six. Finish it."
            ),
            rule="AA-5.1",
            before=(ATTACK + _ASTRID,),
            action=ATTACK + _IVAR,
        ),
        Lesson(
            marked(
                "You are the last one standing, and that is the whole game. One warning: at a real table they don't always miss."
            ),
            rule="AA-6.1",
        ),
    ),
)
