"""The page of Hoard: the known part of the state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from games_for_tests.hoard.words import NAMES
from meadhall.sdk import View


@dataclass(frozen=True)
class Picture:
    """The cards of hands and deck, and the coins of the piles."""

    hands: tuple[tuple[str, ...], ...]
    deck: tuple[str, ...]
    piles: tuple[int, ...]


def picture(view: View) -> Picture:
    state = view.state
    seats = range(state.players)
    return Picture(
        hands=tuple(tuple(NAMES[state.hand[seat, k]] for k in range(state.cards[seat])) for seat in seats),
        deck=tuple(NAMES[state.deck[k]] for k in range(state.left)),
        piles=tuple(state.pile[seat] for seat in seats),
    )


def own(view: View) -> Picture:
    """Return the private part: the seat's hand, and the top of the deck if the seat has looked at it."""
    return picture(view)


def components(options: Mapping[str, Any]) -> int:
    """Return the number of coins that the rulebook's figure shows."""
    return {"few": 2, "many": 3}[options["hand"]]


def offered(view: View) -> Iterable[int]:
    return range(view.game.actions)


def ahead(view: View) -> dict[int, str]:
    return {action: view.game.words.action(view.state, action, view.names) for action in range(view.game.actions)}
