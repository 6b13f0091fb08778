"""The geometry of the board, compared with the reference."""

from __future__ import annotations

import random

import pytest

from games.axxa.reference import BOARD, DIAGONALS, TRIPLES, connected, reachable
from games.axxa.scenes import AXXA
from meadhall.games.axxa import state, state as board
from meadhall.games.axxa.state import (
    FIRST_MOVE,
    LAST_ROUTE,
    LONGEST,
    NAMES,
    OTHER_ROUTE,
    POSITIONS,
    ROUTE,
    SPACES,
    TRIPLE_TOUCHES,
)


def test_spaces_are_the_square_row_by_row_and_then_the_starting_spaces_clockwise() -> None:
    assert list(POSITIONS) == BOARD
    assert SPACES == 37
    assert " ".join(NAMES[:5]) == "b6 c6 d6 e6 f6"
    assert " ".join(NAMES[20:25]) == "b2 c2 d2 e2 f2"
    assert " ".join(NAMES[board.FIRST_START :]) == "c7 d7 e7 g5 g4 g3 e1 d1 c1 a3 a4 a5"


def test_spaces_are_named_as_on_a_seven_by_seven_chessboard() -> None:
    """The length of a move is the difference of the letters plus the difference of the numbers."""
    for one in range(SPACES):
        for other in range(SPACES):
            letters, numbers = (abs(ord(a) - ord(b)) for a, b in zip(NAMES[one], NAMES[other], strict=True))
            assert letters + numbers == board.distance(one, other)
    assert NAMES[BOARD.index((2, 2))] == "d4"


def test_there_are_1860_actions() -> None:
    assert [act.value for act in state.Act] == [0, 1369, 1370, 1371, 1823]
    assert AXXA.actions == state.ACTIONS == 1860


def test_452_triples_touch_in_lexicographic_order_150_of_them_side_by_side() -> None:
    spaces = [tuple(BOARD.index(position) for position in triple) for triple in TRIPLES]
    assert list(board.TRIPLES) == spaces == sorted(spaces)
    assert len(spaces) == 452
    assert [connected(triple, orthogonal=True) for triple in TRIPLES] == TRIPLE_TOUCHES[1].tolist()
    assert TRIPLE_TOUCHES.sum(axis=1).tolist() == [452, 150]


@pytest.mark.parametrize("diagonals", [0, 1])
def test_moves_with_a_free_route_are_those_that_the_reference_finds(diagonals: int) -> None:
    draw = random.Random("in the way")
    for start in range(SPACES):
        for length in range(1, LONGEST + 1):
            for stacks in (0, 3, 11, 25) if not diagonals else (3,):
                others = draw.sample([space for space in range(SPACES) if space != start], stacks)
                standing = {BOARD[space]: [1] for space in [start, *others]}
                ends = reachable(BOARD[start], length, standing)
                ends |= reachable(BOARD[start], length, standing, DIAGONALS) if diagonals else set()
                expected = {BOARD.index(position) for position in ends}
                assert free(diagonals, start, length, sum(1 << space for space in [start, *others])) == sorted(expected)


def free(diagonals: int, start: int, length: int, blocked: int) -> list[int]:
    """Return the ends of all moves from a space that have a free route, in table order."""
    moves = range(FIRST_MOVE[diagonals, start, length], FIRST_MOVE[diagonals, start, length + 1])
    return [
        int(board.MOVE_ACTION[move]) - start * SPACES
        for move in moves
        if any(not int(route[move]) & blocked for route in (ROUTE, OTHER_ROUTE, LAST_ROUTE))
    ]


def test_every_move_is_1_to_6_spaces_long() -> None:
    """Every pair of spaces up to that distance is in the list of exactly one length."""
    assert FIRST_MOVE[0, 0, 0] == FIRST_MOVE[0, 0, 1] == 0
    assert (FIRST_MOVE[:, 1:, 0] == FIRST_MOVE[:, :-1, LONGEST + 1]).all()
    assert FIRST_MOVE[1, -1, LONGEST + 1] == len(ROUTE)
    assert (
        FIRST_MOVE[0, -1, LONGEST + 1]
        == FIRST_MOVE[1, 0, 0]
        == sum(0 < board.distance(one, other) <= LONGEST for one in range(SPACES) for other in range(SPACES))
    )
