"""AxxA: what is on the table. Ids are those of the rulebook beside this file."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

import numpy as np

from meadhall.engine.rule import rule, u64
from meadhall.engine.schema import I8, GameState, Grid, Row, record
from meadhall.games.axxa.board import BIT, SPACES, TRIPLES

SEATS = 6
NUMBERS = 6
OF_EACH = 6  # pieces of each number
PIECES = NUMBERS * OF_EACH
STACKS = 12
HEIGHT = 3
THREE = 3  # pieces in a triplet

TOGETHER, VERSUS = 0, 1  # option ``mode``
SIDES = 2

UNKNOWN = 0  # a piece that nobody has seen, where it is concealed
NOWHERE = -1  # the space of a stack that is gone
EMPTY = -1  # the stack on a space where there is none
NONE, SEVERAL = -1, -2  # instead of the only triplet

# Actions: move from * 37 + to; leave the stack as it is; turn it over; remove a triple of spaces; pay from a space.
MOVE = 0
LEAVE = MOVE + SPACES * SPACES
TURN = LEAVE + 1
REMOVE = TURN + 1
PAY = REMOVE + len(TRIPLES)
ACTIONS = PAY + SPACES


class Phase(IntEnum):
    """What the actor is to decide."""

    MOVE = 0
    TURN = 1
    REMOVE = 2
    PAY = 3


class Ending(IntEnum):
    """How a match ended."""

    NONE = 0
    WON = 1  # together, as are the next two
    PIECES = 2
    STUCK = 3
    NO_FULL_STACK = 4  # against each other, as are the next two
    NO_NUMBER = 5
    NO_MOVE = 6


class Event(IntEnum):
    """What can happen."""

    STACKS = 1
    STARTS = 2
    MOVED = 3
    TURNED = 4
    REMOVED = 5
    EXPOSED = 6
    PAID = 7
    STACK_GONE = 8
    SKIPPED = 9
    PRAISE = 10
    WON = 11
    LOST = 12
    SIDE_WON = 13
    DRAWN = 14


@record
class State(GameState):
    """The state of a match. Hidden, from everybody, are the pieces that were never visible."""

    mode: I8
    orthogonal: I8  # whether only side by side is touching
    phase: I8
    ending: I8
    current: I8  # the number that can be removed, 7 when there is none left
    moved: I8  # the stack that the actor has moved this turn
    triplets: I8  # removed this turn
    taker: Annotated[Row, np.int8, NUMBERS + 1]  # number -> 1 + the seat that removed its triplet, 0: nobody did
    paid: Annotated[Row, np.int8, NUMBERS + 1]  # number -> its pieces that were paid
    stack_at: Annotated[Row, np.int8, SPACES]  # space -> the stack on it, or EMPTY
    space: Annotated[Row, np.int8, STACKS]  # stack -> the space that it is on, or NOWHERE
    height: Annotated[Row, np.int8, STACKS]
    piece: Annotated[Grid, np.int8, STACKS, HEIGHT]  # from the bottom; the visible one is piece[stack, height[stack] - 1]
    seen: Annotated[Grid, np.int8, STACKS, HEIGHT]  # whether that piece has ever been visible


@rule
def top(state: State, stack: int) -> int:
    """The visible piece of a stack that is there."""
    return state.piece[stack, state.height[stack] - 1]


@rule
def occupied(state: State) -> int:
    """The spaces with a stack, as a mask."""
    spaces = u64(0)
    for stack in range(STACKS):
        if state.height[stack] > 0:
            spaces |= BIT[state.space[stack]]
    return spaces


@rule
def showing(state: State, number: int) -> int:
    """The spaces whose visible piece is ``number``, as a mask."""
    spaces = u64(0)
    for stack in range(STACKS):
        if state.height[stack] > 0 and top(state, stack) == number:
            spaces |= BIT[state.space[stack]]
    return spaces


@rule
def on_board(state: State, number: int) -> int:
    """How many pieces of a number are on the board, seen or not."""
    removed = THREE if state.taker[number] else 0
    return OF_EACH - state.paid[number] - removed


@rule
def side_of(seat: int) -> int:
    """AX-7.1: seats alternate between the sides."""
    return seat % SIDES


@rule
def triplets_of(state: State, side: int) -> int:
    """AX-7.1: how many triplets the players of a side have removed."""
    count = 0
    for number in range(1, NUMBERS + 1):
        if state.taker[number] and side_of(state.taker[number] - 1) == side:
            count += 1
    return count
