"""Liar's Dice: the values that ``page.html`` draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from meadhall.sdk import View

from .rules import DICE, DOUBT, UNKNOWN, State, count_of, face_of


@dataclass(frozen=True)
class Cup:
    """The dice of one player.

    Attributes:
        dice: the faces that the viewer sees, ``UNKNOWN`` for the others.
        shown: the faces that all have seen at the end of the last round; empty during a round.
    """

    dice: tuple[int, ...]
    shown: tuple[int, ...]


@dataclass(frozen=True)
class Picture:
    """The table as all viewers see it.

    Attributes:
        count: the number of dice of the last bid, 0 before the first.
        face: the face of the last bid.
        bidder: the seat that made it, -1 before the first.
    """

    cups: tuple[Cup, ...]
    count: int
    face: int
    bidder: int
    actor: int | None


@dataclass(frozen=True)
class Bid:
    """A bid that the viewer can make."""

    action: int
    count: int
    face: int


@dataclass(frozen=True)
class Own:
    """What the viewer alone sees: their dice, and all bids that they can make."""

    dice: tuple[int, ...]
    bids: tuple[Bid, ...]


def picture(view: View[State]) -> Picture:
    """Return the values of the board."""
    state = view.state
    between = state.bids == 0
    cups = tuple(
        Cup(
            tuple(sorted(state.dice[seat, k] for k in range(state.left[seat]))),
            tuple(sorted(state.shown[seat, k] for k in range(DICE) if between and state.shown[seat, k] != UNKNOWN)),
        )
        for seat in range(state.players)
    )
    bid = state.bids - 1
    return Picture(cups, 0 if between else count_of(bid), 0 if between else face_of(bid), state.bidder, view.actor)


def own(view: View[State]) -> Own:
    """Return the viewer's dice and bids. The board comes from a spectator's view, so it has neither."""
    dice = tuple(sorted(view.state.dice[view.viewer, k] for k in range(view.state.left[view.viewer])))
    return Own(dice, tuple(Bid(action, count_of(action), face_of(action)) for action in view.legal if action != DOUBT))


def offered(view: View[State]) -> Iterator[int]:
    """Yield the actions with a large button: the lowest bid of each face, and the doubt. ``own`` has all other bids."""
    faces = set[int]()
    for action in view.legal:
        if action != DOUBT and face_of(action) not in faces:
            faces.add(face_of(action))
            yield action
    yield DOUBT
