"""Advice for the tree search: the quick policy, the evaluation of states, and states that are certainly lost.

The search plays the heuristics to the end of the turn and then evaluates the state (cutoff 0).

The weights are logistic regressions on the outcomes of games between greedy players, fitted to states at the ends of turns: in
mode together, 500 games where all directions touch and 5,600 where only sides touch; in mode versus, 800 games with order "skip"
and 700 with "any" where all directions touch. They predict the games where only sides touch equally well, and the weights of
"skip" predict the games with "strict" as well as weights of their own. ``tools/fit_axxa.py`` fits them to more games.
"""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from meadhall.games.axxa.heuristics import can_complete, difficulty, greedy, is_decided, lead_of
from meadhall.games.axxa.rules import legal, play, score
from meadhall.games.axxa.state import (
    ACTIONS,
    HEIGHT,
    NO_SIDE,
    NUMBERS,
    STACKS,
    TRIPLET_SIZE,
    UNKNOWN,
    Mode,
    Phase,
    State,
    leading_side,
    side_of,
)
from meadhall.sdk import NO_LOG_SHAPE, Advice, rule

# Mode together: log odds of a win by [orthogonal, current number].
BASE = np.array([[0.0, 1.96, 2.57, 3.30, 3.40, 4.69, 5.16], [0.0, 1.29, 1.99, 2.79, 2.98, 3.45, 4.16]])
PER_DIFFICULTY = np.array([[0.0, 1.66, 1.58, 1.68, 2.00, 2.96, 4.69], [0.0, 2.29, 2.09, 2.18, 2.22, 2.66, 4.34]]) / 1000
IN_REACH = np.array([[0.0, 0.77, 0.98, 0.94, 1.55, 1.61, 4.64], [0.0, 0.54, 0.76, 0.71, 0.95, 1.00, 6.28]])

# Mode versus, by [order]: log odds of a win for each triplet that a side is ahead, which counts more near the end, and for a
# triplet that the side can complete in its next turn.
AHEAD = np.array([1.08, 1.08, 0.61])
NEAR_THE_END = np.array([5.12, 5.12, 6.44])
MEAN_NUMBER = 3.5  # AX-8.3: points of a triplet
LAST_TRIPLET = 0.5  # AX-8.3: its worth while both sides have the same points, in triplets
IN_REACH_OF_SIDE = np.array([2.40, 2.40, 0.98])

# Sets of stacks per number are counted in fields of four bits, one for each number.
_FIELD = 4
_ALL_NUMBERS = sum(1 << _FIELD * number for number in range(1, NUMBERS + 1))


@rule
def solved_value(state: State, out: Any) -> bool:
    """AX-6.1: In mode together, a state is certainly lost when a triplet has become impossible, although play goes on.

    AX-7.2: In mode versus, the result is certain when too few triplets are left to change it.
    """
    if state.mode == Mode.VERSUS:
        if not is_decided(state):
            return False
        score(state, out)
        return True
    if not is_lost(state):
        return False
    for seat in range(state.players):
        out[seat] = 0.0
    return True


@rule
def is_lost(state: State) -> bool:
    """Tell whether some remaining number is in fewer than three stacks.

    A triplet takes three stacks, and no piece ever changes its stack. An unknown piece may have any number.
    """
    stacks = 0  # for each number, how many stacks may contain it
    for stack in range(STACKS):
        inside = 0
        for k in range(state.height[stack]):
            if state.piece[stack, k] == UNKNOWN:
                inside = _ALL_NUMBERS
            else:
                inside |= 1 << _FIELD * state.piece[stack, k]
        stacks += inside
    for number in range(state.current, NUMBERS + 1):
        if stacks >> _FIELD * number & (1 << _FIELD) - 1 < TRIPLET_SIZE:
            return True
    return False


@rule
def evaluate(state: State, out: Any) -> None:
    """AX-6.1, AX-7.2: Finish the turn greedily, then write every seat's expected payoff to ``out``."""
    found = np.zeros(ACTIONS, np.int64)
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    while state.actor >= 0 and state.phase != Phase.MOVE:
        play(state, greedy(state, found, legal(state, found), state.rng), log)
    if state.actor < 0:
        score(state, out)
        return
    for seat in range(state.players):
        if state.mode == Mode.TOGETHER:
            out[seat] = chance_together(state)
        else:
            out[seat] = chance_of_side(state, side_of(seat))


@rule
def chance_together(state: State) -> float:
    """Return the probability that all players win, at the start of a turn."""
    touching, number = state.orthogonal, state.current
    reach = IN_REACH[touching, number] if can_complete(state) else 0.0
    return _probability(BASE[touching, number] - PER_DIFFICULTY[touching, number] * difficulty(state) + reach)


@rule
def chance_of_side(state: State, side: int) -> float:
    """Return the expected payoff of a side, at the start of a turn; a draw counts as half a win."""
    order = state.order
    full = 0
    for stack in range(STACKS):
        full += state.height[stack] == HEIGHT
    lead = lead_of(state, side) / MEAN_NUMBER if state.by_number else float(lead_of(state, side))
    if lead == 0 and leading_side(state) != NO_SIDE:
        lead = LAST_TRIPLET if leading_side(state) == side else -LAST_TRIPLET
    log_odds = lead * (AHEAD[order] + NEAR_THE_END[order] / (1 + full))
    if can_complete(state):
        log_odds += IN_REACH_OF_SIDE[order] if side_of(state.actor) == side else -IN_REACH_OF_SIDE[order]
    return _probability(log_odds)


@rule
def _probability(log_odds: float) -> float:
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
