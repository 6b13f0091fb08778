"""Fit the weights of ``meadhall/games/viking_axes/heuristics.py``, and print how well they predict the winners of matches.

.venv/bin/python tools/fit_viking_axes.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import meadhall
from meadhall.engine.compiled import module_of
from meadhall.games.viking_axes.state import AXE_KINDS, SHIELD_KINDS, Card

Floats = npt.NDArray[np.float64]

SOURCE = Path(__file__).with_name("positions.py")
SUBJECT = meadhall.game("viking-axes")
POSITIONS = 60_000
ONE_IN = 5
SEED = 11
RIDGE = 1e-4
STEPS = 20


def positions(variant: str, players: int) -> tuple[Any, Floats]:
    """Return states of matches between greedy players, and every seat's payoff at the end of its match."""
    _, options = SUBJECT.check_setup(players, {"variant": variant})
    kept, payoffs = SUBJECT.state.new(POSITIONS), np.zeros((POSITIONS, players))
    sample = module_of(SUBJECT, SOURCE).positions
    size = sample(SUBJECT.state.new(2), kept, payoffs, players, SUBJECT.encode_options(options), SEED, ONE_IN)
    return kept[:size], payoffs[:size]


def features(states: Any, players: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the features of ``evaluation.score_of``, of shape (positions, players, 5), and a mask of the players left."""
    left = states["out"][:, :players] == 0
    strength = np.where(left, states["limit"][:, None] - states["hits"][:, :players] + states["unused"][:, :players], 0.0)
    turn = (np.arange(players) - states["actor"][:, None]) % players
    before = ((turn[:, None, :] < turn[:, :, None]) & left[:, None, :]).sum(axis=2)
    hand = states["hand"][:, :players].astype(np.float64)
    axes = hand[:, :, :AXE_KINDS] @ np.arange(1, AXE_KINDS + 1)
    shields = hand[:, :, Card.ONE_SHIELD : Card.ARMORY] @ np.arange(1, SHIELD_KINDS + 1)
    wait = before / left.sum(axis=1)[:, None]
    return np.stack([strength, np.log(np.maximum(strength, 1)), wait, axes, shields], axis=2), left


def chances(seen: Floats, weights: Floats) -> Floats:
    """Return the softmax of the scores over the players left."""
    score = seen @ weights
    score = np.exp(score - score.max(axis=1, keepdims=True))
    return score / score.sum(axis=1, keepdims=True)


def fit(seen: Floats, won: Floats) -> Floats:
    """Return the maximum-likelihood weights, by Newton's method."""
    weights = np.zeros(seen.shape[2])
    for _ in range(STEPS):
        p = chances(seen, weights)
        mean = np.einsum("np,npf->nf", p, seen)
        gradient = np.einsum("np,npf->f", p - won, seen) / len(won) + 2 * RIDGE * weights
        curvature = np.einsum("np,npf,npg->fg", p, seen, seen) / len(won) - mean.T @ mean / len(won)
        weights = weights - np.linalg.solve(curvature + 2 * RIDGE * np.eye(len(weights)), gradient)
    return weights


def main() -> None:
    most = SUBJECT.max_players
    pools: dict[int, list[tuple[Floats, Floats]]] = {left: [] for left in range(2, most + 1)}
    for variant in ("standard", "strategic"):
        for players in range(2, most + 1):
            states, payoffs = positions(variant, players)
            seen, left = features(states, players)
            for count in range(2, players + 1):
                which = np.flatnonzero(left.sum(axis=1) == count)
                seats = np.argsort(~left[which], axis=1, kind="stable")[:, :count]
                pools[count].append(
                    (
                        np.take_along_axis(seen[which], seats[:, :, None], axis=1),
                        np.take_along_axis(payoffs[which], seats, axis=1),
                    )
                )
    for count, pool in pools.items():
        seen, won = (np.concatenate(part) for part in zip(*pool, strict=True))
        weights = fit(seen, won)
        p = chances(seen, weights)
        brier = ((p - won) ** 2).sum(axis=1).mean()
        print(f"{count} left, {len(won):,} positions: {np.round(weights, 3).tolist()}, Brier {brier:.4f} of {1 - 1 / count:.4f}")


if __name__ == "__main__":
    main()
