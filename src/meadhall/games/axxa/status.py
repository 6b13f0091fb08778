"""The status of each number, as the page and the terminal show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from meadhall.games.axxa.state import NUMBERS, TRIPLET_SIZE, TRIPLETS_OF_EACH, Ending, Mode, Order, State, may_go, on_board

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


def status(state: State, number: int) -> Number:
    """Return the status of a number."""
    left = int(on_board(state, number))
    takers = tuple(int(state.taker[number, k]) - 1 for k in range(TRIPLETS_OF_EACH) if state.taker[number, k])
    blocker = _blocker(state, number)
    return Number(number, left, _standing(state, number, left, len(takers), blocker), takers, blocker)


def _standing(state: State, number: int, left: int, removed: int, blocker: int) -> Standing:
    if removed and (state.order != Order.ANY or left < TRIPLET_SIZE):
        return "removed"
    if state.order != Order.ANY and number < state.current:
        return "skipped"
    if state.ending == Ending.PIECES and left < TRIPLET_SIZE:
        return "lost"
    if blocker:
        return "blocked"
    return "current" if may_go(state, number) and state.actor >= 0 else "waiting"


def _blocker(state: State, number: int) -> int:
    """AX-7.3: Return the number of which too few pieces are left, so that no triplet of ``number`` can be removed any more.

    With order "strict" it can be an earlier number.
    """
    if state.mode == Mode.TOGETHER:
        return 0
    first = min(int(state.current), number) if state.order == Order.STRICT else number
    return next((each for each in range(first, number + 1) if on_board(state, each) < TRIPLET_SIZE), 0)


def statuses(state: State) -> tuple[Number, ...]:
    """Return the status of all numbers."""
    return tuple(status(state, number) for number in range(1, NUMBERS + 1))
