"""Liar's Dice: the rules. The ids in docstrings are those of rulebook.md."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any

import numpy as np

from meadhall.sdk import I8, I16, GameState, Grid, Row, append_argument, die, emit, emit_private, record, rule

SEATS = 6
DICE = 5  # of each player at the beginning
SIDES = 6
WILD = 1  # the face that counts as every face
LOWEST = 2  # the lowest face of a bid
FACES = SIDES - LOWEST + 1
UNKNOWN = 0  # a die that the viewer doesn't see; behind the dice of a seat there are none

DOUBT = SEATS * DICE * FACES  # the actions before it are the bids, from "one two" to "thirty sixes"
ACTIONS = DOUBT + 1


class Event(IntEnum):
    """The kinds of events."""

    ROUND = 1
    ROLLED = 2
    BID = 3
    DOUBTED = 4
    SHOWN = 5
    COUNTED = 6
    LOST = 7
    OUT = 8
    WON = 9


@record
class State(GameState):
    """The state of a match. ``dice`` is hidden, except from the player whose dice they are."""

    bids: I16  # 0 before the first bid of a round, then the last bid's action + 1
    bidder: I8  # the seat that made the last bid, -1 before the first
    left: Annotated[Row, np.int8, SEATS]  # the number of dice of each seat
    dice: Annotated[Grid, np.int8, SEATS, DICE]
    shown: Annotated[Grid, np.int8, SEATS, DICE]  # the dice that all have seen at the end of the last round


@rule
def count_of(bid: int) -> int:
    """Return the number of dice that a bid names."""
    return 1 + bid // FACES


@rule
def face_of(bid: int) -> int:
    """Return the face that a bid names."""
    return LOWEST + bid % FACES


@rule
def all_dice(state: State) -> int:
    """Return the number of dice in the game."""
    total = 0
    for seat in range(state.players):
        total += state.left[seat]
    return total


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """LD-1.1: Everyone has five dice. LD-1.2: The first seat begins."""
    for seat in range(players):
        state.left[seat] = DICE
    begin_round(state, 0, log)


@rule
def begin_round(state: State, first: int, log: Grid) -> None:
    """LD-1.3: All roll, and each player sees their own dice only."""
    state.bids = 0
    state.bidder = -1
    state.actor = first
    state.reveals += 1
    emit(log, Event.ROUND, first)
    for seat in range(state.players):
        for k in range(state.left[seat]):
            state.dice[seat, k] = die(state.rng, SIDES)
        for k in range(state.left[seat], DICE):
            state.dice[seat, k] = UNKNOWN
        if state.left[seat] > 0:
            emit_private(log, seat, Event.ROLLED, seat)
            append_dice(state, seat, log)


@rule
def append_dice(state: State, seat: int, log: Grid) -> None:
    """Append the dice of a seat to the last event. With the seat these are six arguments, as many as an event can have."""
    for k in range(state.left[seat]):
        append_argument(log, state.dice[seat, k])


@rule
def legal(state: State, out: Row) -> int:
    """LD-2.1: Bid more, or doubt. LD-2.3: A bid is higher than the last one. LD-2.4: It names no more dice than there are."""
    count = 0
    for bid in range(state.bids, all_dice(state) * FACES):
        out[count] = bid
        count += 1
    if state.bids > 0:
        out[count] = DOUBT
        count += 1
    return count


@rule
def play(state: State, action: int, log: Grid) -> None:
    """LD-2.1: Bid, or doubt the last bid."""
    if action == DOUBT:
        doubt(state, log)
        return
    state.bids = action + 1
    state.bidder = state.actor
    emit(log, Event.BID, state.actor, count_of(action), face_of(action))
    state.actor = next_in_game(state, state.actor)


@rule
def doubt(state: State, log: Grid) -> None:
    """LD-3.1: All show their dice. LD-3.2: If the bid holds, the doubter loses a die, otherwise the bidder."""
    doubter = state.actor
    bidder = state.bidder
    bid = state.bids - 1
    emit(log, Event.DOUBTED, doubter, bidder)
    state.reveals += 1
    for seat in range(state.players):
        for k in range(DICE):
            state.shown[seat, k] = state.dice[seat, k]
        if state.left[seat] > 0:
            emit(log, Event.SHOWN, seat)  # an event for each seat: thirty dice don't fit into one
            append_dice(state, seat, log)
    found = 0
    for seat in range(state.players):
        found += matching(state, seat, face_of(bid))
    emit(log, Event.COUNTED, count_of(bid), face_of(bid), found)
    lose_die(state, doubter if found >= count_of(bid) else bidder, log)


@rule
def matching(state: State, seat: int, face: int) -> int:
    """LD-2.5: Count the dice of a seat that show a face, or a one."""
    found = 0
    for k in range(state.left[seat]):
        if state.dice[seat, k] == face or state.dice[seat, k] == WILD:
            found += 1
    return found


@rule
def lose_die(state: State, seat: int, log: Grid) -> None:
    """LD-3.3: The loser begins the next round, or the next player if the loser is out. LD-4.1: The last one in the game wins."""
    state.left[seat] -= 1
    emit(log, Event.LOST, seat, state.left[seat])
    first = seat
    if state.left[seat] == 0:
        emit(log, Event.OUT, seat)
        first = next_in_game(state, seat)
    if state.left[first] == all_dice(state):
        emit(log, Event.WON, first)
        state.actor = -1
    else:
        begin_round(state, first, log)


@rule
def next_in_game(state: State, seat: int) -> int:
    """LD-2.6: Turns go clockwise, without the players who are out."""
    following = (seat + 1) % state.players
    while state.left[following] == 0:
        following = (following + 1) % state.players
    return following


@rule
def score(state: State, out: Any) -> None:
    """LD-4.1: The last player with dice gets everything."""
    for seat in range(state.players):
        out[seat] = 1.0 if state.left[seat] > 0 else 0.0


@rule
def conceal(state: State, seat: int) -> None:
    """LD-1.3: Blank the dice of all other players. Seat -1, a spectator, sees none."""
    for other in range(state.players):
        if other != seat:
            for k in range(DICE):
                state.dice[other, k] = UNKNOWN


@rule
def redeal(state: State, seat: int) -> None:
    """Roll the dice that the seat doesn't see. Nothing is known of them, so every roll is possible."""
    for other in range(state.players):
        if other != seat:
            for k in range(state.left[other]):
                state.dice[other, k] = die(state.rng, SIDES)
