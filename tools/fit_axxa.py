"""Fit the weights of ``meadhall/games/axxa/heuristics.py``, and print how well they predict the results of matches.

.venv/bin/python tools/fit_axxa.py [MATCHES]

In mode versus it also plays MATCHES matches between search bots (default 400, some minutes), to test whether more features than
those of the advice would predict their results better.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.progress import track

import meadhall
from meadhall.bots import bot
from meadhall.engine.compiled import module_of
from meadhall.engine.state.schema import state_at
from meadhall.games.axxa.heuristics import can_complete, chance_of_side, chance_together, difficulty, turns_away
from meadhall.games.axxa.state import HEIGHT, NUMBERS, STACKS, TRIPLET_SIZE, Phase, State, on_board, points_of, side_of

Floats = npt.NDArray[np.float64]

SOURCE = Path(__file__).with_name("positions.py")
SUBJECT = meadhall.game("axxa")
ORDERS = ("skip", "strict", "any")
POSITIONS = 300_000
ONE_IN = 1
SEED = 11
MATCHES = 400
SEARCHERS = "search@200"
RIDGE = 1e-5
STEPS = 30
PARTS = 5


def features_together(state: State) -> list[float]:
    """Return the features of ``chance_together``."""
    return [1.0, -difficulty(state) / 1000, float(can_complete(state))]


def features_of_side(state: State) -> list[float]:
    """Return the features of ``chance_of_side``, for the side to move."""
    side = side_of(state.actor)
    ahead = points_of(state, side) - points_of(state, 1 - side)
    return [ahead, ahead / (1 + full_stacks(state)), float(can_complete(state))]


def more_features(state: State) -> list[float]:
    """Return the features of the side to move and more: the distance of triplets, the pieces left, the length of the match."""
    ahead, _, reach = features_of_side(state)
    full = full_stacks(state)
    later = [number for number in range(state.current, NUMBERS + 1) if on_board(state, number) >= TRIPLET_SIZE]
    away = [turns_away(state, number) if number <= NUMBERS else 12 for number in (state.current, state.current + 1)]
    pieces = int(np.sum(state.height))
    return [
        *features_of_side(state),
        *away,
        *(float(turns == away[0]) for turns in range(4)),
        full,
        full % 2,
        len(later),
        pieces,
        pieces - int(np.sum(state.seen)),
        on_board(state, state.current) if state.current <= NUMBERS else 0,
        ahead * len(later),
        ahead * pieces,
        reach * len(later),
        reach * (away[1] <= 1),
    ]


def full_stacks(state: State) -> int:
    return sum(state.height[stack] == HEIGHT for stack in range(STACKS))


def among_greedy(players: int, **options: str) -> list[tuple[int, Any, float]]:
    """Play greedy matches; return (match number, state, payoff of the seat to move) for every start of a turn."""
    _, checked = SUBJECT.check_setup(players, options)
    kept, payoffs = SUBJECT.state.new(POSITIONS), np.zeros((POSITIONS, players))
    sample = module_of(SUBJECT, SOURCE).positions
    size = sample(SUBJECT.state.new(2), kept, payoffs, players, SUBJECT.encode_options(checked), SEED, ONE_IN)
    found, match = [], 0
    for k in range(size):
        match += k > 0 and np.sum(kept["height"][k]) > np.sum(kept["height"][k - 1])  # more pieces: a new match
        state = state_at(kept, k)
        if state.phase == Phase.MOVE:
            found.append((match, state, float(payoffs[k, state.actor])))
    return found


def among_searchers(matches: int, order: str) -> list[tuple[int, Any, float]]:
    """Return the same for matches between two search bots."""
    found = []
    for number in track(range(matches), f"matches among {SEARCHERS}"):
        match = SUBJECT.match(2, seed=f"fit {number}", mode="versus", order=order)
        players = [bot(match.game, SEARCHERS, f"fit {number} {seat}".encode().ljust(32)) for seat in range(2)]
        turns = []
        while not match.over:
            view = match.view(match.actor)
            if view.state.phase == Phase.MOVE:
                turns.append((match.actor, view.state))
            match.play(players[match.actor].choose(view))
        result = match.result()
        assert result is not None
        found += [(number, state, float(result.scores[seat])) for seat, state in turns]
    return found


def first_triplets(positions: list[tuple[int, Any, float]]) -> list[bool]:
    """For each turn in which a side took the lead, except last turns, tell whether the triplet was known to be possible."""
    return [
        can_complete(before)
        for (match, before, _), (next_match, after, _) in pairwise(positions)
        if match == next_match and features_of_side(before)[0] == 0 and features_of_side(after)[0] != 0
    ]


def fit(inputs: Floats, won: Floats) -> Floats:
    """Return the maximum-likelihood weights of a logistic regression, by Newton's method."""
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        p = probabilities(inputs, weights)
        gradient = inputs.T @ (p - won) / len(won) + RIDGE * weights
        curvature = (inputs.T * (p * (1 - p))) @ inputs / len(won) + RIDGE * np.eye(len(weights))
        weights = weights - np.linalg.solve(curvature, gradient)
    return weights


