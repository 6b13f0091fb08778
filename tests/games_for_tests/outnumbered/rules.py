"""Outnumbered: the rules."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any

import numpy as np

from meadhall.sdk import I8, GameState, Grid, Row, die, emit, record, rule

SEATS = 4
TURNS = 2
ROLL, ROLL_TWO, DARE, REFUSE = range(4)
ACTIONS = 4
NOT_DECIDED = -1


class Event(IntEnum):
    HUNTER = 1
    REFUSED = 2
    ROLLED = 3
    ENDED = 4


@record
class State(GameState):
    hunter: I8  # NOT_DECIDED until a player dares
    first: I8
    turns: I8
    doubled: I8  # whether the hunter has rolled two dice
    sums: Annotated[Row, np.int8, 2]  # of the hunter, of the others


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    state.hunter = NOT_DECIDED
    if options[0] == 0:
        become_hunter(state, 0, log)


@rule
def become_hunter(state: State, seat: int, log: Grid) -> None:
    """OU-1.1, OU-2.1: The hunter begins."""
    state.hunter = seat
    state.actor = seat
    emit(log, Event.HUNTER, seat)


@rule
def legal(state: State, out: Row) -> int:
    if state.hunter == NOT_DECIDED:
        out[0] = DARE
        out[1] = REFUSE
        return 2
    out[0] = ROLL
    if state.actor != state.hunter or state.doubled:
        return 1
    out[1] = ROLL_TWO
    return 2


@rule
def play(state: State, action: int, log: Grid) -> None:
    if state.hunter == NOT_DECIDED:
        decide(state, action, log)
        return
    state.reveals += 1
    seat = state.actor
    side = 0 if seat == state.hunter else 1
    state.doubled |= action == ROLL_TWO
    for _ in range(2 if action == ROLL_TWO else 1):
        rolled = die(state.rng, 6)
        state.sums[side] += rolled
        emit(log, Event.ROLLED, seat, rolled)
    state.turns += 1
    state.actor = (seat + 1) % state.players
    if state.turns == TURNS * state.players:
        state.actor = -1
        emit(log, Event.ENDED)


@rule
def decide(state: State, action: int, log: Grid) -> None:
    """OU-1.2: The first player who dares hunts."""
    seat = state.actor
    if action == DARE:
        become_hunter(state, seat, log)
        return
    emit(log, Event.REFUSED, seat)
    state.actor = seat + 1
    if seat + 2 == state.players:
        become_hunter(state, seat + 1, log)


@rule
def score(state: State, out: Any) -> None:
    """OU-3.1: Compare the sums, weighted by the number of players."""
    lead = state.sums[0] * (state.players - 1) - state.sums[1]
    for seat in range(state.players):
        ahead = lead if seat == state.hunter else -lead
        out[seat] = 0.5 if ahead == 0 else 1.0 if ahead > 0 else 0.0


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Roll as many dice as possible."""
    return legal[count - 1]
