"""Exact play against the real rules: all dice after every choice, whole matches, and its strength against other bots."""

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
from meadhall.engine.compiled import loops
from meadhall.engine.search_settings import Solution
from meadhall.engine.state.chance import die, key_from_counter
from meadhall.engine.state.events import NO_LOG_SHAPE
from meadhall.engine.state.schema import States
from meadhall.games.axes_and_allies.exact import IMPATIENCE, MAX_SOLVED, TOLERANCE, MarkovGame, solve_all, solved, solver
from meadhall.games.axes_and_allies.heuristics import solved_value
from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, SIDES, State
from meadhall.lab.entrants import play_out
from sizes import sized

AA = game("axes-and-allies")
DICE = 5
"""The largest number of dice after a choice with five players, before the position repeats."""
SIGMAS = 4.5


def positions(players: int, actor: int = 0, dead: int = -1) -> Iterator[Match]:
    """Yield every decision of ``actor``: all alliances among the living with all powers (AA-2.2, AA-4.1)."""
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
    """Return, for every sequence of dice, the state of a random generator that rolls it."""
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
    """Return the states that can follow a choice by the rules, with their probabilities.

    If all living players are allied, dice are rolled until one shows a one. After a round without a one, the position repeats.
    """
    rolled = 1 if action < ALLY else 0

    def after(dice: tuple[int, ...]) -> list[tuple[float, States]]:
        states = before.copy()
        states["rng"][0] = generators()[dice]
        loops(AA).play_one(states, action, np.zeros(NO_LOG_SHAPE, np.int32))
        if states["reveals"][0] - before["reveals"][0] == len(dice):
            return [(float(SIDES) ** -len(dice), states)]
        if len(dice) == rolled + states["living"][0]:
            return []
        return [outcome for value in range(1, 1 + SIDES) for outcome in after((*dice, value))]

    firsts = [after((value,)) for value in range(1, 1 + SIDES)]
    parts = firsts if rolled else [[outcome for first in firsts for outcome in first]]
    whole = [sum(likely for likely, _ in part) * len(parts) for part in parts]
    return [(likely / total, states) for part, total in zip(parts, whole, strict=True) for likely, states in part]


def solution_of(match: Match) -> Solution:
    solution = solver(match.view(match.actor))
    assert solution is not None
    return solution


EVERY = [(2, 1), (3, sized(5, 1)), (4, sized(50, 1)), (5, sized(2500, 40))]
"""Players, and n where every n-th position is checked."""


def is_forced(match: Match) -> bool:
    """Return whether limited patience fixes the decision: a one in a duel."""
    state = State.at(match.states)
    return state.living == 2 and state.power == 1


@pytest.mark.parametrize(("players", "every"), EVERY)
def test_chances_agree_with_the_rules_and_no_other_choice_gains(players: int, every: int) -> None:
    """A choice has the mean chances of its outcomes. Matches end, so only the true chances satisfy this everywhere."""
    values: dict[bytes, npt.NDArray[np.float64]] = {}

    def value(match: Match, states: States) -> npt.NDArray[np.float64]:
        states["rng"], states["reveals"] = 0, 0
        seen = states.tobytes()
        if seen not in values:
            following = match.supposing(states)
            result = following.result()
            values[seen] = np.array(solution_of(following).value if result is None else result.scores)
        return values[seen]

    for match in islice(positions(players), 0, None, every):
        solution = solution_of(match)
        for action in match.view(0).legal:
            after = outcomes(match.states, action)
            expected = sum(likely * value(match, states) for likely, states in after)
            assert solution.payoffs[action] == pytest.approx(expected, abs=1e-9)
        best = max(chances[0] for chances in solution.payoffs.values())
        assert is_forced(match) or solution.value[0] > best - 1e-9


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_legal_choice_has_payoffs_and_the_policy_is_legal(players: int) -> None:
    for match in islice(positions(players), 0, None, {4: sized(5, 1), 5: sized(100, 10)}.get(players, 1)):
        solution = solution_of(match)
        legal = match.view(0).legal
        assert sorted(solution.payoffs) == list(legal)
        assert set(solution.policy) <= set(legal)
        assert sum(solution.policy.values()) == pytest.approx(1)
        assert min(solution.policy.values()) > 0
        assert all(sum(chances) == pytest.approx(1) for chances in solution.payoffs.values())


@pytest.mark.parametrize(("actor", "dead"), [(0, 4), (1, 0), (2, 1), (4, 2)])
def test_solutions_do_not_depend_on_seat_numbers_or_dead_players(actor: int, dead: int) -> None:
    """Four living players of five, counted from the actor, have the same solution as four of four."""
    living = [seat for seat in ((actor + step) % 5 for step in range(5)) if seat != dead]
    others = {bytes_of(match, living): solution_of(match) for match in positions(5, actor, dead)}
    for match in positions(4):
        here, other = solution_of(match), others[bytes_of(match, [0, 1, 2, 3])]
        seats = {ATTACK + seat: ATTACK + living[seat] for seat in range(4)} | {
            ALLY + seat: ALLY + living[seat] for seat in range(4)
        }
        assert {seats[action]: probability for action, probability in here.policy.items()} == other.policy
        for action, chances in here.payoffs.items():
            assert [other.payoffs[seats[action]][seat] for seat in living] == list(chances)
            assert other.payoffs[seats[action]][dead] == 0


