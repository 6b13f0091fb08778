"""Fit the numbers of ``meadhall/games/axxa/advice.py``, and say how much a position tells of how the match ends.

.venv/bin/python tools/fit_axxa.py [MATCHES]

Against each other also among searchers, in so many matches (400 if none is given, which takes some minutes): whether they could
know more of their chances than the advice tells them.
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
from meadhall.engine.schema import state_at
from meadhall.games.axxa.advice import chance_of_side, chance_together
from meadhall.games.axxa.heuristics import can_complete, trouble, turns_away
from meadhall.games.axxa.state import HEIGHT, NUMBERS, STACKS, THREE, Phase, State, on_board, side_of, triplets_of

Floats = npt.NDArray[np.float64]

SOURCE = Path(__file__).with_name("positions.py")
SUBJECT = meadhall.game("axxa")
POSITIONS = 300_000
ONE_IN = 1
SEED = 11
MATCHES = 400
SEARCHERS = "search@200"
RIDGE = 1e-5
STEPS = 30
PARTS = 5


def figures_together(state: State) -> list[float]:
    """What ``chance_together`` weighs."""
    return [1.0, -trouble(state) / 1000, float(can_complete(state))]


def figures_of_side(state: State) -> list[float]:
    """What ``chance_of_side`` weighs, for the side to move."""
    side = side_of(state.actor)
    ahead = triplets_of(state, side) - triplets_of(state, 1 - side)
    return [ahead, ahead / (1 + full_stacks(state)), float(can_complete(state))]


def more_figures(state: State) -> list[float]:
    """What else might tell who wins: how far triplets are, what pieces there are, how long the match will last."""
    ahead, _, reach = figures_of_side(state)
    full, later = full_stacks(state), [number for number in range(state.current, NUMBERS + 1) if on_board(state, number) >= THREE]
    away = [turns_away(state, number) if number <= NUMBERS else 12 for number in (state.current, state.current + 1)]
    pieces = int(np.sum(state.height))
    return [
        *figures_of_side(state),
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
    """Positions at the beginning of a turn: the match's number, the table, and what the actor got."""
    _, checked = SUBJECT.check_setup(players, options)
    kept, payoffs = SUBJECT.state.new(POSITIONS), np.zeros((POSITIONS, players))
    sample = module_of(SUBJECT, SOURCE).positions
    size = sample(SUBJECT.state.new(2), kept, payoffs, players, SUBJECT.encode_options(checked), SEED, ONE_IN)
    found, match = [], 0
    for k in range(size):
        match += k > 0 and np.sum(kept["height"][k]) > np.sum(kept["height"][k - 1])  # the next one begins with all its pieces
        state = state_at(kept, k)
        if state.phase == Phase.MOVE:
            found.append((match, state, float(payoffs[k, state.actor])))
    return found


def among_searchers(matches: int) -> list[tuple[int, Any, float]]:
    """The same of matches between two sides that search."""
    found = []
    for number in track(range(matches), f"matches among {SEARCHERS}"):
        match = SUBJECT.match(2, seed=f"fit {number}", mode="versus")
        players = [bot(match.game, SEARCHERS, f"fit {number} {seat}".encode().ljust(32)) for seat in range(2)]
        seen = []
        while not match.over:
            view = match.view(match.actor)
            if view.state.phase == Phase.MOVE:
                seen.append((match.actor, view.state))
            match.play(players[match.actor].choose(view))
        result = match.result()
        assert result is not None
        found += [(number, state, float(result.scores[seat])) for seat, state in seen]
    return found


def first_triplets(positions: list[tuple[int, Any, float]]) -> list[bool]:
    """Of the turns with which a side went ahead, and which were not the last: whether it was known before that they could."""
    return [
        can_complete(before)
        for (match, before, _), (next_match, after, _) in pairwise(positions)
        if match == next_match and figures_of_side(before)[0] == 0 and figures_of_side(after)[0] != 0
    ]


