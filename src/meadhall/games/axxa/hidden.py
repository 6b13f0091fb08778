"""The hidden information of AxxA: covered pieces that have never been visible."""

from __future__ import annotations

import numpy as np

from meadhall.games.axxa.state import NUMBERS, PIECES, STACKS, UNKNOWN, Act, State, on_board
from meadhall.sdk import Row, rule, shuffle


@rule
def conceal(state: State, seat: int) -> None:
    """AX-1.2: Covered pieces are hidden from every seat. AX-3.2: Pieces that have been visible are not."""
    for stack in range(STACKS):
        for k in range(state.height[stack]):
            if not state.seen[stack, k]:
                state.piece[stack, k] = UNKNOWN


@rule
def redeal(state: State, seat: int) -> None:
    """Deal the unseen pieces at random to their places: one determinization, the same for every seat."""
    unseen = np.zeros(PIECES, np.int8)
    shuffle(state.rng, unseen, list_unseen(state, unseen))
    count = 0
    for stack in range(STACKS):
        for k in range(state.height[stack]):
            if not state.seen[stack, k]:
                state.piece[stack, k] = unseen[count]
                count += 1


def recall(before: State, action: int, after: State) -> None:
    """AX-3.2: Pieces seen in an action that is undone stay seen. A piece that left its stack was on top, so it was seen."""
    for stack in range(STACKS):
        height = int(before.height[stack])
        turned = action == Act.TURN and stack == before.moved
        for k in range(height):
            there = (k + turned) % height
            if there >= after.height[stack] or after.seen[stack, there]:
                before.seen[stack, k] = True


@rule
def list_unseen(state: State, out: Row) -> int:
    """List the numbers of the unseen pieces on the board into ``out``, ascending, and return how many there are."""
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
