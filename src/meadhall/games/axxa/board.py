"""The board of AxxA: its spaces, the routes between them, and the triples of spaces that touch.

Everything is derived from the 37 positions. A set of spaces is a 64-bit mask with bit ``s`` for space ``s``. A route is free if
its mask has no bit in common with the mask of the occupied spaces.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import combinations

import numpy as np

from meadhall.sdk import u64

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
