"""The status of each number, as the page and the terminal show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from meadhall.games.axxa.state import (
    EMPTY,
    NAMES,
    NUMBERS,
    OF_EACH,
    TRIPLET_SIZE,
    Ending,
    Mode,
    Order,
    State,
)
from meadhall.sdk import PlainState, gettext as _, listed

Standing = Literal["removed", "skipped", "current", "waiting", "blocked", "lost"]


@dataclass(frozen=True)
class Number:
    """The status of a number and how many of its pieces are left on the board.

    Attributes:
        number: the number.
        left: how many of its pieces are on the board.
        state: ``removed`` and ``skipped`` numbers are done with. A ``current`` number can be removed now, a ``waiting`` one
            later, a ``blocked`` one never again. A ``lost`` one has lost the match.
        takers: the seats that removed its triplets.
        blocker: the number whose missing pieces block it; 0 if it isn't blocked.
    """

    number: int
    left: int
    state: Standing
    takers: tuple[int, ...] = ()
    blocker: int = 0

    @property
    def spare(self) -> int:
        """AX-5.2, AX-6.2: How many of its pieces can still be paid."""
        return max(0, self.left - (TRIPLET_SIZE if self.state in ("current", "waiting") else 0))


def statuses(state: State | PlainState) -> tuple[Number, ...]:
    """Return the status of all numbers."""
    takers = [tuple([int(taker) - 1 for taker in state.taker[number] if taker]) for number in range(NUMBERS + 1)]
    left = [OF_EACH - int(state.paid[number]) - TRIPLET_SIZE * len(takers[number]) for number in range(NUMBERS + 1)]
    found = []
    for number in range(1, NUMBERS + 1):
        blocker = _blocker(state, number, left)
        standing = _standing(state, number, left[number], len(takers[number]), blocker)
        found.append(Number(number, left[number], standing, takers[number], blocker))
    return tuple(found)


def _standing(state: State | PlainState, number: int, left: int, removed: int, blocker: int) -> Standing:
    if removed and (state.order != Order.ANY or left < TRIPLET_SIZE):
        return "removed"
    if state.order != Order.ANY and number < state.current:
        return "skipped"
    if state.ending == Ending.PIECES and left < TRIPLET_SIZE:
        return "lost"
    if blocker:
        return "blocked"
    return "current" if state.actor >= 0 and (state.order == Order.ANY or number == state.current) else "waiting"


def _blocker(state: State | PlainState, number: int, left: list[int]) -> int:
    """AX-7.3: Return the number of which too few pieces are ``left``, so that no triplet of ``number`` can be removed any more.

    With order "strict" it can be an earlier number.
    """
    if state.mode == Mode.TOGETHER:
        return 0
    first = min(int(state.current), number) if state.order == Order.STRICT else number
    return next((each for each in range(first, number + 1) if left[each] < TRIPLET_SIZE), 0)


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
