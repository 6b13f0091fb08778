"""The page of Goofspiel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from games_for_tests.goofspiel.rules import SEATS
from meadhall.sdk import View


@dataclass(frozen=True)
class Picture:
    """The prize, and the points and the known bid of each seat."""

    prize: int
    points: tuple[int, ...]
    bids: tuple[int, ...]


def picture(view: View) -> Picture:
    state = view.state
    prize = state.prizes[state.round] if state.actor >= 0 else 0
    return Picture(prize, tuple(state.pile[seat] for seat in range(SEATS)), tuple(state.bid[seat] for seat in range(SEATS)))


def own(view: View) -> Picture:
    return picture(view)


def offered(view: View) -> Iterable[int]:
    return view.legal
