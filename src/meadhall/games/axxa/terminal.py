"""AxxA drawn in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.engine.language import gettext as _
from meadhall.games.axxa.board import NAMES
from meadhall.games.axxa.state import EMPTY, NUMBERS, Table, on_board

COLUMNS = "abcdefg"
ROWS = "7654321"
WIDTH = 5  # of a space


def sketch(table: Table, names: Sequence[str]) -> str:
    """The board, and beside it what has become of each number.

    A stack is written from the top: ``4?2`` shows a 4; beneath lies a piece that nobody has seen, and beneath that a 2 that was
    visible before.
    """
    board = [_row(table, row) for row in ROWS]
    notes = ["", *(_note(table, names, number) for number in range(1, NUMBERS + 1))]
    letters = "  " + "".join(f"{column:^{WIDTH}}" for column in COLUMNS)
    return "\n".join([*(f"{left}   {right}".rstrip() for left, right in zip(board, notes, strict=True)), letters.rstrip()])


def _row(table: Table, row: str) -> str:
    return f"{row} " + "".join(f"{_space(table, column + row):^{WIDTH}}" for column in COLUMNS)


def _space(table: Table, name: str) -> str:
    if name not in NAMES:
        return ""
    stack = table.stack_at[NAMES.index(name)]
    return "·" if stack == EMPTY else "".join(_pieces(table, stack))


def _pieces(table: Table, stack: int) -> list[str]:
    """A stack's pieces from the top, as far as they were seen."""
    height = range(table.height[stack] - 1, -1, -1)
    return [str(table.piece[stack, k]) if table.seen[stack, k] else "?" for k in height]


def _note(table: Table, names: Sequence[str], number: int) -> str:
    """How many pieces of a number are on the board and paid, and what became of its triplet."""
    marker = ">" if number == table.current else " "
    counts = _("{left} left, {paid} paid").format(left=on_board(table, number), paid=table.paid[number])
    if table.taker[number]:
        counts += _(", removed by {name}").format(name=names[table.taker[number] - 1])
    elif number < table.current:
        counts += _(", skipped")
    return f"{marker} {number}: {counts}"
