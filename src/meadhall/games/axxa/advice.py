"""AxxA: what a search is told of it. The heuristics finish the turn, then the position is judged, and nothing is played on.

The numbers are logistic regressions of how games between greedy players ended on what could be seen at the end of their turns:
together 500 where all directions touch and 5,600 where only sides do; against each other 800 where all touch, whose numbers
foretell as well where only sides do. ``tools/fit_axxa.py`` does the same with more.
"""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from meadhall.engine.advice import Advice
from meadhall.engine.events import NO_LOG_SHAPE
from meadhall.engine.rule import rule
from meadhall.games.axxa.heuristics import can_complete, greedy, trouble
from meadhall.games.axxa.rules import legal, play, score
from meadhall.games.axxa.state import (
    ACTIONS,
    HEIGHT,
    NUMBERS,
    STACKS,
    THREE,
    TOGETHER,
    UNKNOWN,
    Phase,
    State,
    side_of,
    triplets_of,
)

# The log odds of winning together, [orthogonal, current number]: at the best, lost to a thousand of trouble, with a triplet in
# reach.
BEST = np.array([[0.0, 1.96, 2.57, 3.30, 3.40, 4.69, 5.16], [0.0, 1.29, 1.99, 2.79, 2.98, 3.45, 4.16]])
TROUBLED = np.array([[0.0, 1.66, 1.58, 1.68, 2.00, 2.96, 4.69], [0.0, 2.29, 2.09, 2.18, 2.22, 2.66, 4.34]]) / 1000
IN_REACH = np.array([[0.0, 0.77, 0.98, 0.94, 1.55, 1.61, 4.64], [0.0, 0.54, 0.76, 0.71, 0.95, 1.00, 6.28]])

# Those of a side against the other: for each triplet that it is ahead, the nearer the end the more; and for one in its reach.
AHEAD = 1.08
NEAR_THE_END = 5.12
IN_REACH_OF_SIDE = 2.40


@rule
def solved_value(state: State, out: Any) -> bool:
    """Whether it can't be done any more, though the game goes on."""
    if state.mode != TOGETHER or not is_lost(state):
        return False
    for seat in range(state.players):
        out[seat] = 0.0
    return True


@rule
def is_lost(state: State) -> bool:
    """Whether a number still to be removed lies in fewer than three stacks: no piece ever changes its stack."""
    stacks = 0  # four bits a number: in how many it may lie
    for stack in range(STACKS):
        inside = 0
        for k in range(state.height[stack]):
            if state.piece[stack, k] == UNKNOWN:
                inside = _ANY
            else:
                inside |= 1 << 4 * state.piece[stack, k]
        stacks += inside
    for number in range(state.current, NUMBERS + 1):
        if stacks >> 4 * number & 15 < THREE:
            return True
    return False


_ANY = sum(1 << 4 * number for number in range(1, NUMBERS + 1))


@rule
def evaluate(state: State, out: Any) -> None:
    """AX-6.1, AX-7.2: what may come of it for everybody, once this turn is over."""
    found = np.zeros(ACTIONS, np.int64)
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    while state.actor >= 0 and state.phase != Phase.MOVE:
        play(state, greedy(state, found, legal(state, found), state.rng), log)
    if state.actor < 0:
        score(state, out)
        return
    for seat in range(state.players):
        if state.mode == TOGETHER:
            out[seat] = chance_together(state)
        else:
            out[seat] = chance_of_side(state, side_of(seat))


@rule
def chance_together(state: State) -> float:
    """The chance that all win."""
    touching, number = state.orthogonal, state.current
    reach = IN_REACH[touching, number] if can_complete(state) else 0.0
    return _chance(BEST[touching, number] - TROUBLED[touching, number] * trouble(state) + reach)


@rule
def chance_of_side(state: State, side: int) -> float:
    """The chance that a side wins; a draw is half a win."""
    ahead = triplets_of(state, side) - triplets_of(state, 1 - side)
    full = 0
    for stack in range(STACKS):
        full += state.height[stack] == HEIGHT
    log_odds = ahead * (AHEAD + NEAR_THE_END / (1 + full))
    if can_complete(state):
        log_odds += IN_REACH_OF_SIDE if side_of(state.actor) == side else -IN_REACH_OF_SIDE
    return _chance(log_odds)


@rule
def _chance(log_odds: float) -> float:
    return 1.0 / (1.0 + exp(-log_odds))


ADVICE = Advice(
    rollout=greedy,
    cutoff=0,
    evaluate=evaluate,
    solved_value=solved_value,
    guide=greedy,
    exploration=0.3,
    widening=(2.0, 0.4),
    minimum_advantage=0.0,
)
