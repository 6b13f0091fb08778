"""Barter: the rules."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any

import numpy as np

from meadhall.sdk import (
    I8,
    Grid,
    OfferState,
    Row,
    all_seats_but,
    below,
    close_offer,
    emit,
    emit_private,
    is_offered,
    make_offer,
    record,
    refuse_offer,
    rule,
)

SEATS = 4
KINDS = 3
GOODS = 4
TURNS = 2
OFFERS = 2
UNKNOWN = -1

# Actions: 0 to 8 offer good action // 3 for good action % 3; the others follow.
ACCEPT = KINDS * KINDS
REFUSE = ACCEPT + 1
END = REFUSE + 1
ACTIONS = END + 1


class Event(IntEnum):
    DEALT = 1
    OFFERED = 2
    ACCEPTED = 3
    REFUSED = 4
    ENDED_TURN = 5
    SHOWN = 6


@record
class State(OfferState):
    turns: I8
    goods: Annotated[Grid, np.int8, SEATS, KINDS]  # the number of each kind; UNKNOWN where a seat doesn't know it
    least: Annotated[Grid, np.int8, SEATS, KINDS]  # the number that all know of


@rule
def setup(state: State, players: int, _options: Any, log: Grid) -> None:
    """BA-1.1: Deal four goods to each player."""
    state.reveals += 1
    for seat in range(players):
        for _ in range(GOODS):
            good = below(state.rng, KINDS)
            state.goods[seat, good] += 1
            emit_private(log, seat, Event.DEALT, seat, good)
    state.actor = 0


@rule
def legal(state: State, out: Row) -> int:
    seat = state.actor
    if is_offered(state):
        count = 0
        if state.goods[seat, state.offer_terms % KINDS] > 0:
            out[count] = ACCEPT
            count += 1
        out[count] = REFUSE
        return count + 1
    count = 0
    for action in range(KINDS * KINDS):
        given = action // KINDS
        if given != action % KINDS and state.goods[seat, given] > 0 and state.offers_made < OFFERS:
            out[count] = action
            count += 1
    out[count] = END
    return count + 1


@rule
def play(state: State, action: int, log: Grid) -> None:
    seat = state.actor
    state.reveals += 1  # that an action was legal shows what a seat holds
    if action == ACCEPT:
        given, wanted = state.offer_terms // KINDS, state.offer_terms % KINDS
        giver = state.offer_by
        emit(log, Event.ACCEPTED, seat)
        swap(state, giver, seat, given)
        swap(state, seat, giver, wanted)
        close_offer(state)
    elif action == REFUSE:
        emit(log, Event.REFUSED, seat)
        refuse_offer(state)
    elif action == END:
        end_turn(state, log)
    else:
        given = action // KINDS
        state.least[seat, given] = max(state.least[seat, given], 1)
        emit(log, Event.OFFERED, seat, given, action % KINDS)
        make_offer(state, action, all_seats_but(state, seat))


@rule
def swap(state: State, giver: int, taker: int, good: int) -> None:
    """BA-2.2: A good changes hands. All know of it afterwards."""
    state.goods[giver, good] -= 1
    state.goods[taker, good] += 1
    state.least[giver, good] = max(state.least[giver, good] - 1, 0)
    state.least[taker, good] += 1


@rule
def end_turn(state: State, log: Grid) -> None:
    """BA-2.3, BA-3.1: The next player's turn, or the end."""
    emit(log, Event.ENDED_TURN, state.actor)
    state.turns += 1
    state.offers_made = 0
    state.actor = (state.actor + 1) % state.players
    if state.turns == TURNS * state.players:
        state.actor = -1
        for seat in range(state.players):
            emit(log, Event.SHOWN, seat, state.goods[seat, 0], state.goods[seat, 1], state.goods[seat, 2])


@rule
def conceal(state: State, seat: int) -> None:
    """BA-1.1: Hide the goods of others until the end."""
    if state.actor >= 0:
        for other in range(state.players):
            if other != seat:
                for good in range(KINDS):
                    state.goods[other, good] = UNKNOWN


@rule
def redeal(state: State, seat: int) -> None:
    """Deal goods at random to those who hold unknown ones, in addition to those that all know of."""
    for other in range(state.players):
        if state.goods[other, 0] == UNKNOWN:
            left = GOODS
            for good in range(KINDS):
                state.goods[other, good] = state.least[other, good]
                left -= state.least[other, good]
            for _ in range(left):
                state.goods[other, below(state.rng, KINDS)] += 1


@rule
def points_of(state: State, seat: int) -> int:
    points = 0
    for good in range(KINDS):
        points += state.goods[seat, good] + (3 if state.goods[seat, good] >= 3 else 0)
    return points


@rule
def score(state: State, out: Any) -> None:
    """BA-3.1: Count the points."""
    for seat in range(state.players):
        out[seat] = points_of(state, seat)


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Collect the most frequent good; accept what brings one more of it."""
    seat = state.actor
    best = 0
    for good in range(KINDS):
        if state.goods[seat, good] > state.goods[seat, best]:
            best = good
    if is_offered(state):
        useful = state.offer_terms // KINDS == best and state.offer_terms % KINDS != best
        return legal[0] if useful else REFUSE
    for k in range(count - 1):
        if legal[k] % KINDS == best:
            return legal[k]
    return END
