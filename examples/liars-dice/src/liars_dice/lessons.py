"""Liar's Dice: the guided first game. Its seed was chosen for dice that suit the texts."""

from __future__ import annotations

from meadhall.sdk import Lesson, Lessons, marked

from .rules import DOUBT, FACES, LOWEST


def bid(count: int, face: int) -> int:
    """Return the action that bids ``count`` dice of a face."""
    return (count - 1) * FACES + face - LOWEST


LESSONS = Lessons(
    seed="first game 35",
    players=("Astrid", "Björn"),
    lessons=(
        Lesson(
            marked("You are Astrid. You hold two fives, and a one, which is wild: three fives already. Bid 3 × 5."),
            "LD-2.5",
            action=bid(3, 5),
        ),
        Lesson(
            marked("Björn bids 5 × 5. You have three, so two of his five dice would have to be fives or ones. Doubt it."),
            "LD-3.1",
            before=(bid(5, 5),),
            action=DOUBT,
        ),
        Lesson(
            marked("There are only four: Björn loses a die, and begins the next round. The last player with dice wins."),
            "LD-4.1",
        ),
    ),
    minutes=1,
)
