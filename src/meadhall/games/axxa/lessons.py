"""The guided first game of AxxA: move, turn over, pay, bring three together, and see what that sets off."""

from __future__ import annotations

from meadhall.engine.language import marked
from meadhall.engine.lessons import Lesson, Lessons
from meadhall.games.axxa.board import NAMES, SPACES
from meadhall.games.axxa.state import LEAVE, MOVE, PAY, TURN


def _move(start: str, end: str) -> int:
    return MOVE + NAMES.index(start) * SPACES + NAMES.index(end)


def _pay(space: str) -> int:
    return PAY + NAMES.index(space)


# Of "first stones 1", "first stones 2" … the first in which a 3 or more, moved round a corner and turned over, and two visible
# 1s, moved one after the other, make a triplet that sets off two more.
LESSONS = Lessons(
    seed="first stones 942",
    players=("Astrid",),
    lessons=(
        Lesson(
            marked(
                "Twelve stacks of three pieces, and only the top ones can be seen. Bring three equal numbers together, "
                "and they leave: first the 1s, then the 2s, up to the 6s. With all six triplets you have won."
            ),
            rule="AX-6.1",
        ),
        Lesson(
            marked(
                "A stack moves exactly as far as its top piece says, straight or round one corner, and only over empty spaces. "
                "Choose the 4 on c1, then the space b4."
            ),
            rule="AX-2.2",
            action=_move("c1", "b4"),
        ),
        Lesson(
            marked(
                "After its move you may turn the stack over: its top piece goes to the bottom, and the next one comes up. "
                "Nobody has seen it yet. Try your luck!"
            ),
            rule="AX-3.1",
            action=TURN,
        ),
        Lesson(
            marked(
                "A 1! But it takes three, and a move that removes nothing costs a piece: a visible one, of any stack. "
                "The badges say how many of a number can be spared."
            ),
            rule="AX-5.1",
            action=_pay("g4"),
        ),
        Lesson(
            marked("On c7 lies another 1, and a 1 moves exactly one space. From c6 it is not far to the one on b4."),
            rule="AX-2.2",
            action=_move("c7", "c6"),
        ),
        Lesson(
            marked(
                "You left the 1 on top. There are only two yet, so this move has to be paid for as well. "
                "There are six pieces of every number, and three of them have to stay for the triplet."
            ),
            rule="AX-5.2",
            before=(LEAVE,),
            action=_pay("g4"),
        ),
        Lesson(
            marked(
                "The third 1 is on a5. On b5 it touches both others, the one at its side and the other at a corner: that counts."
            ),
            rule="AX-4.1",
            action=_move("a5", "b5"),
        ),
        Lesson(
            marked("Now leave the stack as it is, and watch what happens."),
            rule="AX-4.3",
            action=LEAVE,
        ),
        Lesson(
            marked(
                "The 1s are gone, and the move was free. Beneath them lay three 2s, which left at once, and then the 3s, "
                "which had been waiting on the right. Three triplets in one move!"
            ),
            rule="AX-4.4",
        ),
        Lesson(
            marked(
                "The 4s are next. You have paid two of them, so one more can be spared. "
                "When fewer than three of a number are left, or nothing can move, the game is lost. Now it is yours."
            ),
            rule="AX-6.2",
        ),
    ),
)