def fit(seen: Floats, won: Floats) -> Floats:
    """The weights of highest likelihood, by Newton's method."""
    weights = np.zeros(seen.shape[1])
    for _ in range(STEPS):
        p = chances(seen, weights)
        gradient = seen.T @ (p - won) / len(won) + RIDGE * weights
        curvature = (seen.T * (p * (1 - p))) @ seen / len(won) + RIDGE * np.eye(len(weights))
        weights = weights - np.linalg.solve(curvature, gradient)
    return weights


def chances(seen: Floats, weights: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-(seen @ weights))))


def loss(p: Floats, won: Floats) -> float:
    """Log loss, in bits: 1 for who knows nothing."""
    p = np.clip(p, 1e-6, 1 - 1e-6)
    return float(-np.mean(won * np.log2(p) + (1 - won) * np.log2(1 - p)))


def kept_back(positions: list[tuple[int, Any, float]], figures: Callable[[State], list[float]]) -> float:
    """The loss where each fifth of the matches is foretold by a fit of the others."""
    matches = np.array([number for number, _, _ in positions])
    seen, won = np.array([figures(state) for _, state, _ in positions]), np.array([payoff for _, _, payoff in positions])
    seen = seen / np.maximum(seen.std(axis=0), 1e-9)
    p = np.zeros(len(won))
    for part in range(PARTS):
        own = matches % PARTS == part
        p[own] = chances(seen[own], fit(seen[~own], won[~own]))
    return loss(p, won)


def tell_together(touching: str) -> None:
    positions = among_greedy(1, mode="together", touching=touching)
    won = np.array([payoff for _, _, payoff in positions])
    told = np.array([chance_together(state) for _, state, _ in positions])
    blind = loss(np.full(len(won), won.mean()), won)
    print(f"together, touching {touching}, {len(won):,} positions of greedy players: {loss(told, won):.4f} bits of {blind:.4f}")
    for number in range(1, NUMBERS + 1):
        chosen = [(state, payoff) for _, state, payoff in positions if state.current == number]
        weights = fit(np.array([figures_together(state) for state, _ in chosen]), np.array([payoff for _, payoff in chosen]))
        print(f"  {number}, {len(chosen):,} positions: best, trouble, in reach {np.round(weights, 2).tolist()}")


def tell_versus(name: str, positions: list[tuple[int, Any, float]]) -> None:
    won = np.array([payoff for _, _, payoff in positions])
    told = np.array([chance_of_side(state, side_of(state.actor)) for _, state, _ in positions])
    seen = np.array([figures_of_side(state) for _, state, _ in positions])
    level, ahead = seen[:, 0] == 0, seen[:, 0] > 0
    print(f"against each other, {len(won):,} positions of {name}: {loss(told, won):.4f} bits of 1")
    drawn = {number: payoff == 0.5 for number, _, payoff in positions}
    print(f"  {np.mean(list(drawn.values())):.0%} of {len(drawn):,} matches drawn, {np.mean(level):.0%} of positions level")
    taken = first_triplets(positions)
    print(f"  {len(taken):,} times a side went ahead; {np.mean(taken):.0%} of these triplets were known to be possible")
    print(f"  level: {won[level].mean():.3f} won, ahead: {won[ahead].mean():.3f} won")
    weights = np.round(fit(seen, won), 2).tolist()
    print(f"  ahead, near the end, in reach {weights}: {kept_back(positions, figures_of_side):.4f} bits")
    print(f"  with all figures: {kept_back(positions, more_figures):.4f} bits")


def main() -> None:
    for touching in ("all", "orthogonal"):
        tell_together(touching)
        tell_versus(f"greedy players, touching {touching}", among_greedy(2, mode="versus", touching=touching))
    tell_versus(SEARCHERS, among_searchers(int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES))


if __name__ == "__main__":
    main()
