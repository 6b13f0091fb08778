"""Pig: the values that ``page.html`` draws."""

from __future__ import annotations

from dataclasses import dataclass

from meadhall.sdk import View

from .rules import ACTIONS


@dataclass(frozen=True)
class Picture:
    """The table, the same for all viewers.

    Attributes:
        face: the last roll, 0 before the first.
        n: the number of the next action. The id of the die contains it, so that each roll is animated once.
    """

    points: tuple[int, ...]
    pot: int
    face: int
    target: int
    actor: int | None
    n: int


def picture(view: View) -> Picture:
    """Return the values of the board."""
    state = view.state
    points = tuple(state.points[seat] for seat in range(state.players))
    return Picture(points, state.pot, state.face, state.target, view.actor, view.next_number)


def own(view: View) -> None:
    """Return no values: a seat has no hand, and its buttons come from ``offered``."""


def offered(view: View) -> range:
    """Return the actions to show. Holding is shown, too, while it is illegal, with the reason."""
    return range(ACTIONS)
