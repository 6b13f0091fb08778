"""Luck: that it is nothing on average and tells who wins among equals, and that intervals without it hold the truth."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from games_for_tests.nim import game as nim
from meadhall import game
from meadhall.bots import bot
from meadhall.engine.errors import BadSetup
from meadhall.engine.match import Match
from meadhall.engine.statistics import Z_95
from meadhall.lab import tournament
from meadhall.lab.looks import all_sure
from meadhall.lab.luck import LEAST, Adjusted, luck, student
from meadhall.lab.matches import play_out
from meadhall.lab.standings import Meetings


def played(name: str, number: int, bots: Sequence[str], **options: str) -> Match:
    match = game(name).match(len(bots), seed=f"luck {number}", **options)
    play_out(match, [bot(match.game, each, bytes([number, seat])) for seat, each in enumerate(bots)])
    return match


def scores(match: Match) -> tuple[float, ...]:
    result = match.result()
    assert result is not None
    return result.scores


# ---------------------------------------------------------------------------------------------------------------- of a match


@pytest.mark.parametrize(
    ("name", "players", "options"),
    [
        ("axes-and-allies", 3, {}),
        ("viking-axes", 2, {"variant": "standard"}),  # a deck that nobody knows
        ("viking-axes", 3, {"variant": "strategic"}),  # and hands
    ],
)
def test_luck_is_nothing_on_average_however_well_who_has_it_plays(name: str, players: int, options: dict[str, str]) -> None:
    """One greedy player among random ones, at each seat in turn."""
    lucky = []
    for number in range(12 * players):
        seat = number % players
        match = played(name, number, ["greedy" if each == seat else "random" for each in range(players)], **options)
        lucky.append(luck(match, number)[seat])
    assert abs(np.mean(lucky)) < 4 * np.std(lucky) / len(lucky) ** 0.5
    assert np.std(lucky) > 0.05


@pytest.mark.parametrize(("name", "players"), [("axes-and-allies", 4), ("viking-axes", 2)])
def test_among_equals_it_is_mostly_luck_who_wins(name: str, players: int) -> None:
    matches = [played(name, number, ["greedy"] * players) for number in range(40)]
    lucky = np.array([luck(match, number) for number, match in enumerate(matches)])
    gained = np.array([scores(match) for match in matches]) - 1 / players
    assert lucky.sum(axis=1) == pytest.approx(0, abs=1e-9)
    assert np.corrcoef(lucky.flat, gained.flat)[0, 1] > 0.6


def test_where_nothing_falls_by_chance_there_is_no_luck_but_that_of_sitting_there() -> None:
    one, other = (nim.match(2, seed=seed) for seed in ("a", "b"))
    for match, actions in ((one, (0,) * 10), (other, (2, 2, 2, 0))):
        for action in actions:
            match.play(action)
        assert match.over
    assert luck(one, 1) == luck(other, 1)
    assert sum(luck(one, 1)) == pytest.approx(0)


def test_all_the_luck_of_a_guess_is_in_what_was_dealt() -> None:
    """Who guesses first what a hand holds wins if it is right: the quick policy guesses at random, whatever is there."""
    match = nim.match(2, seed="guess", heap="hand")
    match.play(0)
    assert luck(match, 1)[0] == pytest.approx(0, abs=0.2)


def test_luck_is_the_same_for_the_same_seed() -> None:
    match = played("axes-and-allies", 1, ["greedy"] * 2)
    assert luck(match, 5) == luck(match, 5) != luck(match, 6)


# ------------------------------------------------------------------------------------------------------------- of many matches


@pytest.mark.parametrize("counts", [0.0, 0.4, 1.0])
def test_intervals_without_luck_hold_the_truth_as_often_as_they_say_and_are_narrower(counts: float) -> None:
    rng = np.random.default_rng(4)
    held, narrower = 0, 0
    for _ in range(1000):
        lucky = rng.normal(size=30)
        won = 0.6 + counts * lucky + 0.3 * rng.normal(size=30)
        found = Adjusted.of(won, lucky, Z_95)
        assert found is not None
        held += found.low <= 0.6 <= found.high
        narrower += found.high - found.low < 2 * Z_95 * won.std() / 30**0.5
        assert 0 <= found.explained <= 1
    assert held >= 930  # 3 standard errors below 950
    assert counts == 0 or narrower > 850


def test_luck_that_is_none_changes_nothing() -> None:
    won = np.array([0.0, 1.0] * 20)
    found = Adjusted.of(won, np.zeros(40), Z_95)
    assert found is not None
    assert found.share == pytest.approx(0.5)
    assert found.explained == 0


def test_of_too_few_matches_nothing_is_said() -> None:
    assert Adjusted.of(np.ones(LEAST - 1), np.ones(LEAST - 1), Z_95) is None


@pytest.mark.parametrize(("freedom", "quantile"), [(18, 2.1009), (28, 2.0484), (60, 2.0003), (1000, 1.9623)])
def test_students_quantiles(freedom: int, quantile: float) -> None:
    """Tables of Student's distribution, 97.5 %."""
    assert student(Z_95, freedom) == pytest.approx(quantile, abs=5e-4)


# ----------------------------------------------------------------------------------------------------------- in tournaments


def test_a_tournament_tells_shares_without_luck_and_they_are_surer() -> None:
    report = tournament("axes-and-allies", ["thrall", "karl"], games=120, seed="lucky", luck=True)
    plain = tournament("axes-and-allies", ["thrall", "karl"], games=120, seed="lucky")
    assert report.luck
    assert not plain.luck
    thrall, karl = report.standings["thrall"], report.standings["karl"]
    assert thrall.adjusted is not None
    assert karl.adjusted is not None
    assert karl.share == plain.standings["karl"].share
    assert plain.standings["karl"].adjusted is None
    assert karl.adjusted.share + thrall.adjusted.share == pytest.approx(1)
    assert karl.adjusted.high - karl.adjusted.low < 0.8 * (karl.high - karl.low)
    assert json.loads(json.dumps(report.to_dict()))["standings"]["karl"]["adjusted"]["explained"] == karl.adjusted.explained


def test_without_luck_too_it_is_the_same_by_however_many_processes() -> None:
    one, two = (
        tournament("axes-and-allies", ["thrall", "karl"], games=24, seed="beside", luck=True, processes=count) for count in (1, 2)
    )
    assert one.standings == two.standings


def test_with_luck_measured_the_order_is_sure_once_it_is_so_without_luck() -> None:
    who, rng = np.tile([0, 1], (100, 1)), np.random.default_rng(5)
    wins = (rng.random(100) < 0.5).astype(float)
    shares = np.stack([1 - wins, wins], axis=1)
    lucky = shares - np.array([0.4, 0.6])  # without it the second wins six of ten, always
    assert not all_sure(Meetings(who, shares, 2, Z_95))
    assert all_sure(Meetings(who, shares, 2, Z_95, lucky))
    assert not all_sure(Meetings(who, shares, 2, Z_95, np.zeros_like(lucky)))


def test_where_all_win_together_luck_is_not_measured() -> None:
    with pytest.raises(BadSetup, match="all have the same luck"):
        tournament("axxa", ["thrall", "karl"], games=2, luck=True)
