"""Whole matches: after every action all cards are somewhere, and the state is what the events tell."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.viking_axes.ledger import Ledger
from games.viking_axes.scenes import VA, counted, in_front, legal, play_at_random
from meadhall import Match
from meadhall.engine.rule import INTERPRETED
from meadhall.games.viking_axes.state import COPIES, HAND, KINDS, SHIELD, Due, Phase

VARIANTS = ["standard", "strategic"]
ALL = dict(enumerate(COPIES))


def in_order(match: Match) -> None:
    """What holds at every decision, and at the end."""
    state: Any = match.state
    assert counted(state) == ALL
    for seat in range(match.players):
        cards = in_front(state, seat)
        shields = sum((kind - SHIELD + 1) * number for kind, number in cards.items() if SHIELD <= kind < SHIELD + 4)
        lying = sum((kind + 1) * state.lying[seat, kind] for kind in range(SHIELD))
        assert state.unused[seat] == shields - lying
        assert (state.unused[seat] > 0) == (shields > 0)
        assert bool(state.out[seat]) == (state.hits[seat] >= state.limit)
        held = sum(state.hand[seat, kind] for kind in range(KINDS))
        if state.out[seat]:
            assert not cards
            assert (state.due[seat], held) == (Due.NOTHING, 0)
        elif state.strategic:
            assert held == HAND + (seat == state.actor and state.phase == Phase.HAND)
        else:
            assert held == 0
    axes = sum(in_front(state, seat)[kind] for seat in range(match.players) for kind in range(SHIELD))
    assert state.axes_in_front == axes
    assert state.living == match.players - sum(bool(state.out[seat]) for seat in range(match.players))
    assert match.over == (state.living == 1)


@settings(max_examples=15 if INTERPRETED else 100)
@given(
    st.integers(2, 7),
    st.sampled_from(VARIANTS),
    st.text(max_size=8),
    st.lists(st.integers(0, 42), min_size=1, max_size=400),
)
def test_all_120_cards_are_in_all_places_together_after_every_action(
    players: int, variant: str, seed: str, choices: list[int]
) -> None:
    match = VA.match(players=players, seed=seed, variant=variant)
    in_order(match)
    for choice in choices:
        if match.over:
            break
        match.play(legal(match)[choice % match.legal_count()])
        in_order(match)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", range(2, 8))
def test_the_state_is_what_the_events_tell(players: int, variant: str) -> None:
    """A whole match that is moved by hand, event by event, on another table."""
    for number in range(1 if INTERPRETED else 6):
        match = VA.match(players=players, seed=f"ledger {number}", variant=variant)
        ledger = Ledger(players, variant == "strategic")
        ledger.follow(match.setup)
        ledger.agrees_with(match.state)
        for now in play_at_random(match, number):
            in_order(now)
            if now.steps:
                ledger.follow(now.steps[-1].events)
                ledger.agrees_with(now.state)
