"""Offers between players: make, accept, refuse; a trading game with points whose sum varies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from games_for_tests.barter import ACCEPT, END, KINDS, REFUSE, game as barter
from meadhall import IllegalAction, Match, check_game, replay, simulate
from meadhall.bots import Budget, hints
from meadhall.engine.laws import check_game as conformance


def offer(match: Match[Any]) -> int:
    """Return the first offer that the seat to move can make."""
    return match.legal()[0].action


def test_the_others_answer_clockwise_until_one_accepts() -> None:
    match = barter.match(players=4, seed="barter")
    match.play(END)
    action = offer(match)
    given, wanted = divmod(action, KINDS)
    before = match.states["goods"][0]
    match.play(action)
    assert (match.actor, match.state.offer_by, match.state.offer_terms) == (2, 1, action)
    while ACCEPT not in [legal.action for legal in match.legal()]:
        match.play(REFUSE)
    taker = match.actor
    assert taker is not None
    match.play(ACCEPT)
    change = match.states["goods"][0] - before
    assert (change[1, given], change[taker, given], change[1, wanted], change[taker, wanted]) == (-1, 1, 1, -1)
    assert (match.actor, match.state.offer_asked) == (1, 0)


def test_an_offer_that_all_refuse_is_gone_and_the_turn_goes_on() -> None:
    match = barter.match(players=3, seed="barter")
    for _ in range(2):
        match.play(offer(match))
        with pytest.raises(IllegalAction):
            match.play(END)
        assert match.actor == 1
        match.play(REFUSE)
        assert match.actor == 2
        match.play(REFUSE)
        assert (match.actor, match.state.offer_asked, match.state.offer_terms) == (0, 0, 0)
    assert [legal.action for legal in match.legal()] == [END]
    with pytest.raises(IllegalAction):
        match.play(1 if match.state.goods[0, 0] else KINDS)


def test_barter_obeys_every_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "DEALS", 20)
    assert check_game(replace(barter, name="small-barter", max_players=2), matches=1) > 10


def test_both_traders_can_gain() -> None:
    report = simulate(barter, ["karl"], games=100, players=2, seed="barter")
    idle = simulate(barter, ["thrall"], games=100, players=2, seed="barter")
    assert report.payoffs is not None
    assert idle.payoffs is not None
    assert report.payoffs["karl"].mean > idle.payoffs["thrall"].mean
    assert barter.kind_of(3).payoffs == "general-sum"


def test_a_search_answers_offers_and_a_record_replays_them() -> None:
    match = barter.match(players=2, seed="barter")
    match.play(offer(match))
    given = hints(match.view(1), Budget(iterations=60, trees=1), "barter")
    assert {hint.action for hint in given} <= {ACCEPT, REFUSE}
    while not match.over:
        match.play(match.legal()[-1])
    assert replay(match.record(legal=True)).result() == match.result()
