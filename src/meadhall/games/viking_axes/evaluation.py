"""Viking Axes: an evaluation of positions, so that a search needn't play every rollout to the end.

The payoffs are a softmax over a score for each player left. Its weights were fitted to the winners of matches between greedy
players, at 720,000 positions, by ``tools/fit_viking_axes.py``. With two players left the evaluation is informative. With more
it says little, because everyone throws at the strongest player; then the number of players left matters most.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from meadhall.games.viking_axes.heuristics import strength
from meadhall.games.viking_axes.state import AXE_KINDS, Card, State, axes_on, shields_on
from meadhall.sdk import rule

# A row for each number of players left, from 2. The columns weigh a player's strength, its logarithm, the wait for the player's
# turn, axes in hand and shields in hand.
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
FEWEST_LEFT = 2


@rule
def evaluate(state: State, out: Any) -> None:
    """Write every seat's expected payoff in a match that is not over to ``out``."""
    total = 0.0
    before = 0
    for k in range(state.players):
        seat = (state.actor + k) % state.players
        out[seat] = 0.0
        if not state.out[seat]:
            out[seat] = exp(score_of(state, seat, before / state.living))
            total += out[seat]
            before += 1
    for seat in range(state.players):
        out[seat] /= total


@rule
def score_of(state: State, seat: int, wait: float) -> float:
    """Return a player's score. ``wait``: the fraction of the players left that move before this one."""
    weights: Any = WEIGHTS[state.living - FEWEST_LEFT]
    left = max(strength(state, seat), 1)
    axes = 0
    shields = 0
    for kind in range(AXE_KINDS):
        axes += axes_on(kind) * state.hand[seat, kind]
    for kind in range(Card.ONE_SHIELD, Card.ARMORY):
        shields += shields_on(kind) * state.hand[seat, kind]
    score: float = weights[0] * left + weights[1] * log(left) + weights[2] * wait + weights[3] * axes + weights[4] * shields
    return score
