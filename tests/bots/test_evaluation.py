"""Evaluation: what a seat expects, from its own view and nothing else."""

from __future__ import annotations

import pytest

from games_for_tests.hoard import game as hoard
from meadhall import game
from meadhall.bots.playouts import expected_payoffs
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import concealed

ROLLOUTS = 40


def played(match: Match, count: int) -> Match:
    for _ in range(count):
        if not match.over:
            match.play(match.legal()[0])
    return match


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_every_seat_has_expectations_also_when_it_is_not_its_turn(seat: int) -> None:
    view = hoard.match(players=3, seed="evaluated").view(seat)
    payoffs = expected_payoffs(view, rollouts=ROLLOUTS)
    assert len(payoffs) == 3
    assert sum(payoffs) == pytest.approx(1)
    assert payoffs == expected_payoffs(view, rollouts=ROLLOUTS), "the number of rollouts makes it deterministic"


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["viking-axes", "dungeon-allies", "axes-and-allies", "axxa"])
def test_it_works_in_every_game(name: str) -> None:
    subject = game(name)
    match = played(subject.match(players=max(2, subject.min_players), seed="evaluated"), 3)
    for seat in range(match.players):
        payoffs = expected_payoffs(match.view(seat), rollouts=4)
        assert len(payoffs) == match.players
        assert all(0 <= payoff <= 1 for payoff in payoffs)


def test_positions_that_look_the_same_to_the_seat_have_the_same_expectation() -> None:
    """So the answer of a bot tells at most what its seat knows."""
    found: dict[bytes, Match] = {}
    for number in range(400):
        match = hoard.match(players=2, seed=f"hidden {number}")
        key = concealed(match.game, match.states, 1).tobytes()
        if key in found and (found[key].states != match.states).any():
            views = found[key].view(1), match.view(1)
            assert expected_payoffs(views[0], rollouts=ROLLOUTS) == expected_payoffs(views[1], rollouts=ROLLOUTS)
            return
        found[key] = match
    raise AssertionError("no two seeds look the same to a seat")


def test_the_time_is_kept() -> None:
    view = hoard.match(players=2, seed="evaluated").view(0)
    assert sum(expected_payoffs(view, seconds=0.0)) == pytest.approx(1), "at least the first rollouts are done"
