"""Goofspiel: the rules."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any

import numpy as np

from meadhall.sdk import I8, GameState, Grid, Row, below, emit, emit_private, is_among, lowest_seat, record, rule, shuffle

SEATS = 4
CARDS = 6
UNKNOWN = 0

# Actions: 0 to 5 bid the card 1 to 6.
ACTIONS = CARDS


class Event(IntEnum):
    TURNED = 1
    CHOSEN = 2
    BID = 3
    SHOWN = 4
    WON = 5
    LOST = 6
    ENDED = 7


@record
class State(GameState):
    cards: I8  # the highest card
    round: I8  # the number of prizes that were decided
    pending: I8  # a bit mask of the seats that have still to bid
    prizes: Annotated[Row, np.int8, CARDS]  # in the order in which they are turned up
    bid: Annotated[Row, np.int8, SEATS]  # the card that each seat has chosen in this round
    held: Annotated[Grid, np.int8, SEATS, CARDS]  # whether each seat has not yet shown each card
    pile: Annotated[Row, np.int8, SEATS]  # the sum of the prizes that each seat has won


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """GO-1.1: All hold the same cards. The prizes are shuffled."""
    state.cards = 4 + 2 * options[0]
    for k in range(state.cards):
        state.prizes[k] = k + 1
        for seat in range(players):
            state.held[seat, k] = 1
    state.reveals += 1
    shuffle(state.rng, state.prizes, state.cards)
    begin_round(state, log)


@rule
def begin_round(state: State, log: Grid) -> None:
    """GO-1.2: The next prize is turned up, and all choose a card at the same time."""
    emit(log, Event.TURNED, state.prizes[state.round])
    state.pending = (1 << state.players) - 1
    state.actor = 0


@rule
def deciders(state: State) -> int:
    return state.pending


@rule
def legal(state: State, out: Row) -> int:
    """GO-2.1: A card that the seat has not shown before."""
    count = 0
    for k in range(state.cards):
        if state.held[state.actor, k]:
            out[count] = k
            count += 1
    return count


@rule
def play(state: State, action: int, log: Grid) -> None:
    """GO-2.2: The card stays face down until all have chosen."""
    seat = state.actor
    state.bid[seat] = action + 1
    state.pending &= ~(1 << seat)
    emit(log, Event.CHOSEN, seat)
    emit_private(log, seat, Event.BID, action + 1)
    state.actor = lowest_seat(state.pending)
    if state.pending == 0:
        decide(state, log)


@rule
def decide(state: State, log: Grid) -> None:
    """GO-2.3: All show their cards. The highest card wins the prize; if several are highest, it is lost."""
    state.reveals += 1
    best = 0
    winner = -1
    for seat in range(state.players):
        card = state.bid[seat]
        emit(log, Event.SHOWN, seat, card)
        state.held[seat, card - 1] = 0
        state.bid[seat] = UNKNOWN
        if card > best:
            best = card
            winner = seat
        elif card == best:
            winner = -1
    prize = state.prizes[state.round]
    if winner >= 0:
        state.pile[winner] += prize
        emit(log, Event.WON, winner, prize)
    else:
        emit(log, Event.LOST, prize)
    state.round += 1
    if state.round < state.cards:
        begin_round(state, log)
    else:
        emit(log, Event.ENDED)


@rule
def conceal(state: State, seat: int) -> None:
    """GO-2.2: Hide the cards that others have chosen, and the prizes to come."""
    for other in range(state.players):
        if other != seat:
            state.bid[other] = UNKNOWN
    for k in range(state.round + 1, state.cards):
        state.prizes[k] = UNKNOWN


@rule
def redeal(state: State, seat: int) -> None:
    """Choose the hidden cards at random, and shuffle the prizes to come."""
    if state.actor < 0:
        return
    for other in range(state.players):
        if other != seat and not is_among(state.pending, other):
            state.bid[other] = any_held(state, other)
    for k in range(state.round + 1, state.cards):
        state.prizes[k] = UNKNOWN
    left = np.zeros(CARDS, np.int8)
    count = 0
    for prize in range(1, state.cards + 1):
        if not is_turned(state, prize):
            left[count] = prize
            count += 1
    shuffle(state.rng, left, count)
    for k in range(count):
        state.prizes[state.round + 1 + k] = left[k]


@rule
def any_held(state: State, seat: int) -> int:
    which = below(state.rng, state.cards - state.round)
    for k in range(state.cards):
        if state.held[seat, k]:
            if which == 0:
                return k + 1
            which -= 1
    return UNKNOWN


@rule
def is_turned(state: State, prize: int) -> bool:
    for k in range(min(state.round + 1, state.cards)):
        if state.prizes[k] == prize:
            return True
    return False


@rule
def score(state: State, out: Any) -> None:
    """GO-3.1: The highest sum of prizes wins."""
    most = 0
    tied = 0
    for seat in range(state.players):
        if state.pile[seat] > most:
            most = state.pile[seat]
            tied = 0
        tied += state.pile[seat] == most
    for seat in range(state.players):
        out[seat] = 1.0 / tied if state.pile[seat] == most else 0.0


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Bid the value of the prize, or the nearest card."""
    prize = state.prizes[state.round]
    best = legal[0]
    for k in range(count):
        if abs(legal[k] + 1 - prize) < abs(best + 1 - prize):
            best = legal[k]
    return best
