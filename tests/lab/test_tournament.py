"""Tournaments find the stronger bot, and every reported figure is correct."""

from __future__ import annotations

import json
import multiprocessing
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import games_for_tests.hoard  # noqa: F401 (registers the game)
from lab.unequal import Unequal
from meadhall import game
from meadhall.engine.compute.executors import Processes
from meadhall.engine.errors import BadSetup
from meadhall.engine.statistics import Z_95
from meadhall.lab import Tournament, tournament
from meadhall.lab.matches import Outcome, play_match, play_matches
from meadhall.lab.schedule import Schedule, scheduled
from meadhall.lab.standings import Meetings, ratings
from meadhall.lab.tournament import all_sure, check_points, is_better, play_schedule, width

GAME = "axes-and-allies"


@pytest.fixture(scope="module")
def duel() -> Tournament:
    """Return a tournament of two bots on two seats."""
    return tournament(GAME, ["thrall", "karl"], games=24, seed="duel")


@pytest.fixture(scope="module")
def three() -> tuple[Schedule, Tournament, list[Outcome]]:
    """Return a schedule of three bots on four seats, its tournament, and the outcome of every match."""
    schedule = scheduled(game(GAME), ["thrall", "karl", "search@2"], 24, 4, "three")
    return schedule, play_schedule(schedule), [play_match(schedule, number) for number in range(schedule.games)]


def without_time(report: Tournament) -> dict[str, Any]:
    return {**report.to_dict(), "seconds": 0.0}


# ------------------------------------------------------------------------------------------------------------- the stronger bot


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "players", "games"), [(GAME, 2, 600), ("viking-axes", 3, 150)])
def test_the_stronger_bot_wins_more_than_its_fair_share_and_is_rated_higher(name: str, players: int, games: int) -> None:
    report = tournament(name, ["thrall", "karl"], games=games, players=players, seed="duel")
    thrall, karl = report.standings["thrall"], report.standings["karl"]
    assert karl.fair == thrall.fair == pytest.approx(1 / players)
    assert thrall.high < 1 / players < karl.low
    assert thrall.rating is not None
    assert karl.rating is not None
    assert thrall.rating.mu < karl.rating.mu


# --------------------------------------------------------------------------------------------------------- the figures


def test_shares_equal_the_mean_payoffs_of_the_matches(three: tuple[Schedule, Tournament, list[Outcome]]) -> None:
    schedule, report, played = three
    won: defaultdict[str, list[float]] = defaultdict(list)
    matches: defaultdict[str, int] = defaultdict(int)
    for number, outcome in enumerate(played):
        seating = schedule.seating(number)
        for name, share in zip(seating, outcome.scores, strict=True):
            won[name].append(share)
        for name in set(seating):
            matches[name] += 1
    for name, standing in report.standings.items():
        assert standing.share == pytest.approx(np.mean(won[name]))
        assert standing.games == matches[name] == report.games
        assert standing.parties == pytest.approx(len(won[name]) / matches[name])


def test_the_matrix_counts_every_pair_of_seats(three: tuple[Schedule, Tournament, list[Outcome]]) -> None:
    schedule, report, played = three
    ahead: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for number, outcome in enumerate(played):
        pairs: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        seated = list(zip(schedule.seating(number), outcome.scores, strict=True))
        for one, share in seated:
            for other, others in seated:
                if one != other:
                    pairs[one, other].append(1.0 if share > others else 0.0 if share < others else 0.5)
        for pair, results in pairs.items():
            ahead[pair].append(sum(results) / len(results))
    for (one, other), results in ahead.items():
        rate = report.ahead[one][other]
        assert rate.rate == pytest.approx(np.mean(results))
        assert rate.games == len(results)


def test_opposite_entries_of_the_matrix_add_up_to_one(three: tuple[Schedule, Tournament, list[Outcome]]) -> None:
    report = three[1]
    for one in report.bots:
        assert set(report.ahead[one]) == set(report.bots) - {one}
        for other, rate in report.ahead[one].items():
            back = report.ahead[other][one]
            assert rate.rate + back.rate == pytest.approx(1)
            assert rate.low + back.high == pytest.approx(1)
            assert rate.games == back.games


def solved(rate: float, games: float, z: float) -> tuple[float, float]:
    """Return Wilson's interval by bisection from its definition: the p from which ``rate`` is z standard errors away."""

    def root(inside: float, outside: float) -> float:
        for _ in range(100):
            middle = (inside + outside) / 2
            if abs(rate - middle) < z * (middle * (1 - middle) / games) ** 0.5:
                inside = middle
            else:
                outside = middle
        return inside

    return root(rate, 0.0), root(rate, 1.0)


def test_intervals_count_whole_matches(duel: Tournament, three: tuple[Schedule, Tournament, list[Outcome]]) -> None:
    for report in (duel, three[1]):
        for each in report.standings.values():
            low, high = solved(each.share * each.parties, each.games, Z_95)
            assert each.low * each.parties == pytest.approx(low)
            assert each.high * each.parties == pytest.approx(high)


