"""Positions of Viking Axes set up for tests, and helpers that count their cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from meadhall import Match, game
from meadhall.engine.match.view import legal_actions
from meadhall.engine.state.events import Event
from meadhall.games.viking_axes.state import (
    AXE_KINDS,
    COPIES,
    KINDS,
    NO_CARD,
    SHIELD_KINDS,
    TITLES,
    Card,
    Phase,
    State,
    axes_on,
    shields_on,
)

VA = game("viking-axes")
CARDS = list(TITLES)

Front = Mapping[int, Sequence[str]]
"""Cards by seat."""


def scene(
    card: str = "",
    *,
    players: int = 3,
    hits: Mapping[int, int] | None = None,
    front: Front | None = None,
    lying: Front | None = None,
    hands: Front | None = None,
    due: Mapping[int, int] | None = None,
    out: Sequence[int] = (),
    offer: bool = False,
    then: Sequence[str] = (),
    left: int | None = None,
    armory: str = "after",
) -> Match:
    """Return a match in which seat 0 has ``card`` in play, three cards in hand, or (``offer``) an armory to cash in.

    Args:
        hits: hits by seat. Marks in ``front`` don't add to them.
        front: shields, armories and axes (marks of hits) in front of players.
        lying: axes on their shields.
        hands: if given, the variant is strategic.
        then: the next cards of the draw pile, the first one first. The others lie below them, in the order of their kinds.
        left: the size of the draw pile, if it doesn't have all other cards; the rest is discarded.
    """
    match = VA.match(players=players, seed="scene", variant="standard" if hands is None else "strategic", armory=armory)
    states = VA.state.new()
    state: Any = State.at(states)
    state.players = state.living = players
    state.limit = match.state.limit
    state.held = match.state.held
    state.strategic = hands is not None
    state.early = match.state.early
    state.card = CARDS.index(card) if card else NO_CARD
    state.offer = offer
    state.phase = _phase(card, offer)
    for seat, number in (hits or {}).items():
        state.hits[seat] = number
    for seat, number in (due or {}).items():
        state.due[seat] = number
    for seat in out:
        state.out[seat] = True
        state.hits[seat] = state.limit
        state.living -= 1
    for seat, kind in _cards(front):
        _put_in_front(state, seat, kind)
    for seat, kind in _cards(lying):
        state.lying[seat, kind] += 1
        state.axes_in_front += 1
        state.unused[seat] -= axes_on(kind)
    for seat, kind in _cards(hands):
        state.hand[seat, kind] += 1
    _lay_out_pile(state, [CARDS.index(name) for name in then], left)
    return match.supposing(states)


def _phase(card: str, offer: bool) -> Phase:
    if offer:
        return Phase.OFFER
    return {"": Phase.HAND, "armory": Phase.ARMORY, "wench": Phase.WENCH}.get(card, Phase.THROW)


def _cards(front: Front | None) -> Iterator[tuple[int, int]]:
    for seat, names in (front or {}).items():
        for name in names:
            yield seat, CARDS.index(name)


def _put_in_front(state: Any, seat: int, kind: int) -> None:
    if kind == Card.ARMORY:
        state.armory[seat] = True
    elif kind < Card.ONE_SHIELD:
        state.marks[seat, kind] += 1
        state.axes_in_front += 1
    else:
        state.shields[seat, kind - Card.ONE_SHIELD] += 1
        state.unused[seat] += shields_on(kind)


def _lay_out_pile(state: Any, top: list[int], left: int | None) -> None:
    spare = Counter(dict(enumerate(COPIES))) - counted(state) - Counter(top)
    assert counted(state) + Counter(top) + spare == Counter(dict(enumerate(COPIES))), "too many cards of a kind"
    below = sorted(spare.elements())
    keep = len(below) if left is None else left - len(top)
    state.pile[:] = [NO_CARD] * len(state.pile)
    for place, kind in enumerate([*below[len(below) - keep :], *reversed(top)]):
        state.pile[place] = kind
    state.left = keep + len(top)
    for kind in below[: len(below) - keep]:
        state.discarded[kind] += 1


def counted(state: Any) -> Counter[int]:
    """Count all cards in all places, by kind."""
    cards = Counter(state.pile[place] for place in range(state.left))
    if state.card != NO_CARD:
        cards[state.card] += 1
    for kind in range(KINDS):
        cards[kind] += state.discarded[kind]
    for seat in range(state.players):
        for kind in range(KINDS):
            cards[kind] += state.hand[seat, kind]
        cards += in_front(state, seat)
    return +cards


def in_front(state: Any, seat: int) -> Counter[int]:
    """Count the cards in front of a player, by kind."""
    cards = Counter({int(Card.ARMORY): state.armory[seat]})
    for kind in range(AXE_KINDS):
        cards[kind] += state.marks[seat, kind] + state.lying[seat, kind]
    for kind in range(SHIELD_KINDS):
        cards[Card.ONE_SHIELD + kind] += state.shields[seat, kind]
    return +cards


def as_lists(events: Sequence[Event]) -> list[list[Any]]:
    """Return events as lists, as in records."""
    return [event.to_list() for event in events]


def legal(match: Match) -> list[int]:
    """Return the legal actions."""
    return list(legal_actions(VA, match.states))


def play_at_random(match: Match, seed: int = 1) -> Iterator[Match]:
    """Play pseudo-random actions to the end. Yield the match before each action, and at the end."""
    turn = seed
    while not match.over:
        yield match
        turn = turn * 1103515245 + 12345 & 0x7FFF_FFFF
        choices = legal(match)
        match.play(choices[turn // 65536 % len(choices)])
    yield match
