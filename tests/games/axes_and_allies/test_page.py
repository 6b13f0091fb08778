"""What the board of Axes and Allies draws."""

from __future__ import annotations

from meadhall import game
from meadhall.games.axes_and_allies.page import picture


def test_the_last_attack_lies_on_the_table_until_the_match_ends() -> None:
    match = game("axes-and-allies").match(players=2, seed="blow")
    while match.actor is not None:
        match.play(match.legal()[0])
        _, rolled, outcome, *_ = events = match.steps[-1].events
        assert events[0].name == "attack"
        (seat, target), (_, roll) = outcome.arguments, rolled.arguments
        drawn = seat, target, roll, outcome.name == "killed"
        assert picture(match.view()).blow == (drawn if match.actor is not None else None)
