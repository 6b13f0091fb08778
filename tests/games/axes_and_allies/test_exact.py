"""Exact play against the real rules: every die of every choice, whole matches, and what it comes to against the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, islice
from math import sqrt

import numpy as np
import numpy.typing as npt
import pytest

from meadhall import Match, game
from meadhall.bots import bot
from meadhall.engine.chance import die, key_from_counter
from meadhall.engine.compiled import loops
from meadhall.engine.events import NO_LOG_SHAPE
from meadhall.engine.rule import INTERPRETED
from meadhall.engine.schema import States
from meadhall.engine.solution import Solution
from meadhall.games.axes_and_allies.advice import solved_value
from meadhall.games.axes_and_allies.exact import IMPATIENCE, MOST, TOLERANCE, Melee, solve_all, solved, solver
from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, SIDES, State
from meadhall.lab.matches import play_out

AA = game("axes-and-allies")
DICE = 5
"""As many are thrown at most after a choice of one of five, until everything is as it was."""
SIGMAS = 4.5


def positions(players: int, actor: int = 0, dead: int = -1) -> Iterator[Match]:
    """Every decision of ``actor``: all alliances among the living with all powers (AA-2.2, AA-4.1)."""
    blank = AA.match(players=players)
    living = [seat for seat in range(players) if seat != dead]
    pairs = list(combinations(living, 2))
    for graph in range(1 << len(pairs)):
        states = blank.states
        states["rng"], states["reveals"], states["actor"], states["living"] = 0, 0, actor, len(living)
        for seat in range(players):
            states["alive"][0, seat] = seat in living
        for bit, (one, other) in enumerate(pairs):
            states["allied"][0, one, other] = states["allied"][0, other, one] = graph >> bit & 1
        for power in range(1, 1 + SIDES):
            states["power"] = power
            match = blank.supposing(states)
            if match.legal_count() and (power > 1 or graph == 0):
                yield match


@cache
def generators() -> dict[tuple[int, ...], tuple[int, int]]:
    """For every sequence of dice a generator that throws it."""
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    number = 0
    while len(found) < sum(SIDES**length for length in range(1, DICE + 1)):
        rng = np.zeros(2, np.uint64)
        key_from_counter(rng, 1, number)
        start = int(rng[0]), int(rng[1])
        dice = tuple(die(rng, SIDES) for _ in range(DICE))
        for length in range(1, DICE + 1):
            found.setdefault(dice[:length], start)
        number += 1
    return found


def outcomes(before: States, action: int) -> list[tuple[float, States]]:
    """What the rules make of a choice, and how likely.

    Where all who live are allied, dice are thrown until one shows a one. After a round without any, everything is as it was.
    """
    thrown = 1 if action < ALLY else 0

    def after(dice: tuple[int, ...]) -> list[tuple[float, States]]:
        states = before.copy()
        states["rng"][0] = generators()[dice]
        loops(AA).play_one(states, action, np.zeros(NO_LOG_SHAPE, np.int32))
        if states["reveals"][0] - before["reveals"][0] == len(dice):
            return [(float(SIDES) ** -len(dice), states)]
        if len(dice) == thrown + states["living"][0]:
            return []
        return [outcome for value in range(1, 1 + SIDES) for outcome in after((*dice, value))]

    firsts = [after((value,)) for value in range(1, 1 + SIDES)]
    parts = firsts if thrown else [[outcome for first in firsts for outcome in first]]
    whole = [sum(likely for likely, _ in part) * len(parts) for part in parts]
    return [(likely / total, states) for part, total in zip(parts, whole, strict=True) for likely, states in part]


def known(match: Match) -> Solution:
    solution = solver(match.view(match.actor))
    assert solution is not None
    return solution


EVERY = [(2, 1), (3, 5), (4, 50), (5, 2500)] if INTERPRETED else [(2, 1), (3, 1), (4, 1), (5, 40)]
"""Players, and of how many positions one is looked at."""


def is_forced(match: Match) -> bool:
    """Whether patience is limited here: a one in a duel."""
    state = State.at(match.states)
    return state.living == 2 and state.power == 1


@pytest.mark.parametrize(("players", "every"), EVERY)
def test_chances_are_what_the_rules_make_of_them_and_no_choice_gains(players: int, every: int) -> None:
    """With the chances of what follows being right, those of a choice are; and matches end, so there is only one such answer."""
    values: dict[bytes, npt.NDArray[np.float64]] = {}

    def value(match: Match, states: States) -> npt.NDArray[np.float64]:
        states["rng"], states["reveals"] = 0, 0
        seen = states.tobytes()
        if seen not in values:
            following = match.supposing(states)
            result = following.result()
            values[seen] = np.array(known(following).value if result is None else result.scores)
        return values[seen]

    for match in islice(positions(players), 0, None, every):
        solution = known(match)
        for action in match.view(0).legal:
            after = outcomes(match.states, action)
            expected = sum(likely * value(match, states) for likely, states in after)
            assert solution.payoffs[action] == pytest.approx(expected, abs=1e-9)
        best = max(chances[0] for chances in solution.payoffs.values())
        assert is_forced(match) or solution.value[0] > best - 1e-9


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_legal_choice_is_known_and_play_is_one_of_them(players: int) -> None:
    for match in islice(positions(players), 0, None, 1 if players < 5 else 10):
        solution = known(match)
        legal = match.view(0).legal
        assert sorted(solution.payoffs) == list(legal)
        assert set(solution.policy) <= set(legal)
        assert sum(solution.policy.values()) == pytest.approx(1)
        assert min(solution.policy.values()) > 0
        assert all(sum(chances) == pytest.approx(1) for chances in solution.payoffs.values())


@pytest.mark.parametrize(("actor", "dead"), [(0, 4), (1, 0), (2, 1), (4, 2)])
def test_it_is_the_same_from_every_seat_and_with_anybody_dead(actor: int, dead: int) -> None:
    """Four of five seats, counted from the actor, are as four of four."""
    living = [seat for seat in ((actor + step) % 5 for step in range(5)) if seat != dead]
    there = {bytes_of(match, living): known(match) for match in positions(5, actor, dead)}
    for match in positions(4):
        here, other = known(match), there[bytes_of(match, [0, 1, 2, 3])]
        seats = {ATTACK + seat: ATTACK + living[seat] for seat in range(4)} | {
            ALLY + seat: ALLY + living[seat] for seat in range(4)
        }
        assert {seats[action]: often for action, often in here.policy.items()} == other.policy
        for action, chances in here.payoffs.items():
            assert [other.payoffs[seats[action]][seat] for seat in living] == list(chances)
            assert other.payoffs[seats[action]][dead] == 0


def bytes_of(match: Match, seats: list[int]) -> bytes:
    """What matters of a position, the players being counted in that order."""
    allied = match.states["allied"][0][np.ix_(seats, seats)]
    return bytes([int(match.states["power"][0])]) + bytes(allied.ravel().tolist())


def test_nothing_is_known_with_six_alive_or_one() -> None:
    match = AA.match(players=6, seed="x")
    assert solver(match.view(match.actor)) is None
    while match.actor is not None:
        match.play(max(action for action in match.view(match.actor).legal if action < ALLY))
    assert solver(match.view(0)) is None


def test_somebody_who_only_looks_is_told_the_same() -> None:
    match = AA.match(players=3, seed="x")
    assert solver(match.view()) == solver(match.view(match.actor))


def test_the_file_is_what_is_computed() -> None:
    computed = solve_all(4)
    for n in range(2, 5):
        assert computed[f"strategy{n}"] == pytest.approx(solved()[n].strategy, abs=1e-9)
        assert computed[f"values{n}"] == pytest.approx(solved()[n].standing.mean(axis=1), abs=1e-9)


def test_nobody_of_five_gains_in_any_position() -> None:
    melee = Melee(5, solved()[4].standing.mean(axis=1))
    values = melee.evaluate(solved()[5].strategy)
    assert melee.gains(solved()[5].strategy, values).max() < TOLERANCE
    assert values == pytest.approx(solved()[5].standing.mean(axis=1), abs=1e-9)


def test_in_a_duel_patience_is_limited() -> None:
    duel = next(match for match in positions(2) if is_forced(match))
    assert known(duel).policy == pytest.approx({ATTACK + 1: IMPATIENCE, ALLY + 1: 1 - IMPATIENCE})


def matches(names: Sequence[str], games: int, seed: str) -> Iterator[tuple[Match, int]]:
    """Matches of these bots, each sitting one seat further in every match, and which of them has won."""
    bots = [bot(AA, name, bytes([number]), alone=True) for number, name in enumerate(names)]
    for number in range(games):
        match = AA.match(players=len(bots), seed=f"{seed} {number}")
        first = number % len(bots)
        play_out(match, [*bots[first:], *bots[:first]])
        result = match.result()
        assert result is not None
        yield match, (result.winners[0] + first) % len(bots)


@pytest.mark.parametrize("names", ["king king", "king king king king", "king " * 5, "king karl thrall", "king karl karl thrall"])
def test_kings_finish_their_matches(names: str) -> None:
    lengths = [len(match.steps) for match, _ in matches(names.split(), 2 if INTERPRETED else 60, "finish")]
    assert max(lengths) < 200
    assert sum(lengths) / len(lengths) < 12 * len(names.split())


@pytest.mark.parametrize("power", [4, 5, 6])
def test_who_searches_strikes_in_a_duel_when_that_may_win_at_once(power: int) -> None:
    """To ally then hands the other the next power: with a six five of six strikes win the match (AA-3.2)."""
    for match in positions(2):
        if match.view(0).state.power == power and len(match.view(0).legal) > 1:
            chosen = bot(AA, f"search@{300 if INTERPRETED else 3000}", b"a seed of a search").choose(match.view(0))
            assert chosen == ATTACK + 1


def test_those_who_search_finish_a_duel_too() -> None:
    for seed in range(1 if INTERPRETED else 8):
        match = AA.match(players=2, seed=str(seed))
        two = [bot(AA, "search@100", bytes([seed, seat])) for seat in range(2)]
        while match.actor is not None:
            match.play(two[match.actor].choose(match.view(match.actor)))
        assert len(match.steps) < 200


def test_matches_of_kings_are_won_as_often_as_is_known() -> None:
    """By those who sit from the first to move clockwise."""
    games = 4 if INTERPRETED else 400
    won = np.zeros(4)
    for match, _ in matches(["king"] * 4, games, "seats"):
        first = next(event for event in match.setup if event.name == "first").arguments[0]
        won[(match.steps[-1].seat - first) % 4] += 1
    expected = solved()[4].standing[0].mean(axis=0)
    assert np.all(abs(won / games - expected) < SIGMAS * np.sqrt(expected * (1 - expected) / games))


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "others", "expected"), [(2, "karl", 0.579), (4, "karl", 0.310), (3, "thrall", 0.529)])
def test_a_king_beats_those_who_do_not_think(players: int, others: str, expected: float) -> None:
    games = 800
    won = sum(winner == 0 for _, winner in matches(["king", *[others] * (players - 1)], games, "king")) / games
    error = sqrt(expected * (1 - expected) / games)
    assert abs(won - expected) < SIGMAS * error
    assert won > 1 / players + 2 * error


def test_six_who_search_know_what_is_known_of_five() -> None:
    compared = 0
    for seed in range(10):
        match = AA.match(players=6, seed=str(seed))
        thrall = bot(AA, "thrall", bytes([seed]))
        while match.actor is not None:
            match.play(thrall.choose(match.view(match.actor)))
            if match.actor is not None:
                shares = np.full(6, -1.0)
                state = State.at(match.states)
                assert solved_value(state, shares) == (state.living <= MOST)
                if state.living <= MOST:
                    assert shares == pytest.approx(known(match).value, abs=1e-12)
                    compared += 1
    assert compared > 100


def test_where_all_could_be_known_search_is_on_its_own() -> None:
    assert not any(solved_value(State.at(match.states), np.zeros(6)) for match in islice(positions(5), 100))
