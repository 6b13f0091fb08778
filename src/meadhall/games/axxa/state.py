"""The state of an AxxA match, its action numbers, events and endings. The ids are those of the rulebook beside this file."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

import numpy as np

from meadhall.games.axxa.board import BIT, SPACES, TRIPLES
from meadhall.sdk import I8, I16, GameState, Grid, Row, record, rule, u64

SEATS = 6
SIDES = 2
NUMBERS = 6
OF_EACH = 6  # pieces of each number
PIECES = NUMBERS * OF_EACH
STACKS = 12
HEIGHT = 3  # pieces in a full stack
TRIPLET_SIZE = 3
TRIPLETS_OF_EACH = OF_EACH // TRIPLET_SIZE  # triplets of one number in a match, at most; more than one only with order "any"

UNKNOWN = 0  # a concealed piece
NOWHERE = -1  # the space of a stack that is gone
EMPTY = -1  # the stack on a space without one
NO_SIDE = -1


class Act(IntEnum):
    """The first action number of each kind of action.

    A move is ``Act.MOVE + start * SPACES + end``; a removal is ``Act.REMOVE`` plus the index of the triple of spaces in
    ``board.TRIPLES``; a payment is ``Act.PAY`` plus the space of the piece.
    """

    MOVE = 0
    LEAVE = SPACES * SPACES
    TURN = LEAVE + 1
    REMOVE = TURN + 1
    PAY = REMOVE + len(TRIPLES)


ACTIONS = Act.PAY + SPACES


class Mode(IntEnum):
    """The values of the option ``mode``."""

    TOGETHER = 0
    VERSUS = 1


class Order(IntEnum):
    """AX-7.3: The values of the option ``order``."""

    SKIP = 0
    STRICT = 1
    ANY = 2


class Phase(IntEnum):
    """The next decision of the seat to move."""

    MOVE = 0
    TURN = 1
    REMOVE = 2
    PAY = 3


class Ending(IntEnum):
    """The reason why a match ended."""

    NONE = 0
    WON = 1  # mode together, like the next two
    PIECES = 2
    STUCK = 3
    NO_FULL_STACK = 4  # mode versus, like the next two
    NO_NUMBER = 5
    NO_MOVE = 6


class Event(IntEnum):
    """The kinds of events."""

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
    """The state of a match. Pieces that have never been visible are hidden from every seat."""

    mode: I8
    orthogonal: I8  # whether only spaces side by side touch
    order: I8  # which numbers can be removed
    diagonals: I8  # AX-8.1: whether stacks move along diagonals, too
    by_number: I8  # AX-8.3: whether a triplet counts its number
    with_moved: I8  # AX-8.2: whether a triplet must include the moved stack, or a piece that a removal uncovered
    phase: I8
    ending: I8
    current: I8  # the number that can be removed, 7 when no number is left; not used with order "any"
    moved: I8  # the stack that was moved this turn
    triplets: I8  # triplets removed this turn
    fresh: I16  # AX-8.2: the stacks that were moved or uncovered this turn, as a mask
    last_taker: I8  # AX-8.3: 1 + the seat that removed the last triplet, 0 before the first
    upcoming: Annotated[Row, np.int8, SIDES]  # mode versus: for each side, its seat that moves next
    taker: Annotated[Grid, np.int8, NUMBERS + 1, TRIPLETS_OF_EACH]  # for each triplet of a number 1 + the seat that removed it
    paid: Annotated[Row, np.int8, NUMBERS + 1]  # number -> how many of its pieces were paid
    stack_at: Annotated[Row, np.int8, SPACES]  # space -> the stack on it, or EMPTY
    space: Annotated[Row, np.int8, STACKS]  # stack -> its space, or NOWHERE
    height: Annotated[Row, np.int8, STACKS]
    piece: Annotated[Grid, np.int8, STACKS, HEIGHT]  # from the bottom; the visible one is piece[stack, height[stack] - 1]
    seen: Annotated[Grid, np.int8, STACKS, HEIGHT]  # whether that piece has ever been visible


@rule
def top(state: State, stack: int) -> int:
    """Return the visible piece of a stack, which must not be gone."""
    return state.piece[stack, state.height[stack] - 1]


@rule
def occupied(state: State) -> int:
    """Return the spaces that hold a stack, as a mask."""
    spaces = u64(0)
    for stack in range(STACKS):
        if state.height[stack] > 0:
            spaces |= BIT[state.space[stack]]
    return spaces


@rule
def showing(state: State, number: int) -> int:
    """Return the spaces whose visible piece is ``number``, as a mask."""
    spaces = u64(0)
    for stack in range(STACKS):
        if state.height[stack] > 0 and top(state, stack) == number:
            spaces |= BIT[state.space[stack]]
    return spaces


@rule
def fresh_spaces(state: State) -> int:
    """AX-8.2: Return the spaces of the stacks that this turn has moved or uncovered, as a mask."""
    spaces = u64(0)
    for stack in range(STACKS):
        if state.height[stack] > 0 and state.fresh >> stack & 1:
            spaces |= BIT[state.space[stack]]
    return spaces


@rule
def on_board(state: State, number: int) -> int:
    """Return how many pieces of a number are on the board, seen or unseen."""
    return OF_EACH - state.paid[number] - TRIPLET_SIZE * triplets_of_number(state, number)


@rule
def triplets_of_number(state: State, number: int) -> int:
    """Return how many triplets of a number have been removed."""
    count = 0
    for k in range(TRIPLETS_OF_EACH):
        count += state.taker[number, k] > 0
    return count


@rule
def may_go(state: State, number: int) -> bool:
    """AX-4.2: Only the current number can be removed. AX-7.3: With order "any", every number can."""
    return state.order == Order.ANY or number == state.current


@rule
def removable(state: State) -> int:
    """Return the spaces whose visible piece has a number that can be removed, as a mask."""
    return occupied(state) if state.order == Order.ANY else showing(state, state.current)


@rule
def side_of(seat: int) -> int:
    """AX-7.1: Seats alternate between the two sides."""
    return seat % SIDES


@rule
def points_of(state: State, side: int) -> int:
    """AX-7.2: A side's triplets count one each. AX-8.3: With this house rule each counts its number."""
    points = 0
    for number in range(1, NUMBERS + 1):
        for k in range(TRIPLETS_OF_EACH):
            taker = state.taker[number, k]
            if taker and side_of(taker - 1) == side:
                points += number if state.by_number else 1
    return points


@rule
def leading_side(state: State) -> int:
    """AX-7.2: Return the side with more points, NO_SIDE if they are equal. AX-8.3: Then the last triplet decides."""
    ahead = points_of(state, 0) - points_of(state, 1)
    if ahead:
        return 0 if ahead > 0 else 1
    return side_of(state.last_taker - 1) if state.by_number and state.last_taker else NO_SIDE


@rule
def triplets_left(state: State) -> int:
    """Return how many more triplets the numbers on the board allow at most; AX-7.3: by the order of the match."""
    return most_left(state, False)


@rule
def points_left(state: State) -> int:
    """Return how many more points the numbers on the board allow at most."""
    return most_left(state, state.by_number == 1)


@rule
def most_left(state: State, by_number: bool) -> int:
    """Return how many triplets or, ``by_number``, points the numbers on the board allow at most."""
    count = 0
    for number in range(1 if state.order == Order.ANY else state.current, NUMBERS + 1):
        worth = number if by_number else 1
        left = on_board(state, number) // TRIPLET_SIZE
        if state.order == Order.ANY:
            count += worth * left
        elif left:
            count += worth
        elif state.order == Order.STRICT:
            return count  # every later number waits for this one
    return count