def bytes_of(match: Match, seats: list[int]) -> bytes:
    """Return the relevant part of a position, with the players counted in that order."""
    allied = match.states["allied"][0][np.ix_(seats, seats)]
    return bytes([int(match.states["power"][0])]) + bytes(allied.ravel().tolist())


def test_there_is_no_solution_with_six_players_left_or_one() -> None:
    match = AA.match(players=6, seed="x")
    assert solver(match.view(match.actor)) is None
    while match.actor is not None:
        match.play(max(action for action in match.view(match.actor).legal if action < ALLY))
    assert solver(match.view(0)) is None


def test_a_spectator_gets_the_same_solution() -> None:
    match = AA.match(players=3, seed="x")
    assert solver(match.view()) == solver(match.view(match.actor))


@pytest.mark.compiled
def test_the_file_has_the_computed_values() -> None:
    computed = solve_all(4)
    for n in range(2, 5):
        assert computed[f"strategy{n}"] == pytest.approx(solved()[n].strategy, abs=1e-9)
        assert computed[f"values{n}"] == pytest.approx(solved()[n].state_values.mean(axis=1), abs=1e-9)


def test_no_choice_of_five_players_gains() -> None:
    markov_game = MarkovGame(5, solved()[4].state_values.mean(axis=1))
    values = markov_game.evaluate(solved()[5].strategy)
    assert markov_game.gains(solved()[5].strategy, values).max() < TOLERANCE
    assert values == pytest.approx(solved()[5].state_values.mean(axis=1), abs=1e-9)


def test_in_a_duel_patience_is_limited() -> None:
    duel = next(match for match in positions(2) if is_forced(match))
    assert solution_of(duel).policy == pytest.approx({ATTACK + 1: IMPATIENCE, ALLY + 1: 1 - IMPATIENCE})


def matches(names: Sequence[str], games: int, seed: str) -> Iterator[tuple[Match, int]]:
    """Yield matches of these bots and the winning bot. Each bot moves on by one seat in every match."""
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
    lengths = [len(match.steps) for match, _ in matches(names.split(), sized(2, 60), "finish")]
    assert max(lengths) < 200
    assert sum(lengths) / len(lengths) < 12 * len(names.split())


@pytest.mark.compiled
@pytest.mark.parametrize("power", [4, 5, 6])
def test_a_search_attacks_in_a_duel_with_good_odds(power: int) -> None:
    """An alliance would give the next power to the opponent. With a six, five of six attacks win the match (AA-3.2)."""
    for match in positions(2):
        if match.view(0).state.power == power and len(match.view(0).legal) > 1:
            chosen = bot(AA, f"search@{sized(600, 3000)}", b"a seed of a search").choose(match.view(0))
            assert chosen == ATTACK + 1


def test_searching_bots_finish_a_duel() -> None:
    for seed in range(sized(1, 8)):
        match = AA.match(players=2, seed=str(seed))
        two = [bot(AA, "search@100", bytes([seed, seat])) for seat in range(2)]
        while match.actor is not None:
            match.play(two[match.actor].choose(match.view(match.actor)))
        assert len(match.steps) < 200


def test_kings_win_from_each_seat_as_often_as_computed() -> None:
    """Seats are counted clockwise from the first to move."""
    games = sized(40, 400)
    won = np.zeros(4)
    for match, _ in matches(["king"] * 4, games, "seats"):
        first = next(event for event in match.setup if event.name == "first").arguments[0]
        won[(match.steps[-1].seat - first) % 4] += 1
    expected = solved()[4].state_values[0].mean(axis=0)
    assert np.all(abs(won / games - expected) < SIGMAS * np.sqrt(expected * (1 - expected) / games))


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "others", "expected"), [(2, "karl", 0.579), (4, "karl", 0.310), (3, "thrall", 0.529)])
def test_a_king_beats_bots_without_a_search(players: int, others: str, expected: float) -> None:
    games = sized(200, 800)
    won = sum(winner == 0 for _, winner in matches(["king", *[others] * (players - 1)], games, "king")) / games
    error = sqrt(expected * (1 - expected) / games)
    assert abs(won - expected) < SIGMAS * error
    assert won > 1 / players + sized(0, 2) * error


def test_a_search_with_six_players_uses_the_solution_for_five() -> None:
    compared = 0
    for seed in range(sized(4, 10)):
        match = AA.match(players=6, seed=str(seed))
        thrall = bot(AA, "thrall", bytes([seed]))
        while match.actor is not None:
            match.play(thrall.choose(match.view(match.actor)))
            if match.actor is not None:
                payoffs = np.full(6, -1.0)
                state = State.at(match.states)
                assert solved_value(state, payoffs) == (state.living <= MAX_SOLVED)
                if state.living <= MAX_SOLVED:
                    assert payoffs == pytest.approx(solution_of(match).value, abs=1e-12)
                    compared += 1
    assert compared > 40


def test_a_search_with_five_players_does_not_use_the_solution() -> None:
    assert not any(solved_value(State.at(match.states), np.zeros(6)) for match in islice(positions(5), 100))
