"""Luck averages zero and explains results between equal players, and luck-corrected intervals have their coverage."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from games_for_tests.nim import game as nim
from lab.unequal import Unequal
from meadhall import game
from meadhall.bots import bot
from meadhall.engine.errors import BadSetup
from meadhall.engine.match.match import Match
from meadhall.engine.statistics import Z_95
from meadhall.lab import luck as module, tournament
from meadhall.lab.entrants import play_out
from meadhall.lab.luck import MIN_MATCHES, Adjusted, luck, regress_on_luck, student_quantile
from meadhall.lab.standings import Meetings
from meadhall.lab.tournament import all_sure


def played(name: str, number: int, bots: Sequence[str], **options: str) -> Match:
    match = game(name).match(len(bots), seed=f"luck {number}", **options)
    play_out(match, [bot(match.game, each, f"{number} {seat}".encode().ljust(32)) for seat, each in enumerate(bots)])
    return match


def scores(match: Match) -> tuple[float, ...]:
    result = match.result()
    assert result is not None
    return result.scores


# ---------------------------------------------------------------------------------------------------------------- one match


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "players", "options", "matches"),
    [
        pytest.param("axes-and-allies", 2, {}, 1600, marks=pytest.mark.long),
        pytest.param("viking-axes", 3, {"variant": "standard"}, 450, marks=pytest.mark.long),  # the order of the deck is hidden
        ("viking-axes", 3, {"variant": "strategic"}, 90),  # hands are hidden, too
    ],
)
def test_luck_averages_zero_even_for_a_stronger_player(
    name: str, players: int, options: dict[str, str], matches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One greedy player meets random ones, on each seat in turn. Its better play must not be measured as luck."""
    monkeypatch.setattr(module, "PLAYOUTS", 16)
    lucky, won = [], []
    for number in range(matches):
        seat = number % players
        match = played(name, number, ["karl" if each == seat else "thrall" for each in range(players)], **options)
        lucky.append(luck(match, number)[seat])
        won.append(scores(match)[seat])
    skill = float(np.mean(won)) - 1 / players
    assert skill > 2 * np.std(lucky) / matches**0.5
    assert np.mean(lucky) == pytest.approx(0, abs=skill / 2)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "players"), [("axes-and-allies", 4), ("viking-axes", 2)])
def test_luck_explains_most_results_between_equal_players(name: str, players: int) -> None:
    matches = [played(name, number, ["karl"] * players) for number in range(40)]
    lucky = np.array([luck(match, number) for number, match in enumerate(matches)])
    gained = np.array([scores(match) for match in matches]) - 1 / players
    assert lucky.sum(axis=1) == pytest.approx(0, abs=1e-9)
    assert np.corrcoef(lucky.flat, gained.flat)[0, 1] > 0.6


def test_without_chance_the_only_luck_is_that_of_the_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PLAYOUTS", 16)
    one, other = (nim.match(2, seed=seed) for seed in ("a", "b"))
    for match, actions in ((one, (0,) * 10), (other, (2, 2, 2, 0))):
        for action in actions:
            match.play(action)
        assert match.over
    assert luck(one, 1) == luck(other, 1)
    assert sum(luck(one, 1)) == pytest.approx(0)


def test_the_seed_determines_the_luck_of_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PLAYOUTS", 4)
    match = played("axes-and-allies", 1, ["karl"] * 2)
    assert luck(match, 5) == luck(match, 5) != luck(match, 6)


# ------------------------------------------------------------------------------------------------------------- many matches


@pytest.mark.parametrize("effect", [0.0, 0.4, 1.0])
def test_the_corrected_mean_has_its_stated_confidence_and_a_narrower_interval(effect: float) -> None:
    rng = np.random.default_rng(4)
    held, narrower = 0, 0
    for _ in range(1000):
        lucky = rng.normal(size=30)
        gained = 0.1 + effect * lucky + 0.3 * rng.normal(size=30)
        found = regress_on_luck(gained, lucky)
        half = student_quantile(Z_95, found.freedom) * found.error
        held += abs(found.mean - 0.1) <= half
        narrower += half < Z_95 * gained.std() / 30**0.5
        assert 0 <= found.explained <= 1
    assert held >= 930  # 3 standard errors below 950
    assert effect == 0 or narrower > 850


