"""Positions of Viking Axes in which it says what seldom occurs."""

from __future__ import annotations

from collections.abc import Iterator

from games.viking_axes.scenes import scene
from meadhall import Match
from meadhall.games.viking_axes.state import Act, Card, Due


def scenes() -> Iterator[Match]:
    """Yield the positions."""
    emptied = scene("wench", front={1: ["armory"]}, due={2: Due.SKIP})
    yield emptied.copy()
    emptied.play(Act.DISARM + 1)
    yield emptied
    hands = {0: ["wench", "wench", "armory"], 1: ["axe3", "axe3"], 2: ["armory", "shield4"]}
    yield scene(hands=hands, front={0: ["armory"]}, due={1: Due.TURN, 2: Due.TURN})
    yield scene("wench", front={1: ["armory"]}, due={1: Due.TURN})
    yield scene("axe1", out=[2])
    early = scene("axe1", front={1: ["armory"], 2: ["armory"]}, then=["axe2", "shield1", "shield2", "axe1"], armory="before")
    early.play(Act.THROW + 1)
    early.play(Act.CASH_IN)
    yield early
    last = {seat: ["axe1", "axe2", "axe3"] * 3 for seat in (1, 2)}
    spent = scene("axe1", left=0, front=last)
    state = spent.states
    state["discarded"][0][: Card.ONE_SHIELD] = 0
    state["axes_in_front"] = 69
    spent = spent.supposing(state)
    spent.play(Act.THROW + 1)
    yield spent
