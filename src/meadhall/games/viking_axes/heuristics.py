"""Viking Axes: the heuristics of the bots.

A hit on one player helps all the others. So hits go to the strongest player, the one most likely to get ahead. Finishing off a
weak player only leaves the strong ones with fewer other targets.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from meadhall.games.viking_axes.state import AXE_KINDS, SEATS, Act, Card, State, axes_on, shields_on
from meadhall.sdk import Row, below, rule

# The worth of cards in hand, by kind. An armory costs nothing, because the card that it brings is played in the same turn. A
# shield is worth more than an axe, because it helps only its owner. A wench is worth less than any axe: players who
# keep their axes and play her instead would never finish once little else is left in the pile.
WORTH = (10, 20, 30, 14, 28, 42, 56, 100, 5)
EXTRA_TURN = 25  # a wench with two players left: one gains the turn that the other misses


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Choose an action of the highest worth; ties are broken at random."""
    best = -1
    chosen = legal[0]
    tied = 0
    for k in range(count):
        value = worth(state, legal[k])
        if value > best:
            best = value
            tied = 0
        if value == best:
            tied += 1
            if below(rng, tied) == 0:
                chosen = legal[k]
    return chosen


@rule
def worth(state: State, action: int) -> int:
    """Return the worth of an action. Axes and wenches go to the strongest; armories are used at once, to get a card now."""
    if action < Act.DRAW:
        return strength(state, action % SEATS)
    if Act.PLAY <= action < Act.DISCARD:
        return EXTRA_TURN if action == Act.PLAY + Card.WENCH and state.living == 2 else WORTH[action - Act.PLAY]
    return action in (Act.DRAW, Act.CASH_IN)


@rule
def strength(state: State, seat: int) -> int:
    """Return the number of axes it would take to put a player out."""
    return state.limit - state.hits[seat] + state.unused[seat]


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
