"""The geometry, against one that is worked out step by step."""

from __future__ import annotations

import random

from games.axxa.reference import BOARD, TRIPLES, connected, reachable
from games.axxa.scenes import AXXA
from meadhall.games.axxa import board, state
from meadhall.games.axxa.board import FIRST_MOVE, LONGEST, NAMES, OTHER_ROUTE, POSITIONS, ROUTE, SPACES, TRIPLE_TOUCHES


def test_spaces_are_the_square_row_by_row_and_then_the_starting_spaces_clockwise() -> None:
    assert list(POSITIONS) == BOARD
    assert SPACES == 37
    assert " ".join(NAMES[:5]) == "b6 c6 d6 e6 f6"
    assert " ".join(NAMES[20:25]) == "b2 c2 d2 e2 f2"
    assert " ".join(NAMES[board.FIRST_START :]) == "c7 d7 e7 g5 g4 g3 e1 d1 c1 a3 a4 a5"


def test_the_names_of_spaces_are_those_of_a_board_seven_by_seven() -> None:
    """So a move's length is the sum of the steps in letters and in numbers."""
    for one in range(SPACES):
        for other in range(SPACES):
            letters, numbers = (abs(ord(a) - ord(b)) for a, b in zip(NAMES[one], NAMES[other], strict=True))
            assert letters + numbers == board.distance(one, other)
    assert NAMES[BOARD.index((2, 2))] == "d4"


def test_there_are_1860_actions() -> None:
    assert (state.MOVE, state.LEAVE, state.TURN, state.REMOVE, state.PAY, state.ACTIONS) == (0, 1369, 1370, 1371, 1823, 1860)
    assert AXXA.actions == 1860


def test_452_triples_touch_and_150_of_them_side_by_side_in_lexicographic_order() -> None:
    spaces = [tuple(BOARD.index(position) for position in triple) for triple in TRIPLES]
    assert list(board.TRIPLES) == spaces == sorted(spaces)
    assert len(spaces) == 452
    assert [connected(triple, orthogonal=True) for triple in TRIPLES] == TRIPLE_TOUCHES[1].tolist()
    assert TRIPLE_TOUCHES.sum(axis=1).tolist() == [452, 150]


def test_moves_are_those_that_can_be_walked_whatever_stands_in_the_way() -> None:
    draw = random.Random("in the way")
    for start in range(SPACES):
        for length in range(1, LONGEST + 1):
            for stacks in (0, 3, 11, 25):
                others = draw.sample([space for space in range(SPACES) if space != start], stacks)
                standing = {BOARD[space]: [1] for space in [start, *others]}
                expected = {BOARD.index(position) for position in reachable(BOARD[start], length, standing)}
                assert free(start, length, sum(1 << space for space in [start, *others])) == sorted(expected)


def free(start: int, length: int, blocked: int) -> list[int]:
    """Where the moves from a space lead that have a free route, in the order of the table."""
    moves = range(FIRST_MOVE[start, length], FIRST_MOVE[start, length + 1])
    return [
        int(board.MOVE_ACTION[move]) - start * SPACES
        for move in moves
        if not int(ROUTE[move]) & blocked or not int(OTHER_ROUTE[move]) & blocked
    ]


def test_nothing_is_as_far_as_0_or_7() -> None:
    """What lies between two spaces is in the list of exactly one length."""
    assert FIRST_MOVE[0, 0] == FIRST_MOVE[0, 1] == 0
    assert (FIRST_MOVE[1:, 0] == FIRST_MOVE[:-1, LONGEST + 1]).all()
    assert (
        FIRST_MOVE[-1, LONGEST + 1]
        == len(ROUTE)
        == sum(0 < board.distance(one, other) <= LONGEST for one in range(SPACES) for other in range(SPACES))
    )
