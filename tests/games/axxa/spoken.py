"""Positions of AxxA in which it says what seldom occurs."""

from __future__ import annotations

from collections.abc import Iterator

from games.axxa.scenes import FAR, move, pay, scene, turn
from meadhall import Match
from meadhall.games.axxa.state import Act


def scenes() -> Iterator[Match]:
    """Yield the positions."""
    yield scene({**FAR, "b6": "4[1]", "d4": "3", "b4": "1", "f6": "2", "f5": "2", "f4": "2"})
    yield scene({**FAR, "b6": "1", "c5": "1", "d4": "1"}, touching="orthogonal")
    paying = scene({**FAR, "b6": "4"}, touching="orthogonal")
    paying.play(move("b6", "b2"))
    yield paying
    several = scene({**FAR, **dict.fromkeys(("b6", "c6", "d6", "e6"), "1")})
    turn(several, "g3", "b3", Act.LEAVE)
    yield several
    outstanding = scene({**FAR, **dict.fromkeys(("b4", "c4", "d3"), "123")})
    turn(outstanding, "d3", "d4", Act.LEAVE)
    yield outstanding
    lost = scene({"d4": "666", "f2": "1"}, current=6)
    turn(lost, "f2", "f3")
    lost.play(pay("f3"))
    yield lost