def probabilities(inputs: Floats, weights: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-(inputs @ weights))))


def loss(p: Floats, won: Floats) -> float:
    """Return the log loss in bits: 1 for a constant prediction of 1/2."""
    p = np.clip(p, 1e-6, 1 - 1e-6)
    return float(-np.mean(won * np.log2(p) + (1 - won) * np.log2(1 - p)))


def cross_validated_loss(positions: list[tuple[int, Any, float]], features: Callable[[State], list[float]]) -> float:
    """Return the loss with PARTS-fold cross-validation by matches."""
    matches = np.array([number for number, _, _ in positions])
    inputs, won = np.array([features(state) for _, state, _ in positions]), np.array([payoff for _, _, payoff in positions])
    inputs = inputs / np.maximum(inputs.std(axis=0), 1e-9)
    p = np.zeros(len(won))
    for part in range(PARTS):
        held_out = matches % PARTS == part
        p[held_out] = probabilities(inputs[held_out], fit(inputs[~held_out], won[~held_out]))
    return loss(p, won)


def report_together(touching: str) -> None:
    positions = among_greedy(1, mode="together", touching=touching)
    won = np.array([payoff for _, _, payoff in positions])
    predicted = np.array([chance_together(state) for _, state, _ in positions])
    baseline = loss(np.full(len(won), won.mean()), won)
    print(f"together, touching {touching}, {len(won):,} states: {loss(predicted, won):.4f} bits of {baseline:.4f}")
    for number in range(1, NUMBERS + 1):
        chosen = [(state, payoff) for _, state, payoff in positions if state.current == number]
        weights = fit(np.array([features_together(state) for state, _ in chosen]), np.array([payoff for _, payoff in chosen]))
        print(f"  {number}, {len(chosen):,} states: base, difficulty, in reach {np.round(weights, 2).tolist()}")


def report_versus(name: str, positions: list[tuple[int, Any, float]]) -> None:
    won = np.array([payoff for _, _, payoff in positions])
    predicted = np.array([chance_of_side(state, side_of(state.actor)) for _, state, _ in positions])
    inputs = np.array([features_of_side(state) for _, state, _ in positions])
    level, ahead = inputs[:, 0] == 0, inputs[:, 0] > 0
    print(f"versus, {len(won):,} states of {name}: {loss(predicted, won):.4f} bits of 1")
    drawn = {number: payoff == 0.5 for number, _, payoff in positions}
    print(f"  {np.mean(list(drawn.values())):.0%} of {len(drawn):,} matches drawn, {np.mean(level):.0%} of states level")
    taken = first_triplets(positions)
    print(f"  {len(taken):,} times a side took the lead; {np.mean(taken):.0%} of these triplets were known to be possible")
    print(f"  level: {won[level].mean():.3f} won, ahead: {won[ahead].mean():.3f} won")
    weights = np.round(fit(inputs, won), 2).tolist()
    print(f"  ahead, near the end, in reach {weights}: {cross_validated_loss(positions, features_of_side):.4f} bits")
    print(f"  with all features: {cross_validated_loss(positions, more_features):.4f} bits")


def main() -> None:
    for touching in ("all", "orthogonal"):
        report_together(touching)
        for order in ORDERS:
            name = f"greedy players, touching {touching}, order {order}"
            report_versus(name, among_greedy(2, mode="versus", touching=touching, order=order))
    for order in ORDERS:
        report_versus(f"{SEARCHERS}, order {order}", among_searchers(int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES, order))


if __name__ == "__main__":
    main()
