"""Placement (§The Turn, §Excursion, §Tavern): dice go on spaces, one at a time."""

from __future__ import annotations

import numpy as np

from meadhall.engine.events import emit, whisper
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.games.dungeon_allies.rules.supply import spend
from meadhall.games.dungeon_allies.state import (
    ACTIONS,
    BID,
    D12,
    DICE,
    DISPLAY,
    ILLUMINATE,
    LOOKS,
    MOST_GOLD_BID,
    NONE,
    ON_PRISONER,
    ON_SORCERER,
    ON_SQUARE,
    ON_TAVERN,
    ON_TRACK,
    ON_TRADE,
    ON_TRAINER,
    ON_TREASURE,
    PEEK,
    PLACE,
    PRISONERS,
    RED,
    SIDES,
    SQUARES,
    TRACK,
    TRAINER_SPACES,
    TREASURES,
    Event,
    Phase,
    State,
    has_seen,
    has_tile,
)

# Sets of dice as masks: bit k is the die of that size.
_SETS = [[die for die in range(DICE) if mask >> die & 1] for mask in range(1 << DICE)]
DICE_COUNT = np.array([len(dice) for dice in _SETS], np.int32)
DICE_OF = np.array([dice + [NONE] * (DICE - len(dice)) for dice in _SETS], np.int32)
LAST = (1 << 9) - 1  # not less than the number of any action
CAN_GROW = (1 << D12) - 1
"""DA-3.3: the dice that are smaller than another."""

# ------------------------------------------------------------------------------------------------------------ whose turn it is


@rule
def resolve_placement(state: State, log: Grid) -> bool:
    """DA-3.1, DA-3.2: die after die. True when a decision is due, False when all are placed."""
    while state.phase == Phase.PLACE:
        waiting = find_placer(state)
        if not waiting:
            return False
        if not has_trade_only(state, waiting):
            return True
        place_die(state, DICE_OF[waiting, 0], ON_TRADE, log)
    return True


@rule
def find_placer(state: State) -> int:
    """DA-3.1: in turn order, again and again, to the next player who has dice to place. They are returned, as a mask."""
    for _ in range(state.players):
        seat = state.order[state.cursor]
        waiting = waiting_dice(state, seat)
        if waiting:
            state.actor = seat
            return waiting
        pass_on(state)
    return 0


@rule
def pass_on(state: State) -> None:
    """DA-3.1: the next one in turn order."""
    state.cursor += 1
    if state.cursor == state.players:
        state.cursor = 0


@rule
def is_waiting(state: State, seat: int, die: int) -> bool:
    """DA-3.1: whether a die is active and not placed yet."""
    return (state.ally[seat, die] != NONE) & (state.place[seat, die] == NONE)


@rule
def waiting_dice(state: State, seat: int) -> int:
    """DA-3.1: the dice that a player has to place, as a mask."""
    mask = 0
    for die in range(DICE):
        mask |= is_waiting(state, seat, die) << die
    return mask


@rule
def has_trade_only(state: State, waiting: int) -> bool:
    """DA-3.2: whether nothing is left to the actor but trade with the last die: then it is placed there without being asked."""
    if DICE_COUNT[waiting] > 1:
        return False
    for square in range(SQUARES):
        if can_attack(state, state.actor, square):
            return False
    return list_placements(state, np.zeros(ACTIONS, np.int32)) == 1


# ------------------------------------------------------------------------------------------------------------- what is legal


@rule
def can_attack(state: State, seat: int, square: int) -> bool:
    """DA-3.3: a tile lies there, and no other player's die does."""
    holder = state.holder[ON_SQUARE + square]
    return has_tile(state, square) & ((holder == NONE) | (holder == seat))


@rule
def is_on_track(state: State, seat: int) -> bool:
    """DA-3.3: whether a seat has a die on the turn order already."""
    for space in range(state.players):
        if state.track[space] == seat:
            return True
    return False


@rule
def can_bid(state: State, seat: int) -> bool:
    """DA-8.1: a follower is there, and room for one. DA-8.2: one can outbid others, not oneself."""
    if state.followers == 0 or state.bidder == seat or count_allies(state, seat) == DICE:
        return False
    return state.bidder == NONE or state.bid < highest_bid(state, seat)


@rule
def count_allies(state: State, seat: int) -> int:
    """DA-1.3: one for each die, so five at most."""
    count = 0
    for die in range(DICE):
        count += state.ally[seat, die] != NONE
    return count


@rule
def highest_bid(state: State, seat: int) -> int:
    """DA-8.1: all the gold that a player has, but not more than there are actions for."""
    return min(state.gold[seat], MOST_GOLD_BID)


@rule
def can_buy(state: State, space: int) -> bool:
    """DA-3.3: a card is there, and no die."""
    return (state.display[space] != NONE) & (state.holder[ON_SORCERER + space] == NONE)


@rule
def can_illuminate(state: State, seat: int) -> bool:
    """DA-3.4: a red crystal, and a tile not seen yet."""
    return state.crystals[seat, RED] > 0 and count_unseen(state, seat) > 0


@rule
def can_peek(state: State, seat: int, square: int) -> bool:
    """DA-3.4: a tile that the player has not seen; dice on it don't matter."""
    return has_tile(state, square) and not has_seen(state, seat, square)


@rule
def count_unseen(state: State, seat: int) -> int:
    """DA-3.4: how many tiles a player could look at."""
    count = 0
    for square in range(SQUARES):
        count += can_peek(state, seat, square)
    return count


