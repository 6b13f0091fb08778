"""Pig: the guided first game. Its seed was chosen for dice that suit the texts."""

from __future__ import annotations

from meadhall.sdk import Lesson, Lessons, marked

from .rules import HOLD, ROLL

LESSONS = Lessons(
    seed="first game 56705",
    players=("Astrid", "Björn"),
    lessons=(
        Lesson(marked("You are Astrid. Roll the die as often as you dare: its points go into the pot."), "PG-2.1", action=ROLL),
        Lesson(marked("A five. Nothing is safe until you hold. Dare another roll."), "PG-3.1", action=ROLL),
        Lesson(marked("Eleven in the pot. A one would empty it. Hold now, to keep them."), "PG-3.3", action=HOLD),
        Lesson(
            marked("Björn rolled a four and a six, and then a one: his pot is empty. It is your turn again."),
            "PG-3.2",
            before=(ROLL, ROLL, ROLL),
            action=ROLL,
        ),
        Lesson(
            marked("A six. That is the whole game: the first to hold 100 points wins. A good time to hold is at twenty."),
            "PG-4.1",
        ),
    ),
    minutes=1,
)
