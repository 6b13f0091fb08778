"""AxxA: what nobody has seen, and what everybody remembers."""

from __future__ import annotations

import numpy as np

from meadhall.engine.chance import shuffle
from meadhall.engine.rule import rule
from meadhall.engine.schema import Row
from meadhall.games.axxa.state import NUMBERS, PIECES, STACKS, TURN, UNKNOWN, State, on_board


@rule
def conceal(state: State, seat: int) -> None:
    """AX-1.2: covered pieces, from everybody, AX-3.2: but for those that were visible once."""
    for stack in range(STACKS):
        for k in range(state.height[stack]):
            if not state.seen[stack, k]:
                state.piece[stack, k] = UNKNOWN


@rule
def redeal(state: State, seat: int) -> None:
    """All that has not been seen lies in any order under what has been."""
    unseen = np.zeros(PIECES, np.int8)
    shuffle(state.rng, unseen, list_unseen(state, unseen))
    count = 0
    for stack in range(STACKS):
        for k in range(state.height[stack]):
            if not state.seen[stack, k]:
                state.piece[stack, k] = unseen[count]
                count += 1


def recall(before: State, action: int, after: State) -> None:
    """AX-3.2: what was seen in an action that is taken back stays seen. What has left a stack was on top."""
    for stack in range(STACKS):
        height = int(before.height[stack])
        turned = action == TURN and stack == before.moved
        for k in range(height):
            there = (k + turned) % height
            if there >= after.height[stack] or after.seen[stack, there]:
                before.seen[stack, k] = True


@rule
def list_unseen(state: State, out: Row) -> int:
    """The numbers of the pieces on the board that nobody has seen, ascending, into ``out``; how many."""
    count = 0
    for number in range(1, NUMBERS + 1):
        left = on_board(state, number)
        for stack in range(STACKS):
            for k in range(state.height[stack]):
                left -= state.seen[stack, k] and state.piece[stack, k] == number
        for _ in range(left):
            out[count] = number
            count += 1
    return count
