"""Horn: the rules. The ids in docstrings are those of rulebook.md."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from meadhall.sdk import I8, GameState, Grid, Row, die, emit, record, rule

MOST = 3  # gulps in a turn; actions 0 to 2 drink 1 to 3 gulps
ACTIONS = MOST
LEAST = 12  # gulps in the horn before the die is added
SIDES = 6


class Event(IntEnum):
    """The kinds of events."""

    FILLED = 1
    DRANK = 2
    EMPTIED = 3


@record
class State(GameState):
    """The state of a match."""

    left: I8  # gulps in the horn
    loser: I8  # set when the match is over


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """HN-1: A die decides how full the horn is."""
    state.left = LEAST + die(state.rng, SIDES)
    state.reveals += 1
    emit(log, Event.FILLED, state.left)
    state.actor = 0


@rule
def legal(state: State, out: Row) -> int:
    """HN-2: Drink one to three gulps, but not more than there are."""
    count = min(MOST, state.left)
    for action in range(count):
        out[action] = action
    return count


@rule
def play(state: State, action: int, log: Grid) -> None:
    """HN-2: Drink, then it is the other player's turn. HN-3: The player who empties the horn loses."""
    seat = state.actor
    state.left -= action + 1
    emit(log, Event.DRANK, seat, action + 1)
    if state.left > 0:
        state.actor = 1 - seat
    else:
        emit(log, Event.EMPTIED, seat)
        state.loser = seat
        state.actor = -1


@rule
def conceal(state: State, seat: int) -> None:
    """Do nothing: nothing is hidden."""


@rule
def redeal(state: State, seat: int) -> None:
    """Do nothing: nothing is hidden."""


@rule
def score(state: State, out: Any) -> None:
    """HN-3: The other player wins."""
    out[state.loser] = 0.0
    out[1 - state.loser] = 1.0
