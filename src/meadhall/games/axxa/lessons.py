"""The guided first game of AxxA: moving, turning over, paying, completing a triplet, and a chain of triplets."""

from __future__ import annotations

from meadhall.games.axxa.state import NAMES, SPACES, Act
from meadhall.sdk import Lesson, Lessons, marked


def _move(start: str, end: str) -> int:
    return Act.MOVE + NAMES.index(start) * SPACES + NAMES.index(end)


def _pay(space: str) -> int:
    return Act.PAY + NAMES.index(space)


# The first of the seeds "first stones 1", "first stones 2" … with which three moves make a chain of three triplets: a 3 or
# higher goes around a corner and is turned over, then two visible 1s move.
LESSONS = Lessons(
    seed="first stones 942",
    players=("Astrid",),
    lessons=(
        Lesson(
            marked(
                "There are twelve stacks of three pieces, and you can see only the top ones. Bring three equal numbers together "
                "to remove them: first the 1s, then the 2s, up to the 6s. Remove all six triplets to win."
            ),
            rule="AX-6.1",
        ),
        Lesson(
            marked(
                "A stack moves exactly as many spaces as its top piece shows, straight ahead or around one corner, and only "
                "through empty spaces. Move the 4 on c1 to b4."
            ),
            rule="AX-2.2",
            action=_move("c1", "b4"),
        ),
        Lesson(
            marked(
                "After the move you may turn the stack over: its top piece goes to the bottom and the next one comes up. "
                "No one has seen that piece yet. Try your luck!"
            ),
            rule="AX-3.1",
            action=Act.TURN,
        ),
        Lesson(
            marked(
                "A 1! But a triplet takes three, and a move that removes nothing costs you a piece: the top one of any stack. "
                "Beside the board you see how many of each number are left."
            ),
            rule="AX-5.1",
            action=_pay("g4"),
        ),
        Lesson(
            marked("There is another 1 on c7, and a 1 moves exactly one space. Take it to c6, closer to the one on b4."),
            rule="AX-2.2",
            action=_move("c7", "c6"),
        ),
        Lesson(
            marked(
                "You left the 1 on top. You only have two so far, so you pay for this move too. "
                "There are six pieces of every number, and you must keep three of them for the triplet."
            ),
            rule="AX-5.2",
            before=(Act.LEAVE,),
            action=_pay("g4"),
        ),
        Lesson(
            marked("The third 1 is on a5. On b5 it touches both others, one at a side and one at a corner. Corners count."),
            rule="AX-4.1",
            action=_move("a5", "b5"),
        ),
        Lesson(
            marked("Now leave the 1 on top and watch what happens."),
            rule="AX-4.3",
            action=Act.LEAVE,
        ),
        Lesson(
            marked(
                "The 1s are gone, and the move was free. The three 2s under them were removed too, and then the 3s that had been "
                "waiting on the right. Three triplets in one move!"
            ),
            rule="AX-4.4",
        ),
        Lesson(
            marked(
                "The 4s are next. You have paid two of them, so you can spare one more. You lose when a number that is still "
                "to come has fewer than three pieces left, or when no stack can move. Now it's your game!"
            ),
            rule="AX-6.2",
        ),
    ),
)
