"""Schedules: every bot has every seat and meets every other bot equally often."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

import games_for_tests.hoard  # noqa: F401 (registers the game)
from meadhall import BadSetup, MeadhallError, game
from meadhall.lab.schedule import Schedule, scheduled

NAMES = ("thrall", "karl", "huscarl", "jarl", "king", "search@10")


def rivals(bots: int, seats: int, games: int = 1, seed: str = "any") -> Schedule:
    return Schedule("any", NAMES[:bots], {}, seed, parties=tuple((seat,) for seat in range(seats)), wanted=games)


EVERY_SIZE = [(bots, seats) for seats in range(2, 8) for bots in range(2, 7)]


@pytest.mark.parametrize(("bots", "seats"), EVERY_SIZE)
def test_every_bot_has_every_seat_and_meets_every_other_equally_often(bots: int, seats: int) -> None:
    schedule = rivals(bots, seats)
    for first in (0, schedule.round):
        sat: Counter[tuple[str, int]] = Counter()
        met: Counter[tuple[str, str]] = Counter()
        for number in range(first, first + schedule.round):
            seating = schedule.seating(number)
            sat.update((name, seat) for seat, name in enumerate(seating))
            met.update((one, other) for one, other in permutations(seating, 2) if one != other)
        assert len(sat) == bots * seats
        assert len(met) == bots * (bots - 1)
        assert len(set(sat.values())) == len(set(met.values())) == 1


@pytest.mark.parametrize(("bots", "seats"), EVERY_SIZE)
def test_the_seats_of_a_match_are_divided_as_evenly_as_possible(bots: int, seats: int) -> None:
    schedule = rivals(bots, seats)
    for number in range(schedule.round):
        seats_of = Counter(schedule.seating(number))
        assert {seats_of[name] for name in schedule.bots} <= {seats // bots, -(-seats // bots)}


def test_only_whole_rounds_are_played() -> None:
    assert rivals(2, 3).round == 6
    assert [rivals(2, 3, games).games for games in (1, 6, 7, 12, 100)] == [6, 6, 12, 12, 102]


def test_neighbouring_seats_are_drawn_at_random_in_every_round() -> None:
    schedule = rivals(2, 4)
    beside = {seating[0] == seating[2] for seating in map(schedule.seating, range(0, 100, schedule.round))}
    assert beside == {True, False}


def test_the_seed_determines_the_seating() -> None:
    seats = [[rivals(3, 3, seed=seed).seating(number) for number in range(30)] for seed in ("one", "one", "two")]
    assert seats[0] == seats[1] != seats[2]


def test_each_side_is_one_bot_and_all_pairs_meet_on_both_sides() -> None:
    schedule = scheduled(game("hoard"), ["thrall", "karl", "search@5"], 1, 4, "s", mode="sides")
    seatings = [schedule.seating(number) for number in range(schedule.round)]
    assert all(seating[:2] == seating[2:] for seating in seatings)
    assert sorted(seating[:2] for seating in seatings) == sorted(permutations(schedule.bots, 2))


def test_in_cooperative_games_every_bot_plays_every_deal_alone() -> None:
    schedule = scheduled(game("hoard"), ["thrall", "karl", "search@5"], 10, 3, "s", mode="together")
    assert schedule.games == 12
    played = [(schedule.deal(number), *schedule.seating(number)) for number in range(schedule.games)]
    assert sorted(played) == sorted((deal, *[name] * 3) for deal in range(4) for name in schedule.bots)


def test_rivals_have_a_deal_of_their_own_every_match() -> None:
    schedule = rivals(2, 4, 20)
    assert [schedule.deal(number) for number in range(20)] == list(range(20))


def test_as_few_play_as_can_unless_more_are_asked_for() -> None:
    pairs = [scheduled(game("axes-and-allies"), ["thrall", "karl"], 1, players).seating(0) for players in (None, 5)]
    assert [len(seating) for seating in pairs] == [2, 5]


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("axes-and-allies", {"bots": []}, "0 instead of at least 2"),
        ("axes-and-allies", {"bots": ["karl"]}, "1 instead of at least 2"),
        ("axes-and-allies", {"bots": "karl"}, "list of bots"),
        ("axes-and-allies", {"bots": ["karl", "thrall", "karl"]}, "named only once"),
        ("axes-and-allies", {"bots": ["karl", "hal"]}, "no bot 'hal'"),
        ("axes-and-allies", {"players": 7}, "2 to 6 players"),
        ("axes-and-allies", {"games": 0}, "at least 1"),
        ("axes-and-allies", {"games": True}, "at least 1"),
        ("axes-and-allies", {"bots": [f"search@{k + 1}" for k in range(60)], "players": 6}, "the limit is 100,000,000"),
        ("axes-and-allies", {"seed": 3.0}, "text, bytes or an integer, not 3.0"),
        ("axes-and-allies", {"variant": "long"}, "no option 'variant'"),
        ("hoard", {"bots": [], "mode": "together"}, "0 instead of at least 1"),
        ("hoard", {"players": 3, "mode": "sides"}, "2 or 4 players"),
    ],
)
def test_an_invalid_schedule_is_refused(name: str, given: dict[str, object], reason: str) -> None:
    with pytest.raises(MeadhallError, match=reason):
        scheduled(game(name), **{"bots": ["thrall", "karl"], "games": 10, **given})  # type: ignore[arg-type]


def test_a_single_bot_is_allowed_in_cooperative_games() -> None:
    assert scheduled(game("hoard"), ["karl"], 7, mode="together").games == 7
    with pytest.raises(BadSetup):
        scheduled(game("hoard"), ["karl"], 7, mode="rivals")
