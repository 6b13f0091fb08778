"""Liar's Dice: the greedy bot, a heuristic that is compiled like the rules."""

from __future__ import annotations

from meadhall.sdk import Row, rule

from .rules import DOUBT, State, all_dice, count_of, face_of, matching


@rule
def likely(state: State, face: int) -> int:
    """Return how many dice show a face or a one, as the seat to move must guess: its own, and a third of the others."""
    unseen = all_dice(state) - state.left[state.actor]
    return matching(state, state.actor, face) + unseen // 3


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Doubt a bid that names more dice than are likely; otherwise make the most likely of all higher bids."""
    if state.bids > 0 and count_of(state.bids - 1) > likely(state, face_of(state.bids - 1)):
        return DOUBT
    best, spare = DOUBT if state.bids > 0 else 0, -1
    for k in range(count):
        if legal[k] != DOUBT and likely(state, face_of(legal[k])) - count_of(legal[k]) > spare:
            best, spare = legal[k], likely(state, face_of(legal[k])) - count_of(legal[k])
    return best
