"""Axes and Allies: the rules. Ids are those of the rulebook beside this file."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any

import numpy as np

from meadhall.sdk import I8, GameState, Grid, Row, die, emit, record, rule

SEATS = 6
SIDES = 6
DUEL = 2  # players left

# Attacking a seat is action ATTACK + seat, allying with it ALLY + seat.
ATTACK = 0
ALLY = ATTACK + SEATS
ACTIONS = ALLY + SEATS


class Event(IntEnum):
    """The kinds of events."""

    ORDER_ROLL = 1
    FIRST = 2
    POWER = 3
    VOIDED = 4
    LIMITED = 5
    ATTACK = 6
    ATTACK_ROLL = 7
    KILLED = 8
    MISSED = 9
    ALLIED = 10
    WON = 11


@record
class State(GameState):
    """The state of a match. Nothing in it is hidden."""

    power: I8  # of the axe of the seat to move, for this turn only
    living: I8  # players alive
    alive: Annotated[Row, np.int8, SEATS]
    allied: Annotated[Grid, np.int8, SEATS, SEATS]  # symmetric
    last_two_fight: I8  # AA-7.1: whether the last two may not ally
    sides: I8  # AA-7.2: of the die
    kills_on: I8  # AA-7.3: the smallest roll that kills at any power, 0 for none


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """AA-1: Each player takes an axe, and the die decides which player goes first."""
    state.living = players
    state.last_two_fight = options[0]
    state.sides = options[1]
    state.kills_on = options[2]
    for seat in range(players):
        state.alive[seat] = True
    first = roll_for_order(state, players, log)
    emit(log, Event.FIRST, first)
    begin_turn(state, first, log)


@rule
def roll_for_order(state: State, players: int, log: Grid) -> int:
    """AA-1.1, AA-1.2, AA-1.4: The highest roll goes first. Players tied for it roll again, in ascending seat order."""
    tied = (1 << players) - 1
    while True:
        highest = 0
        leaders = 0
        leader = 0
        for seat in range(players):
            if tied >> seat & 1:
                value = roll(state)
                emit(log, Event.ORDER_ROLL, seat, value)
                if value > highest:
                    highest = value
                    leaders = 0
                if value == highest:
                    leaders |= 1 << seat
                    leader = seat
        if leaders == 1 << leader:
            return leader
        tied = leaders


@rule(inline=True)
def begin_turn(state: State, seat: int, log: Grid) -> None:
    """AA-2.1, AA-2.3: Power is rolled as the turn begins. AA-4.1: A player allied with all others passes, except on a one."""
    while True:
        state.power = roll(state)
        emit(log, Event.POWER, seat, state.power)
        if state.power == 1:
            void_alliances(state, log)
        if can_choose(state, seat):
            state.actor = seat
            return
        emit(log, Event.LIMITED, seat)
        seat = next_living(state, seat)


@rule
def roll(state: State) -> int:
    """Roll the die, in public. AA-7.2: It has as many sides as the table chose."""
    state.reveals += 1
    return die(state.rng, state.sides)


@rule
def void_alliances(state: State, log: Grid) -> None:
    """AA-2.2, AA-4.2: A power of one voids every alliance between all players at once."""
    for seat in range(SEATS):  # all seats, not only those in play: a constant size compiles to one instruction
        for other in range(SEATS):
            state.allied[seat, other] = False
    emit(log, Event.VOIDED)


@rule
def can_be_chosen(state: State, seat: int, other: int) -> bool:
    """AA-3.2, AA-3.4, AA-3.5, AA-5.1: Any other living player can be chosen, but no ally. AA-3.6: Alliances aren't passed on."""
    return bool(state.alive[other]) and other != seat and not state.allied[seat, other]


@rule
def can_choose(state: State, seat: int) -> bool:
    """AA-4.1: A player allied with all other living players has no choice."""
    for other in range(state.players):
        if can_be_chosen(state, seat, other):
            return True
    return False


@rule
def next_living(state: State, seat: int) -> int:
    """AA-1.3: Turns pass clockwise and skip the dead."""
    while True:
        seat += 1
        if seat == state.players:
            seat = 0
        if state.alive[seat]:
            return seat


@rule(inline=True)
def legal(state: State, out: Row) -> int:
    """AA-3.1: Attack one player, or ally with one player; the same players can be chosen for both. There is no pass.

    AA-7.1: With this house rule the last two can't ally.
    """
    count = 0
    for other in range(state.players):
        if can_be_chosen(state, state.actor, other):
            out[count] = ATTACK + other
            count += 1
    if state.last_two_fight and state.living == DUEL:
        return count
    for k in range(count):
        out[count + k] = out[k] + ALLY - ATTACK
    return 2 * count


@rule(inline=True)
def play(state: State, action: int, log: Grid) -> None:
    """AA-3.1: The player attacks or allies, then the next turn begins."""
    seat = state.actor
    if action >= ALLY:
        ally(state, seat, action - ALLY, log)
    else:
        attack(state, seat, action - ATTACK, log)
    if state.living > 1:
        begin_turn(state, next_living(state, seat), log)
    else:
        win(state, seat, log)


@rule(inline=True)
def attack(state: State, seat: int, victim: int, log: Grid) -> None:
    """AA-3.2: A roll below the power kills. AA-3.3: With power one an attack is allowed, but always fails."""
    emit(log, Event.ATTACK, seat, victim)
    value = roll(state)
    emit(log, Event.ATTACK_ROLL, seat, value)
    if kills(state, value):
        kill(state, victim)
        emit(log, Event.KILLED, seat, victim)
    else:
        emit(log, Event.MISSED, seat, victim)


@rule
def kills(state: State, value: int) -> bool:
    """AA-3.2: A roll below the power kills. AA-7.3: With this number of the rules a high roll does, too."""
    return value < state.power or 0 < state.kills_on <= value


@rule
def killing_rolls(state: State) -> int:
    """AA-3.2, AA-7.3: Return how many of the rolls kill with the power of this turn."""
    low = state.power - 1
    return low + max(0, state.sides + 1 - max(state.kills_on, state.power)) if state.kills_on else low


@rule
def kill(state: State, victim: int) -> None:
    """AA-5.1: The dead take no more turns and can't be chosen."""
    state.alive[victim] = False
    state.living -= 1


@rule
def ally(state: State, seat: int, partner: int, log: Grid) -> None:
    """AA-3.4: The partner has no say; the alliance binds both."""
    state.allied[seat, partner] = True
    state.allied[partner, seat] = True
    emit(log, Event.ALLIED, seat, partner)


@rule
def win(state: State, seat: int, log: Grid) -> None:
    """AA-6.1: The last living player, the one that has just killed, wins."""
    state.actor = -1
    state.power = 0
    emit(log, Event.WON, seat)


@rule
def score(state: State, out: Any) -> None:
    """AA-6.1: The last living player gets everything."""
    for seat in range(state.players):
        out[seat] = 1.0 if state.alive[seat] else 0.0
