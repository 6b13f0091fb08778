"""Pig: the greedy bot, a heuristic that is compiled like the rules."""

from __future__ import annotations

from meadhall.sdk import Row, rule

from .rules import HOLD, ROLL, SEATS, State

SAFE = 21  # points in the pot that are worth holding
FINISH = 29  # points before the target from which a player tries to finish in one turn


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Hold at about 21, later if another player is ahead; near the end roll until the match is won.

    Source: T. Neller and C. Presser, "keep pace and end race", The UMAP Journal 31, 2010.
    """
    own = state.points[state.actor]
    best = 0
    for seat in range(SEATS):
        best = max(best, state.points[seat])
    if own + state.pot >= state.target:
        return HOLD
    if best >= state.target - FINISH:
        return ROLL
    return HOLD if state.pot >= SAFE + (best - own) // 8 else ROLL
