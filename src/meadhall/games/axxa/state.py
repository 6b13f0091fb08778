"""The state of an AxxA match, its action numbers, events and endings. The ids are those of the rulebook beside this file."""

from __future__ import annotations

from bisect import bisect_left
from enum import IntEnum
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from meadhall.sdk import I8, I16, GameState, Grid, Row, record, rule, shuffle, u64


@rule
def conceal(state: State, seat: int) -> None:
    """AX-1.2: Covered pieces are hidden from every seat. AX-3.2: Pieces that have been visible are not."""
    pieces: Any = state.piece
    pieces[:] = pieces * state.seen  # an unknown piece is 0


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


SQUARE = 5
LONGEST = 6  # spaces of the longest move: the highest number on a piece

Position = tuple[int, int]
"""Row (downwards) and column of a space. The square has rows and columns 0 to 4."""


def _starting_spaces() -> list[Position]:
    """AX-1.1: Three starting spaces lie outside the middle of each edge of the square; clockwise from the upper left."""
    middle = range(1, SQUARE - 1)
    top, right = [(-1, column) for column in middle], [(row, SQUARE) for row in middle]
    bottom, left = [(SQUARE, column) for column in reversed(middle)], [(row, -1) for row in reversed(middle)]
    return [*top, *right, *bottom, *left]


POSITIONS: tuple[Position, ...] = (*((row, column) for row in range(SQUARE) for column in range(SQUARE)), *_starting_spaces())
"""The position of every space (AX-1.1)."""
SPACES = len(POSITIONS)
FIRST_START = SQUARE * SQUARE  # the starting spaces have this number and the next eleven

SPACE_AT = {position: space for space, position in enumerate(POSITIONS)}


def name_of(space: int) -> str:
    """Return the name of a space, as on a chessboard: a letter from the left (a to g) and a number from below (1 to 7)."""
    row, column = POSITIONS[space]
    return f"{'abcdefg'[column + 1]}{SQUARE + 1 - row}"


NAMES = tuple(name_of(space) for space in range(SPACES))

ONE = u64(1)
BIT = np.array([1 << space for space in range(SPACES)], np.uint64)


def _mask(spaces: list[int]) -> int:
    return sum(1 << space for space in spaces)


# ------------------------------------------------------------------------------------------------------------------- moving


def distance(start: int, end: int) -> int:
    """Return how many spaces a move from one space to another enters."""
    (row, column), (other_row, other_column) = POSITIONS[start], POSITIONS[end]
    return abs(other_row - row) + abs(other_column - column)


def diagonal_distance(start: int, end: int) -> int:
    """AX-8.1: Return how many spaces a move along diagonals enters, 0 if diagonals don't lead there."""
    rows, columns = (abs(a - b) for a, b in zip(POSITIONS[start], POSITIONS[end], strict=True))
    return 0 if (rows + columns) % 2 else max(rows, columns)


def _straight(start: Position, end: Position) -> list[Position]:
    """Return the positions entered from ``start`` to ``end``, which must share a row, a column or a diagonal."""
    down, right = (int(np.sign(b - a)) for a, b in zip(start, end, strict=True))
    length = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    return [(start[0] + step * down, start[1] + step * right) for step in range(1, length + 1)]


def routes(start: int, end: int, length: int, *, diagonals: bool = False) -> list[list[int]]:
    """AX-2.2: A move turns at most one corner. List the routes of a length on the board, each as the spaces entered.

    AX-8.1: With ``diagonals``, also those along diagonals; together they are three at most.
    """
    (row, column), (other_row, other_column) = POSITIONS[start], POSITIONS[end]
    corners = [(row, other_column), (other_row, column)] if distance(start, end) == length else []
    if diagonals and diagonal_distance(start, end) == length:
        falling, rising = (other_row - row + other_column - column) // 2, (other_row - row - other_column + column) // 2
        corners += [(row + falling, column + falling), (row + rising, column - rising)]
    found: list[list[int]] = []
    for corner in corners:
        positions = _straight((row, column), corner) + _straight(corner, (other_row, other_column))
        route = [SPACE_AT[position] for position in positions if position in SPACE_AT]
        if len(route) == len(positions) and route not in found:
            found.append(route)
    return found