@pytest.mark.parametrize(
    ("seats", "games", "strength"), [(4, 40, 1.0), (3, 60, 3.0), pytest.param(4, 40, 30.0, marks=pytest.mark.long)]
)
def test_intervals_have_their_stated_coverage(seats: int, games: int, strength: float) -> None:
    """The second of two bots is ``strength`` times as likely to win as the first, so its true mean payoff is known."""
    unequal = Unequal.of(seats, games, strength)
    held = 0
    for shares in unequal.played(1000, np.random.default_rng(1)):
        standing = Meetings.of(unequal.schedule, shares, Z_95).standing(1, None, None)
        held += standing.low <= unequal.truth <= standing.high
    assert held >= 930  # 3 standard errors below 950


def test_ratings_order_players_by_strength_and_their_intervals_have_the_stated_coverage() -> None:
    """On openskill's scale the ratings of two players of known strength differ by logit(p) * sqrt(2) * beta."""
    rng = np.random.default_rng(2)
    chance, beta = 0.7, 25 / 6
    truth = np.log(chance / (1 - chance)) * 2**0.5 * beta
    held = 0
    for _ in range(40):
        wins = (rng.random(400) < chance).astype(float)
        weak, strong = ratings(np.stack([1 - wins, wins], axis=1))
        assert weak.mu < strong.mu
        assert weak.low < weak.mu < weak.high
        assert weak.high - weak.mu == pytest.approx(Z_95 * weak.sigma)
        half = Z_95 * (weak.sigma**2 + strong.sigma**2) ** 0.5
        held += abs(strong.mu - weak.mu - truth) < half
    assert held >= 36


def test_a_bot_without_matches_keeps_the_initial_rating() -> None:
    none = float("nan")
    absent = ratings(np.array([[1.0, 0.0, none], [0.0, 1.0, none], [none, 1.0, none]]))[2]
    assert absent.mu == 25
    assert absent.sigma == pytest.approx(25 / 3)


def test_equal_shares_give_equal_ratings() -> None:
    one, other = ratings(np.array([[0.5, 0.5]] * 10))
    assert one.mu == pytest.approx(other.mu)


# ------------------------------------------------------------------------------------------------ cooperative games and sides


@pytest.mark.compiled
def test_in_cooperative_games_each_bot_plays_alone_and_has_a_winning_rate() -> None:
    report = tournament("axxa", ["thrall", "karl"], games=40, players=2, seed="together")
    assert report.scoring == "together"
    assert report.games == 40
    for standing in report.standings.values():
        assert (standing.games, standing.parties, standing.fair, standing.rating) == (20, 1, None, None)
    assert report.standings["karl"].low > report.standings["thrall"].high
    assert report.ahead["karl"]["thrall"].games == 20


@pytest.mark.compiled
def test_in_cooperative_games_the_matrix_compares_equal_shuffles() -> None:
    schedule = scheduled(game("axxa"), ["thrall", "karl"], 30, 1, "shuffles")
    report = play_schedule(schedule)
    won: defaultdict[str, list[float]] = defaultdict(list)
    for number in range(schedule.games):
        won[schedule.seating(number)[0]].append(play_match(schedule, number).scores[0])
    better = (np.sign(np.array(won["karl"]) - np.array(won["thrall"])) + 1) / 2
    assert report.ahead["karl"]["thrall"].rate == pytest.approx(better.mean())
    records = [json.loads(play_match(replace(schedule, records=True), number).record) for number in range(4)]
    assert records[0]["seed"] == records[1]["seed"] != records[2]["seed"] == records[3]["seed"]


def test_a_cooperative_tournament_can_have_a_single_bot() -> None:
    report = tournament("hoard", ["karl"], games=10, players=3, seed="alone", mode="together")
    assert report.standings["karl"].games == 10
    assert report.ahead == {"karl": {}}


@pytest.mark.compiled
def test_a_side_wins_or_loses_as_one_party() -> None:
    report = tournament("axxa", ["thrall", "karl"], games=40, players=4, seed="sides", mode="versus")
    assert report.scoring == "sides"
    thrall, karl = report.standings["thrall"], report.standings["karl"]
    assert (karl.games, karl.parties, karl.fair) == (40, 1, 1 / 2)
    assert thrall.share + karl.share == pytest.approx(1)
    assert karl.low > 1 / 2
    assert thrall.rating is not None
    assert karl.rating is not None
    assert karl.rating.mu > thrall.rating.mu


# ----------------------------------------------------------------------------------------------------------------- determinism


def test_the_report_depends_on_the_seed_and_not_on_the_number_of_processes() -> None:
    def report(seed: str, processes: int) -> dict[str, Any]:
        return without_time(
            tournament(GAME, ["karl", "search@3"], games=6, players=3, seed=seed, processes=processes),
        )

    first = report("again", 1)
    assert report("again", 2) == first
    assert report("other", 1) != first


