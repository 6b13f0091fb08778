"""The simulator against probabilities from Markov chains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest

from bulk_games import tournament
from meadhall import game
from meadhall.engine.compute.batch import Batch
from meadhall.engine.loops import RANDOM
from meadhall.games.axes_and_allies.rules import ATTACK
from sizes import sized

GAMES = sized(20_000, 200_000)
POSITIONS = sized(200, 50_000)
SIGMAS = 4.5

Position = tuple[frozenset[int], frozenset[frozenset[int]], int]
"""The living seats, the alliances, and the seat that begins its turn (before the power roll)."""

End = int
"""The winner's seat."""


def random_turn(position: Position) -> Iterator[tuple[Fraction, Position | End, int]]:
    """Yield the outcomes of a turn under uniformly random play: probability, the next position or end, number of decisions."""
    living, alliances, seat = position
    for power in range(1, 7):
        remaining = frozenset() if power == 1 else alliances
        choices = [other for other in sorted(living) if other != seat and frozenset({seat, other}) not in remaining]
        chance = Fraction(1, 6)
        if not choices:
            yield chance, (living, remaining, clockwise(living, seat)), 0
            continue
        each = chance / (2 * len(choices))
        kills = Fraction(power - 1, 6)
        for other in choices:
            yield each, (living, remaining | {frozenset({seat, other})}, clockwise(living, seat)), 1
            yield each * (1 - kills), (living, remaining, clockwise(living, seat)), 1
            left = living - {other}
            kept = frozenset(pair for pair in remaining if other not in pair)
            yield each * kills, seat if len(left) == 1 else (left, kept, clockwise(left, seat)), 1


def clockwise(living: frozenset[int], seat: int) -> int:
    return min((other for other in living), key=lambda other: (other - seat - 1) % 6)


def solve(
    start: Position, turn: Callable[[Position], Iterator[tuple[Fraction, Position | End, int]]], players: int
) -> list[float]:
    """Solve an absorbing Markov chain: each seat's probability to win from ``start``, and the expected number of decisions."""
    numbers = {start: 0}
    pending = [start]
    moves = []
    while pending:
        position = pending.pop()
        for chance, after, decisions in turn(position):
            if isinstance(after, tuple) and after not in numbers:
                numbers[after] = len(numbers)
                pending.append(after)
            moves.append((numbers[position], chance, after, decisions))
    inner = np.eye(len(numbers))
    outer = np.zeros((len(numbers), players + 1))
    for row, chance, after, decisions in moves:
        outer[row, players] += float(chance) * decisions
        if isinstance(after, tuple):
            inner[row, numbers[after]] -= float(chance)
        else:
            outer[row, after] += float(chance)
    found: list[float] = np.linalg.solve(inner, outer)[0].tolist()
    return found


def start(players: int, first: int) -> Position:
    return frozenset(range(players)), frozenset(), first


@pytest.mark.parametrize("players", [2, 3])
def test_the_probabilities_of_outcomes_sum_to_one(players: int) -> None:
    for position in (start(players, 0), (frozenset(range(players)), frozenset({frozenset({0, 1})}), 1)):
        assert sum(chance for chance, _, _ in random_turn(position)) == 1
    assert sum(solve(start(players, 0), random_turn, players)[:players]) == pytest.approx(1)


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3])
def test_random_play_wins_and_lasts_as_the_markov_chain_says(players: int) -> None:
    """Each seat is equally likely to go first, so each wins equally often."""
    won, lengths = tournament(game("axes-and-allies"), [RANDOM] * players, GAMES, seed="chain")
    exact = [solve(start(players, first), random_turn, players) for first in range(players)]
    payoffs = np.mean([row[:players] for row in exact], axis=0)
    length = float(np.mean([row[players] for row in exact]))

    assert payoffs == pytest.approx(np.full(players, 1 / players))
    for seat in range(players):
        near(float(won[:, seat].mean()), float(payoffs[seat]), GAMES)
    assert abs(lengths.mean() - length) < SIGMAS * length * 1.2 / GAMES**0.5


@pytest.mark.parametrize("players", [2, 3])
def test_from_a_given_first_player_random_play_wins_as_the_markov_chain_says(players: int) -> None:
    count = POSITIONS
    batch = Batch("axes-and-allies", players, count, seed="first")
    first = batch.actors()
    power_one = batch.states["power"] == 1
    payoffs, lengths = finish_at_random(batch, np.random.default_rng(1))
    for seat in range(players):
        began = (first == seat) & ~power_one
        exact = conditional(start(players, seat), players)
        for winner in range(players):
            near(float(payoffs[began, winner].mean()), exact[winner], int(began.sum()))
        assert lengths[began].mean() == pytest.approx(exact[players], rel=SIGMAS * 1.2 / began.sum() ** 0.5)


def conditional(position: Position, players: int) -> list[float]:
    """Return the result of ``solve``, given that the first power rolled is not a one."""
    found = np.zeros(players + 1)
    total = 0.0
    for index, (chance, after, decisions) in enumerate(random_turn(position)):
        if index < 3 * (players - 1):  # the outcomes of a one come first
            continue
        total += float(chance)
        found[players] += float(chance) * decisions
        if isinstance(after, tuple):
            found += float(chance) * np.array(solve(after, random_turn, players))
        else:
            found[after] += float(chance)
    return [float(value) / total for value in found]


def finish_at_random(batch: Batch, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Play all matches of the batch to their ends with random actions."""
    lengths = np.zeros(len(batch.states), np.int64)
    while (batch.actors() >= 0).any():
        masks = batch.legal_masks()
        chosen = np.where(masks, draw.random(masks.shape), -1).argmax(axis=1)
        lengths += batch.step(chosen) == 0
    return batch.scores(), lengths


def test_of_two_who_always_attack_the_first_wins_12_of_19() -> None:
    count = POSITIONS
    batch = Batch("axes-and-allies", 2, count, seed="12/19")
    first = batch.actors()
    while (batch.actors() >= 0).any():
        batch.step(ATTACK + 1 - np.maximum(batch.actors(), 0))
    near(float((batch.scores()[np.arange(count), first]).mean()), 12 / 19, count)


def test_12_of_19_after_from_the_odds_of_one_attack() -> None:
    kills = Fraction(sum(power - 1 for power in range(1, 7)), 36)
    assert kills == Fraction(5, 12)
    assert kills / (1 - (1 - kills) ** 2) == Fraction(12, 19)


def near(found: float, exact: float, games: int) -> None:
    assert abs(found - exact) < SIGMAS * (exact * (1 - exact) / games) ** 0.5, (found, exact)


def test_six_can_play() -> None:
    assert game("axes-and-allies").max_players == 6