@pytest.mark.parametrize(
    ("seats", "games", "strength"), [(2, 40, 1.0), (3, 60, 3.0), pytest.param(4, 120, 3.0, marks=pytest.mark.long)]
)
def test_luck_corrected_intervals_have_their_stated_coverage(seats: int, games: int, strength: float) -> None:
    """The second of two bots is ``strength`` times as likely to win as the first. Luck explains half of the results."""
    unequal, rng = Unequal.of(seats, games, strength), np.random.default_rng(1)
    held = intervals = 0
    for shares in unequal.played(1000, rng):
        lucky = np.where(rng.random((len(shares), 1)) < 0.5, shares - unequal.chances, 0.0)
        found = Meetings.of(unequal.schedule, shares, Z_95, lucky).standing(1, 1 / seats, None).adjusted
        if found is not None:
            intervals += 1
            held += found.low <= unequal.truth <= found.high
            assert 0 <= found.low <= found.share <= found.high <= 1
    assert intervals > 950
    assert held >= 0.93 * intervals


def test_zero_luck_changes_nothing() -> None:
    found = regress_on_luck(np.array([0.0, 1.0] * 20), np.zeros(40))
    assert found.mean == pytest.approx(0.5)
    assert found.explained == 0


def test_too_few_matches_or_equal_results_give_no_correction() -> None:
    one, lucky = np.ones(100, np.int64), np.linspace(-1, 1, 100)
    won = np.array([0.0, 1.0] * 50)
    assert Adjusted.of(won, lucky, one, 0.5, Z_95) is not None
    assert Adjusted.of(won[: MIN_MATCHES - 1], lucky[: MIN_MATCHES - 1], one[: MIN_MATCHES - 1], 0.5, Z_95) is None
    assert Adjusted.of(np.ones(100), lucky, one, 0.5, Z_95) is None
    assert Adjusted.of(np.zeros(100), lucky, one, 0.5, Z_95) is None


@pytest.mark.parametrize(("freedom", "quantile"), [(18, 2.1009), (28, 2.0484), (60, 2.0003), (1000, 1.9623)])
def test_quantiles_match_tables_of_students_distribution(freedom: int, quantile: float) -> None:
    """The values are the 97.5 % quantiles of published tables."""
    assert student_quantile(Z_95, freedom) == pytest.approx(quantile, abs=5e-4)


# ----------------------------------------------------------------------------------------------------------- in tournaments


@pytest.mark.compiled
def test_a_tournament_reports_luck_corrected_shares_with_narrower_intervals() -> None:
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


@pytest.mark.compiled
def test_luck_corrected_results_do_not_depend_on_the_number_of_processes() -> None:
    one, two = (
        tournament("axes-and-allies", ["thrall", "karl"], games=24, seed="beside", luck=True, processes=count) for count in (1, 2)
    )
    assert one.standings == two.standings


def test_the_order_is_sure_once_the_luck_corrected_order_is_sure() -> None:
    who, rng = np.tile([0, 1], (100, 1)), np.random.default_rng(5)
    wins = (rng.random(100) < 0.5).astype(float)
    shares = np.stack([1 - wins, wins], axis=1)
    lucky = shares - np.array([0.35, 0.65]) + 0.1 * rng.normal(size=(100, 2))  # corrected for luck, the second wins two of three
    assert not all_sure(Meetings(who, shares, 2, Z_95))
    assert all_sure(Meetings(who, shares, 2, Z_95, lucky))
    assert not all_sure(Meetings(who, shares, 2, Z_95, np.zeros_like(lucky)))


def test_luck_is_not_measured_in_cooperative_games() -> None:
    with pytest.raises(BadSetup, match="all bots have the same luck"):
        tournament("axxa", ["thrall", "karl"], games=2, luck=True)
