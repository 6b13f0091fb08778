"""Whole matches of Viking Axes: no card is ever lost, and the state agrees with the events."""

from __future__ import annotations

from typing import Any

import pytest

from games.viking_axes.ledger import Ledger
from games.viking_axes.scenes import VA, counted, in_front, play_at_random
from meadhall import Match
from meadhall.games.viking_axes.state import AXE_KINDS, COPIES, HAND, KINDS, Card, Due, Phase, axes_on, shields_on
from sizes import sized

VARIANTS = ["standard", "strategic"]
ALL = dict(enumerate(COPIES))


def check_invariants(match: Match) -> None:
    """Assert the invariants of every state."""
    state: Any = match.state
    assert counted(state) == ALL
    for seat in range(match.players):
        cards = in_front(state, seat)
        shields = sum(shields_on(kind) * number for kind, number in cards.items() if Card.ONE_SHIELD <= kind <= Card.FOUR_SHIELDS)
        lying = sum(axes_on(kind) * state.lying[seat, kind] for kind in range(AXE_KINDS))
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
    axes = sum(in_front(state, seat)[kind] for seat in range(match.players) for kind in range(AXE_KINDS))
    assert state.axes_in_front == axes
    assert state.living == match.players - sum(bool(state.out[seat]) for seat in range(match.players))
    assert match.over == (state.living == 1)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", range(2, 8))
def test_no_card_is_lost_and_the_state_agrees_with_a_second_model_that_follows_the_events(players: int, variant: str) -> None:
    for number in range(sized(1, 20)):
        match = VA.match(players=players, seed=f"ledger {number}", variant=variant)
        ledger = Ledger(players, variant == "strategic")
        ledger.follow(match.setup)
        ledger.agrees_with(match.state)
        for now in play_at_random(match, number):
            check_invariants(now)
            if now.steps:
                ledger.follow(now.steps[-1].events)
                ledger.agrees_with(now.state)