def _moves(*, diagonals: bool) -> list[tuple[bool, int, int, int, list[int]]]:
    """List all moves that an empty board allows as (diagonals, start, length, end, masks of its routes), sorted."""
    return [
        (diagonals, start, length, end, [_mask(route) for route in found])
        for start in range(SPACES)
        for length in range(1, LONGEST + 1)
        for end in range(SPACES)
        if (found := routes(start, end, length, diagonals=diagonals))
    ]


_MOVES = [*_moves(diagonals=False), *_moves(diagonals=True)]

MOVE_ACTION = np.array([start * SPACES + end for _, start, _, end, _ in _MOVES], np.int32)
"""The action number of each move."""
ROUTE = np.array([masks[0] for *_, masks in _MOVES], np.uint64)
OTHER_ROUTE = np.array([masks[min(1, len(masks) - 1)] for *_, masks in _MOVES], np.uint64)
LAST_ROUTE = np.array([masks[-1] for *_, masks in _MOVES], np.uint64)
"""The spaces that each move enters on its first, second and last route. They are the same if there is only one route."""
FIRST_MOVE = np.array(
    [
        [[bisect_left(_MOVES, (diagonals, start, length)) for length in range(LONGEST + 2)] for start in range(SPACES)]
        for diagonals in (False, True)
    ],
    np.int32,
)
"""The moves of length n from space s have the indices ``FIRST_MOVE[d, s, n]`` to ``FIRST_MOVE[d, s, n + 1] - 1``.

AX-8.1: d is 1 if stacks move along diagonals, too.
"""


# ----------------------------------------------------------------------------------------------------------------- touching


def touches(one: int, other: int, orthogonal: bool) -> bool:
    """AX-4.1: Two spaces touch side by side or at a corner; if ``orthogonal``, only side by side."""
    rows, columns = (abs(a - b) for a, b in zip(POSITIONS[one], POSITIONS[other], strict=True))
    return rows + columns == 1 if orthogonal else max(rows, columns) == 1


def _all_touch(spaces: tuple[int, int, int], orthogonal: bool) -> bool:
    """Tell whether each of three spaces touches another one, which means that at least two pairs touch."""
    return sum(touches(one, other, orthogonal) for one, other in combinations(spaces, 2)) >= 2


TRIPLES = tuple(spaces for spaces in combinations(range(SPACES), 3) if _all_touch(spaces, orthogonal=False))
"""The triples of spaces that can hold a triplet (AX-4.1), in lexicographic order."""
TRIPLE_OF = {spaces: k for k, spaces in enumerate(TRIPLES)}

# Tables for the rules. Where the option ``touching`` matters it is the first index: 0 all directions, 1 orthogonal.
TRIPLE_SPACES = np.array(TRIPLES, np.int8)
TRIPLE_MASK = np.array([_mask(list(spaces)) for spaces in TRIPLES], np.uint64)
TRIPLE_TOUCHES = np.array([[_all_touch(spaces, orthogonal) for spaces in TRIPLES] for orthogonal in (False, True)])
TOUCHING = np.array(
    [
        [_mask([other for other in range(SPACES) if touches(space, other, orthogonal)]) for space in range(SPACES)]
        for orthogonal in (False, True)
    ],
    np.uint64,
)
"""[orthogonal, space]: the spaces that touch a space, as a mask."""


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
    ``TRIPLES``; a payment is ``Act.PAY`` plus the space of the piece.
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
    price: I8  # AX-8.4: pieces for a move that removes no triplet
    phase: I8
    ending: I8
    current: I8  # the number that can be removed, 7 when no number is left; not used with order "any"
    moved: I8  # the stack that was moved this turn
    triplets: I8  # triplets removed this turn
    debt: I8  # AX-8.4: pieces still to be paid this turn
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