def test_the_report_can_be_written_as_json(duel: Tournament) -> None:
    data = json.loads(json.dumps(duel.to_dict()))
    assert set(data) == set(Tournament.__dataclass_fields__)
    rating = duel.standings["karl"].rating
    assert rating is not None
    assert data["standings"]["karl"]["rating"]["mu"] == rating.mu
    assert data["ahead"]["karl"]["thrall"]["games"] == 24


def test_progress_is_reported() -> None:
    done: list[int] = []
    tournament(GAME, ["thrall", "karl"], games=10, progress=done.append)
    assert done == [1] * 10


# -------------------------------------------------------------------------------------------------------------------- early ends


def stop_after(count: int) -> Callable[[int], None]:
    """Return a progress callback that raises KeyboardInterrupt after a number of games."""
    done: list[int] = []

    def progress(more: int) -> None:
        done.append(more)
        if sum(done) == count:
            raise KeyboardInterrupt

    return progress


def test_an_interrupted_tournament_reports_the_games_played() -> None:
    report = tournament(GAME, ["thrall", "karl"], games=100, players=4, seed="stop", progress=stop_after(7))
    assert (report.ended, report.games, report.planned, report.round) == ("interrupted", 7, 100, 4)
    whole = tournament(GAME, ["thrall", "karl"], games=8, players=4, seed="stop")
    assert (whole.ended, whole.games, whole.planned) == ("complete", 8, 8)
    assert report.standings["karl"].games == 7


def test_an_interrupted_cooperative_tournament_compares_whole_deals() -> None:
    report = tournament("hoard", ["thrall", "karl"], games=20, seed="stop", progress=stop_after(7), mode="together")
    assert report.games == 7
    assert {standing.games for standing in report.standings.values()} == {3}


def test_an_interruption_in_the_first_round_gives_no_report() -> None:
    with pytest.raises(KeyboardInterrupt):
        tournament(GAME, ["thrall", "karl"], games=100, players=4, progress=stop_after(3))


def test_ending_early_leaves_no_process_behind() -> None:
    schedule = scheduled(game(GAME), ["thrall", "karl"], 400, seed="gone")
    outcomes = play_matches(schedule, schedule.games, Processes(2), None, chunk=1)
    next(outcomes)
    assert len(multiprocessing.active_children()) == 2
    outcomes.close()
    assert multiprocessing.active_children() == []


@pytest.mark.compiled
def test_a_tournament_ends_as_soon_as_it_is_sure() -> None:
    report = tournament(GAME, ["thrall", "karl"], games=4000, seed="sure", until_sure=True)
    assert report.ended == "sure"
    assert report.games < report.planned == 4000
    assert report.standings["karl"].low > 1 / 2


@pytest.mark.compiled
def test_a_tournament_in_the_wrong_order_is_never_sure() -> None:
    report = tournament(GAME, ["karl", "thrall"], games=300, seed="never", until_sure=True)
    assert (report.ended, report.games) == ("complete", 300)


def test_a_sequential_test_needs_two_bots() -> None:
    with pytest.raises(BadSetup, match="at least two bots"):
        tournament("axxa", ["thrall"], games=60, until_sure=True)


def test_interim_analyses_are_few_and_after_whole_rounds() -> None:
    numbers = check_points(1000, 12)
    assert numbers[0] == 60
    assert numbers[-1] == 1000
    assert all(number % 12 == 0 for number in numbers[:-1])
    assert all(late / early >= 1.5 for early, late in pairwise(numbers[:-1]))
    assert check_points(40, 2) == (40,)


def test_intervals_are_wider_with_more_interim_analyses() -> None:
    assert width(1) == pytest.approx(Z_95)
    assert width(10) == pytest.approx(2.807, abs=1e-3)  # of 99.5 %


def meetings(shares: Sequence[Sequence[float]]) -> Meetings:
    return Meetings(np.tile(np.arange(len(shares[0])), (len(shares), 1)), np.array(shares), len(shares[0]), Z_95)


def test_every_bot_must_be_better_than_the_one_before_it() -> None:
    assert all_sure(meetings([[0, 0.4, 0.6]] * 20))
    assert not all_sure(meetings([[0, 0.6, 0.4]] * 20))
    assert not all_sure(meetings([[0, 0.5, 0.5]] * 20))
    assert not all_sure(meetings([[0, 0.4, 0.6]] * 3))


def test_matches_won_by_a_third_bot_are_ignored() -> None:
    lost_by_both = [[0.0, 0.0, 1.0]] * 1000
    assert is_better(meetings([[0.0, 1.0, 0.0]] * 10 + lost_by_both), 1, 0)


def test_the_sequential_test_keeps_its_family_wise_error_rate() -> None:
    """With intervals of 95 % at every interim analysis about 15 % of the tournaments would be wrong."""
    ends = check_points(1000, 2)
    z = width(len(ends))
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(400):
        wins = rng.random(1000) < 0.5
        seen = (Meetings(np.tile([0, 1], (end, 1)), np.stack([~wins[:end], wins[:end]], 1).astype(float), 2, z) for end in ends)
        wrong += any(all_sure(each) for each in seen)
    assert wrong <= 0.025 * 400  # one-sided: only a result in favour of the later bot counts