@rule
def list_placements(state: State, out: Row) -> int:
    """DA-3.3: every die that waits on every space that is open, and DA-3.4."""
    seat = state.actor
    waiting = waiting_dice(state, seat)
    count = 0
    for square in range(SQUARES):
        count = list_dice(waiting, ON_SQUARE + square, can_attack(state, seat, square), out, count)
    count = list_dice(waiting, ON_TRACK, not is_on_track(state, seat), out, count)
    for space in range(TREASURES):
        count = list_dice(waiting, ON_TREASURE + space, state.holder[ON_TREASURE + space] == NONE, out, count)
    count = list_dice(waiting & CAN_GROW, ON_TRAINER, state.trainees < TRAINER_SPACES, out, count)
    count = list_dice(waiting, ON_TAVERN, can_bid(state, seat), out, count)
    for space in range(PRISONERS):
        count = list_dice(waiting, ON_PRISONER + space, state.holder[ON_PRISONER + space] == NONE, out, count)
    count = list_dice(waiting, ON_TRADE, True, out, count)
    for space in range(DISPLAY):
        count = list_dice(waiting, ON_SORCERER + space, can_buy(state, space), out, count)
    out[count] = ILLUMINATE
    return count + can_illuminate(state, seat)


@rule
def list_dice(dice: int, target: int, is_open: bool, out: Row, count: int) -> int:
    """Some dice on one target. They are written anyway, and counted if it is open: a branch less to be mispredicted."""
    at = count & LAST  # as it is; but now the compiler knows that it is not negative, which would count from the end
    for k in range(DICE):
        out[at + k] = PLACE + DICE * target + DICE_OF[dice, k]
    return count + is_open * int(DICE_COUNT[dice])


@rule
def list_peeks(state: State, out: Row) -> int:
    """DA-3.4: the tiles that the actor has not seen."""
    count = 0
    for square in range(SQUARES):
        if can_peek(state, state.actor, square):
            out[count] = PEEK + square
            count += 1
    return count


@rule
def list_bids(state: State, out: Row) -> int:
    """DA-8.1: at least one more than the last bid, at most all one has."""
    count = 0
    for amount in range(state.bid + 1, highest_bid(state, state.actor) + 1):
        out[count] = BID + amount
        count += 1
    return count


# ------------------------------------------------------------------------------------------------------------------ a die


@rule
def place_die(state: State, die: int, target: int, log: Grid) -> None:
    """DA-3.2, DA-3.3: a die goes on a space, and it is the next player's turn, but for DA-8.1: a bid may be due."""
    seat = state.actor
    state.place[seat, die] = target
    emit(log, Event.PLACED, seat, SIDES[die], occupy(state, seat, die, target))
    if target == ON_TAVERN:
        open_bid(state, seat, log)
    else:
        pass_on(state)


@rule
def occupy(state: State, seat: int, die: int, target: int) -> int:
    """DA-3.3: the space is the seat's now. Returns the spot: on the turn order and at the trainer the first one that is free."""
    state.holder[target] = seat
    spot = target
    if target > ON_TRACK:
        spot += TRACK - 1
    if target > ON_TRAINER:
        spot += TRAINER_SPACES - 1
    if target == ON_TRACK:
        while state.track[spot - ON_TRACK] != NONE:
            spot += 1
        state.track[spot - ON_TRACK] = seat
    elif target == ON_TRAINER:
        state.trainee[state.trainees] = seat * DICE + die
        spot += state.trainees
        state.trainees += 1
    return spot


# ---------------------------------------------------------------------------------------------------------------- the tavern


@rule
def open_bid(state: State, seat: int, log: Grid) -> None:
    """DA-8.1: the first die bids nothing, and later ones more than the last; a single possible bid is made at once."""
    if state.bidder == NONE:
        make_bid(state, 0, log)
    elif state.bid + 1 == highest_bid(state, seat):
        make_bid(state, state.bid + 1, log)
    else:
        state.phase = Phase.BID


@rule
def make_bid(state: State, amount: int, log: Grid) -> None:
    """DA-8.2: the gold is gone, whatever comes of it."""
    state.bidder = state.actor
    state.bid = amount
    state.gold[state.actor] -= amount
    state.phase = Phase.PLACE
    emit(log, Event.BID, state.actor, amount)
    pass_on(state)


# ---------------------------------------------------------------------------------------------------------------- Illuminate


@rule
def illuminate(state: State, log: Grid) -> None:
    """DA-3.4: a red crystal for looks at two tiles, one if no more are left."""
    spend(state, state.actor, RED)
    emit(log, Event.ILLUMINATES, state.actor)
    state.peeks = min(LOOKS, count_unseen(state, state.actor))
    look_on(state, log)


@rule
def peek(state: State, square: int, log: Grid) -> None:
    """DA-3.4: everybody sees at which tile the actor looks, and the actor what it is, for good."""
    seat = state.actor
    state.peeks -= 1
    state.seen[square] |= 1 << (1 + seat)
    state.reveals += 1
    emit(log, Event.PEEKED, seat, square)
    whisper(log, seat, Event.PEEK_FACE, seat, square, state.monster[square])


@rule
def look_on(state: State, log: Grid) -> None:
    """DA-3.4: the looks that are left; at the last tile one looks without being asked. Then the actor places a die."""
    if state.peeks > 0 and count_unseen(state, state.actor) == 1:
        for square in range(SQUARES):
            if can_peek(state, state.actor, square):
                peek(state, square, log)
    state.phase = Phase.PEEK if state.peeks > 0 else Phase.PLACE
