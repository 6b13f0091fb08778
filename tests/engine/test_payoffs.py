"""Payoffs in points or chips, and sides of any size, by option or decided in play."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from games_for_tests.kuhn import game as kuhn, rules as kuhn_rules
from games_for_tests.kuhn.rules import BET, PASS
from games_for_tests.outnumbered import DARE, REFUSE, game as outnumbered
from meadhall import BadSetup, ConformanceError, Match, check_game, game, random_playouts, replay, simulate
from meadhall.bots import Budget, Search, bar_of, hints, in_words
from meadhall.bots.analysis import analyse
from meadhall.bots.playouts import expected_payoffs
from meadhall.engine.laws import check_game as conformance
from meadhall.engine.text.display import Table
from meadhall.engine.text.language import speaking
from meadhall.lab import tournament
from meadhall.sdk import PayoffRange, rule

DARED = {"hunter": "dared"}


@pytest.fixture
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "DEALS", 20)


def played(match: Match[Any], *actions: int) -> Match[Any]:
    for action in actions:
        match.play(action)
    return match


def sides_of(match: Match[Any]) -> Any:
    return match.parties


def ended(match: Match[Any]) -> Match[Any]:
    while not match.over:
        match.play(match.legal()[0])
    return match


@pytest.mark.usefixtures("few_deals")
@pytest.mark.parametrize("subject", [kuhn, outnumbered])
def test_games_with_chips_and_with_uneven_sides_obey_every_law(subject: Any) -> None:
    assert check_game(replace(subject, name=f"small-{subject.name}", max_players=subject.min_players), matches=2) > 3


# ------------------------------------------------------------------------------------------------------------------- chips


def test_the_result_has_chips_and_shares_and_places_by_chips() -> None:
    match = played(kuhn.match(seed="chips"), BET, BET)
    result = match.result()
    assert result is not None
    winner = result.winners[0]
    assert sorted(result.scores) == [-2, 2]
    assert (result.scores[winner], result.shares[winner], result.points) == (2, 1, tuple(map(int, result.scores)))
    assert match.places() == tuple(1 if seat == winner else 2 for seat in range(2))
    record = json.loads(json.dumps(match.record(legal=True)))
    assert record["result"]["scores"] == [int(score) for score in result.scores]
    assert replay(record).record(legal=True) == record


def test_the_kind_tells_the_range_and_sum_of_the_payoffs() -> None:
    kind = kuhn.kind_of()
    assert (kind.payoffs, kind.smallest, kind.largest, kind.sides) == ("zero-sum", -2, 2, ((0,), (1,)))
    assert replace(kuhn, payoffs=PayoffRange(0, 4, total=4)).kind_of().payoffs == "constant-sum"
    assert replace(kuhn, payoffs=PayoffRange(-2, 2)).kind_of().payoffs == "general-sum"
    together = replace(kuhn, sides=lambda players, _options, _state: (tuple(range(players)),))
    assert together.kind_of().payoffs == "identical"
    assert game("axes-and-allies").kind_of().payoffs == "constant-sum"


def test_shares_follow_the_points() -> None:
    points = np.array([[3.0, 3.0, -1.0], [0.0, 5.0, 2.0]])
    rivals = replace(kuhn, max_players=3, payoffs=PayoffRange(-5, 5))
    assert rivals.shares(points, {}).tolist() == [[0.5, 0.5, 0], [0, 1, 0]]
    pair = replace(rivals, sides=lambda _players, _options, _state: ((0,), (1, 2)))
    assert pair.shares(np.array([[1.0, 2.0, 2.0], [2.0, 2.0, 2.0]]), {}).tolist() == [[0, 1, 1], [0.5, 0.5, 0.5]]
    together = replace(rivals, sides=lambda players, _options, _state: (tuple(range(players)),))
    assert together.shares(np.array([[0.0, 0.0, 0.0]]), {}).tolist() == [[0.5, 0.5, 0.5]]


def test_a_report_has_the_mean_number_of_chips() -> None:
    report = simulate(kuhn, ["karl", "thrall"], games=400, seed="chips")
    assert report.payoffs is not None
    greedy, random = report.payoffs["karl"], report.payoffs["thrall"]
    assert greedy.mean == pytest.approx(-random.mean)
    assert greedy.low < greedy.mean < greedy.high
    assert 0.05 < greedy.mean < 0.6
    assert report.by_bot["karl"].rate + report.by_bot["thrall"].rate == pytest.approx(1)
    assert any(isinstance(part, Table) and "points per game" in part.heads for part in report.displayed())
    assert json.loads(json.dumps(report.to_dict()))["payoffs"]["karl"]["games"] == 400
    assert simulate("axes-and-allies", games=2, seed="a").payoffs is None


def test_a_tournament_rates_by_wins_and_counts_chips() -> None:
    report = tournament(kuhn, ["thrall", "search@40"], games=12, seed="chips", luck=True)
    random, search = report.standings["thrall"], report.standings["search@40"]
    assert random.share + search.share == pytest.approx(1)
    assert random.payoff is not None
    assert search.payoff is not None
    assert search.payoff.mean == pytest.approx(-random.payoff.mean)
    assert any(isinstance(part, Table) and "points per game" in part.heads for part in report.displayed())


def test_random_playouts_add_up_chips() -> None:
    assert random_playouts(kuhn, players=2, games=50, seed="chips").payoffs.sum() == 0


def test_a_search_plays_for_chips_and_a_hint_tells_them() -> None:
    match = next(match for seed in range(9) if (match := kuhn.match(seed=seed)).state.card[0] == 3)
    played(match, PASS, BET)  # with the king a call wins two chips for sure
    view = match.view(0)
    findings = Search(kuhn, Budget(iterations=200, trees=1), "chips").consider(view)
    assert findings.considered[0].action == BET
    assert findings.of(BET).payoff == 2
    assert findings.of(PASS).payoff == -1
    given = hints(view, Budget(iterations=200, trees=1), "chips")
    assert (given[0].points, bar_of(view, given[0])) == (True, 1)
    assert in_words(view, given) == "1. pay a chip: +2 · 2. pass: \N{MINUS SIGN}1 (the points you can expect)"
    with speaking("de"):
        assert "die Punkte, die du erwarten kannst" in in_words(view, given)


def test_charts_and_evaluations_tell_chances_of_winning_not_chips() -> None:
    match = played(kuhn.match(seed="chips"), PASS)
    assert sum(expected_payoffs(match.view(1), rollouts=40)) == pytest.approx(1)
    chances = analyse(ended(match), iterations=20).chances
    assert all(sum(each) == pytest.approx(1) and min(each) >= 0 for each in chances)
    result = match.result()
    assert result is not None
    assert chances[-1] == result.shares


@rule
def generous_score(state: Any, out: Any) -> None:
    kuhn_rules.score(state, out)
    out[0] += 1


@pytest.mark.usefixtures("few_deals")
def test_payoffs_outside_the_declared_range_or_sum_break_a_law() -> None:
    names = ("setup", "legal", "play", "conceal", "redeal")
    own = SimpleNamespace(**{name: getattr(kuhn_rules, name) for name in names}, score=generous_score)
    with pytest.raises(ConformanceError, match="declared as points"):
        check_game(replace(kuhn, name="odd-kuhn", rules=own), matches=2)
    with pytest.raises(ConformanceError, match=re.escape("not from -1 to 1")):
        check_game(replace(kuhn, name="odd-kuhn", payoffs=PayoffRange(-1, 1)), matches=9)


# ------------------------------------------------------------------------------------------------------------------- sides


def test_one_plays_against_two_by_option() -> None:
    match = outnumbered.match(players=3, seed="hunt")
    assert match.parties == ((0,), (1, 2))
    assert outnumbered.kind_of(3).sides == ((0,), (1, 2))
    award = match.copy().resign(1)
    assert (award.winners, award.scores) == ((0,), (1, 0, 0))
    assert match.copy().resign(0).winners == (1, 2)
    result = ended(match).result()
    assert result is not None
    assert result.scores[1] == result.scores[2] == 1 - result.scores[0]
    assert result.shares == result.scores
    assert replay(match.record()).parties == match.parties


def test_sides_can_be_decided_in_play() -> None:
    match = outnumbered.match(players=4, seed="hunt", **DARED)
    assert outnumbered.kind_of(4, DARED).sides is None
    assert len(sides_of(match)) == 4
    with pytest.raises(BadSetup, match="two players or sides"):
        match.resign(0)
    played(match, REFUSE, REFUSE, DARE)
    assert sides_of(match) == ((2,), (0, 1, 3))
    assert match.copy().resign(2).winners == (0, 1, 3)
    result = ended(match).result()
    assert result is not None
    if len(result.winners) == 3:
        assert result.shares == pytest.approx((1 / 3, 1 / 3, 0, 1 / 3))
    else:
        assert sum(result.shares) == pytest.approx(1)


def test_uneven_sides_are_rated_in_tournaments() -> None:
    fixed = tournament(outnumbered, ["karl", "thrall"], games=8, players=3, seed="hunt")
    dared = tournament(outnumbered, ["karl", "thrall"], games=12, players=3, seed="hunt", hunter="dared")
    assert (fixed.standings["karl"].parties, dared.standings["karl"].parties) == (1, 1.5)
    for report in (fixed, dared):
        shares = [standing.share * standing.parties for standing in report.standings.values()]
        assert sum(shares) == pytest.approx(1)


def test_sides_that_leave_out_a_seat_break_a_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "DEALS", 2)
    odd = replace(outnumbered, name="odd-outnumbered", max_players=3, sides=lambda *_: ((0,), (1,)))
    with pytest.raises(ConformanceError, match="contain each of 3 seats once"):
        check_game(odd, matches=1)
