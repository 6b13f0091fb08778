"""Pig: the rules. The ids in docstrings are those of rulebook.md."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any

import numpy as np

from meadhall.sdk import I16, GameState, Grid, Row, die, emit, record, rule

SEATS = 6
SIDES = 6
TARGETS = (100, 50)  # the values of the option "target", in its order

ROLL, HOLD = 0, 1
ACTIONS = 2


class Event(IntEnum):
    """The kinds of events."""

    ROLLED = 1
    LOST = 2
    HELD = 3
    WON = 4


@record
class State(GameState):
    """The state of a match. Nothing in it is hidden."""

    target: I16  # points that win the match
    pot: I16  # points rolled in this turn, not yet safe
    face: I16  # the last roll, 0 before the first
    points: Annotated[Row, np.int16, SEATS]


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """PG-1.1: The first seat begins. PG-4.1: The option says how many points win."""
    state.target = TARGETS[options[0]]
    state.actor = 0


@rule
def legal(state: State, out: Row) -> int:
    """PG-2.1: Roll or hold. PG-2.2: A turn begins with a roll."""
    out[0] = ROLL
    out[1] = HOLD
    return 2 if state.pot > 0 else 1


@rule
def play(state: State, action: int, log: Grid) -> None:
    """PG-2.1: Roll the die, or hold."""
    if action == ROLL:
        roll(state, log)
    else:
        hold(state, log)


@rule
def roll(state: State, log: Grid) -> None:
    """PG-3.1: A two to six goes into the pot. PG-3.2: A one empties the pot and ends the turn."""
    state.face = die(state.rng, SIDES)
    state.reveals += 1
    emit(log, Event.ROLLED, state.actor, state.face)
    if state.face > 1:
        state.pot += state.face
    else:
        emit(log, Event.LOST, state.actor, state.pot)
        end_turn(state)


@rule
def hold(state: State, log: Grid) -> None:
    """PG-3.3: Points in the pot are safe. PG-4.1: A player who reaches the target wins at once."""
    seat = state.actor
    state.points[seat] += state.pot
    emit(log, Event.HELD, seat, state.pot, state.points[seat])
    end_turn(state)
    if state.points[seat] >= state.target:
        emit(log, Event.WON, seat)
        state.actor = -1


@rule
def end_turn(state: State) -> None:
    """PG-1.1: Turns go clockwise."""
    state.pot = 0
    state.actor = (state.actor + 1) % state.players


@rule
def score(state: State, out: Any) -> None:
    """PG-4.1: The player who has reached the target gets everything."""
    for seat in range(state.players):
        out[seat] = 1.0 if state.points[seat] >= state.target else 0.0
