"""What a position of Viking Axes is worth to whom: for a search that doesn't play every thought to its end.

The shares are a softmax over a score for each player who is left. Its weights were fitted to who won matches among greedy
players, at 720,000 positions, by ``tools/fit_viking_axes.py``. With two left they say much; with more of them little, as
everybody throws at the strongest, and it counts most how many are left.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from meadhall.engine.rule import rule
from meadhall.games.viking_axes.heuristics import strength
from meadhall.games.viking_axes.state import ARMORY, AXE_KINDS, SHIELD, State

# By the number who are left, from 2: of the strength, its logarithm, how long until their turn, axes and shields in the hand.
WEIGHTS = np.array(
    [
        [0.429, 0.867, -1.260, 0.155, 0.131],
        [0.035, -0.210, 0.002, -0.031, -0.062],
        [0.084, -0.506, -0.045, -0.021, -0.021],
        [0.091, -0.568, -0.011, -0.044, -0.034],
        [0.101, -0.583, -0.017, -0.009, -0.072],
        [0.080, -0.481, -0.019, -0.026, -0.058],
    ]
)


@rule
def evaluate(state: State, out: Any) -> None:
    """Every seat's expected share while nobody has won."""
    total = 0.0
    before = 0
    for k in range(state.players):
        seat = (state.actor + k) % state.players
        out[seat] = 0.0
        if not state.out[seat]:
            out[seat] = exp(standing(state, seat, before / state.living))
            total += out[seat]
            before += 1
    for seat in range(state.players):
        out[seat] /= total


@rule
def standing(state: State, seat: int, wait: float) -> float:
    """A player's score; ``wait`` is the part of the players left who come before, from the actor on."""
    weights: Any = WEIGHTS[state.living - 2]
    left = max(strength(state, seat), 1)
    axes = 0
    shields = 0
    for kind in range(AXE_KINDS):
        axes += (kind + 1) * state.hand[seat, kind]
    for kind in range(SHIELD, ARMORY):
        shields += (kind - SHIELD + 1) * state.hand[seat, kind]
    score: float = weights[0] * left + weights[1] * log(left) + weights[2] * wait + weights[3] * axes + weights[4] * shields
    return score
