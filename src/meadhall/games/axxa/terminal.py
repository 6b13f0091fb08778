"""AxxA drawn as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.games.axxa.board import NAMES
from meadhall.games.axxa.state import EMPTY, State
from meadhall.games.axxa.status import Number, statuses
from meadhall.sdk import gettext as _
from meadhall.sdk import listed

COLUMNS = "abcdefg"
ROWS = "7654321"
WIDTH = 5  # characters of a space


def sketch(state: State, names: Sequence[str]) -> str:
    """Draw the board, and beside it the status of each number.

    A stack is written from the top. ``4?2`` shows a 4; below it are an unseen piece and a 2 that has been visible before.
    """
    board = [_row(state, row) for row in ROWS]
    notes = ["", *(_note(state, names, each) for each in statuses(state))]
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
    """Return the pieces of a stack from the top, with ``?`` for unseen ones."""
    height = range(state.height[stack] - 1, -1, -1)
    return [str(state.piece[stack, k]) if state.seen[stack, k] else "?" for k in height]


def _note(state: State, names: Sequence[str], each: Number) -> str:
    """Describe a number: how many of its pieces are on the board, how many were paid, and what happened to its triplets."""
    marker = ">" if each.state == "current" else " "
    counts = _("{left} left, {paid} paid").format(left=each.left, paid=state.paid[each.number])
    if each.takers:
        counts += _(", removed by {name}").format(name=listed([names[taker] for taker in each.takers]))
    elif each.state == "skipped":
        counts += _(", skipped")
    elif each.state == "blocked":
        counts += _(", out of reach")
    return f"{marker} {each.number}: {counts}"
