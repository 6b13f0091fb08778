"""Kuhn poker: the rules."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any

import numpy as np

from meadhall.sdk import HIDDEN, I8, GameState, Grid, Row, below, emit, emit_private, record, rule, shuffle

CARDS = 3
UNKNOWN = 0
PASS, BET = 0, 1
ACTIONS = 2


class Event(IntEnum):
    DEALT = 1
    LEFT_OVER = 2
    PASSED = 3
    PAID = 4
    SHOWN = 5
    WON = 6


@record
class State(GameState):
    card: Annotated[Row, np.int8, 2]
    paid: Annotated[Row, np.int8, 2]  # chips in the pot
    passes: I8
    winner: I8


@rule
def setup(state: State, players: int, _options: Any, log: Grid) -> None:
    """KU-1.1: Deal."""
    deck = np.zeros(CARDS, np.int8)
    for k in range(CARDS):
        deck[k] = k + 1
    state.reveals += 1
    shuffle(state.rng, deck, CARDS)
    for seat in range(players):
        state.card[seat] = deck[seat]
        state.paid[seat] = 1
        emit_private(log, seat, Event.DEALT, seat, deck[seat])
    emit_private(log, HIDDEN, Event.LEFT_OVER, deck[2])


@rule
def legal(state: State, out: Row) -> int:
    out[0] = PASS
    out[1] = BET
    return ACTIONS


@rule
def play(state: State, action: int, log: Grid) -> None:
    """KU-2: Pass or pay."""
    seat = state.actor
    other = 1 - seat
    if action == BET:
        state.paid[seat] += 1
        emit(log, Event.PAID, seat)
    else:
        state.passes += 1
        emit(log, Event.PASSED, seat)
    if action == PASS and state.paid[other] == 2:
        finish(state, other, log)
    elif (action == BET and state.paid[other] == 2) or state.passes == 2:
        state.reveals += 1
        for each in range(2):
            emit(log, Event.SHOWN, each, state.card[each])
        finish(state, seat if state.card[seat] > state.card[other] else other, log)
    else:
        state.actor = other


@rule
def finish(state: State, winner: int, log: Grid) -> None:
    """KU-2.2, KU-2.3: The winner takes the pot. Cards that were not shown stay hidden."""
    state.winner = winner
    state.actor = -1
    emit(log, Event.WON, winner)


@rule
def is_shown(state: State) -> bool:
    return bool(state.actor < 0 and state.paid[0] == state.paid[1])


@rule
def conceal(state: State, seat: int) -> None:
    """KU-1.1: Hide the other card until it is shown."""
    if not is_shown(state):
        for other in range(2):
            if other != seat:
                state.card[other] = UNKNOWN


@rule
def redeal(state: State, seat: int) -> None:
    """Deal the hidden cards at random."""
    for other in range(2):
        while state.card[other] == UNKNOWN:
            card = 1 + below(state.rng, CARDS)
            if card != state.card[1 - other]:
                state.card[other] = card


@rule
def score(state: State, out: Any) -> None:
    """KU-3.1: Chips won or lost."""
    loser = 1 - state.winner
    out[state.winner] = state.paid[loser]
    out[loser] = -state.paid[loser]


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Pay with the highest card, pass with the lowest."""
    card = state.card[state.actor]
    return PASS if card == 1 else BET if card == CARDS else legal[below(rng, count)]
