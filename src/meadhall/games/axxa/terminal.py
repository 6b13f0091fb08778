"""AxxA drawn in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.engine.language import gettext as _
from meadhall.games.axxa.board import NAMES
from meadhall.games.axxa.state import EMPTY, NUMBERS, State, on_board

COLUMNS = "abcdefg"
ROWS = "7654321"
WIDTH = 5  # of a space


def sketch(state: State, names: Sequence[str]) -> str:
    """The board, and beside it what has become of each number.

    A stack is written from the top: ``4?2`` shows a 4; beneath lies a piece that nobody has seen, and beneath that a 2 that was
    visible before.
    """
    board = [_row(state, row) for row in ROWS]
    notes = ["", *(_note(state, names, number) for number in range(1, NUMBERS + 1))]
    letters = "  " + "".join(f"{column:^{WIDTH}}" for column in COLUMNS)
    return "\n".join([*(f"{left}   {right}".rstrip() for left, right in zip(board, notes, strict=True)), letters.rstrip()])


def _row(state: State, row: str) -> str:
    return f"{row} " + "".join(f"{_space(state, column + row):^{WIDTH}}" for column in COLUMNS)


def _space(state: State, name: str) -> str:
    if name not in NAMES:
        return ""
    stack = state.stack_at[NAMES.index(name)]
    return "·" if stack == EMPTY else "".join(_pieces(state, stack))


def _pieces(state: State, stack: int) -> list[str]:
    """A stack's pieces from the top, as far as they were seen."""
    height = range(state.height[stack] - 1, -1, -1)
    return [str(state.piece[stack, k]) if state.seen[stack, k] else "?" for k in height]


def _note(state: State, names: Sequence[str], number: int) -> str:
    """How many pieces of a number are on the board and paid, and what became of its triplet."""
    marker = ">" if number == state.current else " "
    counts = _("{left} left, {paid} paid").format(left=on_board(state, number), paid=state.paid[number])
    if state.taker[number]:
        counts += _(", removed by {name}").format(name=names[state.taker[number] - 1])
    elif number < state.current:
        counts += _(", skipped")
    return f"{marker} {number}: {counts}"
