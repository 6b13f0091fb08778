"""Placement (§The Turn, §Excursion, §Tavern): dice go on spaces, one at a time."""

from __future__ import annotations

import numpy as np

from meadhall.engine.events import emit, whisper
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.games.dungeon_allies.rules.supply import spend
from meadhall.games.dungeon_allies.state import (
    ACTIONS,
    AT_PRISONER,
    AT_SORCERER,
    AT_SQUARE,
    AT_TAVERN,
    AT_TRACK,
    AT_TRADE,
    AT_TRAINER,
    AT_TREASURE,
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
    TRAINER_SPACES,
    TREASURES,
    Event,
    Phase,
    Table,
    has_seen,
    has_tile,
)

# ------------------------------------------------------------------------------------------------------------ whose turn it is


@rule
def resolve_placement(table: Table, log: Grid) -> bool:
    """DA-3.1, DA-3.2: die after die. True when a decision is due, False when all are placed."""
    while table.phase == Phase.PLACE and find_placer(table):
        if not has_trade_only(table):
            return True
        place_die(table, last_die(table, table.actor), ON_TRADE, log)
    return table.phase != Phase.PLACE


@rule
def find_placer(table: Table) -> bool:
    """DA-3.1: in turn order, again and again, to the next player who has a die to place. Whether there is one."""
    for _ in range(table.players):
        seat = table.order[table.cursor]
        if last_die(table, seat) != NONE:
            table.actor = seat
            return True
        pass_on(table)
    return False


@rule
def pass_on(table: Table) -> None:
    """DA-3.1: the next one in turn order."""
    table.cursor += 1
    if table.cursor == table.players:
        table.cursor = 0


@rule
def is_waiting(table: Table, seat: int, die: int) -> bool:
    """DA-3.1: whether a die is active and not placed yet."""
    return table.ally[seat, die] != NONE and table.place[seat, die] == NONE


@rule
def last_die(table: Table, seat: int) -> int:
    """The largest die that a seat has to place, or NONE."""
    for die in range(DICE - 1, -1, -1):
        if is_waiting(table, seat, die):
            return die
    return NONE


@rule
def has_trade_only(table: Table) -> bool:
    """DA-3.2: whether nothing is left to the actor but trade with the last die: then it is placed there without being asked."""
    waiting = 0
    for die in range(DICE):
        waiting += is_waiting(table, table.actor, die)
    if waiting > 1:
        return False
    for square in range(SQUARES):
        if can_attack(table, table.actor, square):
            return False
    return list_placements(table, np.zeros(ACTIONS, np.int32)) == 1


# ------------------------------------------------------------------------------------------------------------- what is legal


@rule
def can_attack(table: Table, seat: int, square: int) -> bool:
    """DA-3.3: a tile lies there, and no other player's die does."""
    return has_tile(table, square) and (table.holder[square] == NONE or table.holder[square] == seat)


@rule
def is_on_track(table: Table, seat: int) -> bool:
    """DA-3.3: whether a seat has a die on the turn order already."""
    for space in range(table.players):
        if table.track[space] == seat:
            return True
    return False


@rule
def can_train(table: Table, die: int) -> bool:
    """DA-3.3: there is a space, and a larger die."""
    return table.trainees < TRAINER_SPACES and die < D12


@rule
def can_bid(table: Table, seat: int) -> bool:
    """DA-8.1: a follower is there, and room for one. DA-8.2: one can outbid others, not oneself."""
    if table.followers == 0 or table.bidder == seat or count_allies(table, seat) == DICE:
        return False
    return table.bidder == NONE or table.bid < highest_bid(table, seat)


@rule
def count_allies(table: Table, seat: int) -> int:
    """DA-1.3: one for each die, so five at most."""
    count = 0
    for die in range(DICE):
        count += table.ally[seat, die] != NONE
    return count


@rule
def highest_bid(table: Table, seat: int) -> int:
    """DA-8.1: all the gold that a player has, but not more than there are actions for."""
    return min(table.gold[seat], MOST_GOLD_BID)


@rule
def can_buy(table: Table, space: int) -> bool:
    """DA-3.3: a card is there, and no die."""
    return table.display[space] != NONE and table.customer[space] == NONE


@rule
def can_illuminate(table: Table, seat: int) -> bool:
    """DA-3.4: a red crystal, and a tile not seen yet."""
    return table.crystals[seat, RED] > 0 and count_unseen(table, seat) > 0


@rule
def can_peek(table: Table, seat: int, square: int) -> bool:
    """DA-3.4: a tile that the player has not seen; dice on it don't matter."""
    return has_tile(table, square) and not has_seen(table, seat, square)


@rule
def count_unseen(table: Table, seat: int) -> int:
    """DA-3.4: how many tiles a player could look at."""
    count = 0
    for square in range(SQUARES):
        count += can_peek(table, seat, square)
    return count


@rule
def list_placements(table: Table, out: Row) -> int:
    """DA-3.3: every die that waits on every space that is open, and DA-3.4."""
    seat = table.actor
    count = 0
    for square in range(SQUARES):
        if can_attack(table, seat, square):
            count = list_dice(table, ON_SQUARE + square, out, count)
    if not is_on_track(table, seat):
        count = list_dice(table, ON_TRACK, out, count)
    for space in range(TREASURES):
        if table.looter[space] == NONE:
            count = list_dice(table, ON_TREASURE + space, out, count)
    for die in range(DICE):
        if is_waiting(table, seat, die) and can_train(table, die):
            out[count] = PLACE + DICE * ON_TRAINER + die
            count += 1
    if can_bid(table, seat):
        count = list_dice(table, ON_TAVERN, out, count)
    for space in range(PRISONERS):
        if table.liberator[space] == NONE:
            count = list_dice(table, ON_PRISONER + space, out, count)
    count = list_dice(table, ON_TRADE, out, count)
    for space in range(DISPLAY):
        if can_buy(table, space):
            count = list_dice(table, ON_SORCERER + space, out, count)
    if can_illuminate(table, seat):
        out[count] = ILLUMINATE
        count += 1
    return count


@rule
def list_dice(table: Table, target: int, out: Row, count: int) -> int:
    """The actor's dice that wait, on one target."""
    for die in range(DICE):
        if is_waiting(table, table.actor, die):
            out[count] = PLACE + DICE * target + die
            count += 1
    return count


@rule
def list_peeks(table: Table, out: Row) -> int:
    """DA-3.4: the tiles that the actor has not seen."""
    count = 0
    for square in range(SQUARES):
        if can_peek(table, table.actor, square):
            out[count] = PEEK + square
            count += 1
    return count


@rule
def list_bids(table: Table, out: Row) -> int:
    """DA-8.1: at least one more than the last bid, at most all one has."""
    count = 0
    for amount in range(table.bid + 1, highest_bid(table, table.actor) + 1):
        out[count] = BID + amount
        count += 1
    return count


# ------------------------------------------------------------------------------------------------------------------ a die


@rule
def place_die(table: Table, die: int, target: int, log: Grid) -> None:
    """DA-3.2, DA-3.3: a die goes on a space, and it is the next player's turn, but for DA-8.1: a bid may be due."""
    seat = table.actor
    table.place[seat, die] = target
    emit(log, Event.PLACED, seat, SIDES[die], occupy(table, seat, die, target))
    if target == ON_TAVERN:
        open_bid(table, seat, log)
    else:
        pass_on(table)


@rule
def occupy(table: Table, seat: int, die: int, target: int) -> int:
    """DA-3.3: the space is the seat's now. Returns the spot, whose number goes by itself on the turn order and at the trainer."""
    if target < ON_TRACK:
        table.holder[target - ON_SQUARE] = seat
        return AT_SQUARE + target - ON_SQUARE
    if target < ON_TREASURE:
        space = 0
        while table.track[space] != NONE:
            space += 1
        table.track[space] = seat
        return AT_TRACK + space
    if target < ON_TRAINER:
        table.looter[target - ON_TREASURE] = seat
        return AT_TREASURE + target - ON_TREASURE
    if target < ON_TAVERN:
        table.trainee[table.trainees] = seat * DICE + die
        table.trainees += 1
        return AT_TRAINER + table.trainees - 1
    if target < ON_PRISONER:
        return AT_TAVERN
    if target < ON_TRADE:
        table.liberator[target - ON_PRISONER] = seat
        return AT_PRISONER + target - ON_PRISONER
    if target < ON_SORCERER:
        return AT_TRADE
    table.customer[target - ON_SORCERER] = seat
    return AT_SORCERER + target - ON_SORCERER


# ---------------------------------------------------------------------------------------------------------------- the tavern


@rule
def open_bid(table: Table, seat: int, log: Grid) -> None:
    """DA-8.1: the first die bids nothing, and later ones more than the last; a single possible bid is made at once."""
    if table.bidder == NONE:
        make_bid(table, 0, log)
    elif table.bid + 1 == highest_bid(table, seat):
        make_bid(table, table.bid + 1, log)
    else:
        table.phase = Phase.BID


@rule
def make_bid(table: Table, amount: int, log: Grid) -> None:
    """DA-8.2: the gold is gone, whatever comes of it."""
    table.bidder = table.actor
    table.bid = amount
    table.gold[table.actor] -= amount
    table.phase = Phase.PLACE
    emit(log, Event.BID, table.actor, amount)
    pass_on(table)


# ---------------------------------------------------------------------------------------------------------------- Illuminate


@rule
def illuminate(table: Table, log: Grid) -> None:
    """DA-3.4: a red crystal for looks at two tiles, one if no more are left."""
    spend(table, table.actor, RED)
    emit(log, Event.ILLUMINATES, table.actor)
    table.peeks = min(LOOKS, count_unseen(table, table.actor))
    look_on(table, log)


@rule
def peek(table: Table, square: int, log: Grid) -> None:
    """DA-3.4: everybody sees at which tile the actor looks, and the actor what it is, for good."""
    seat = table.actor
    table.peeks -= 1
    table.seen[square] |= 1 << (1 + seat)
    table.reveals += 1
    emit(log, Event.PEEKED, seat, square)
    whisper(log, seat, Event.PEEK_FACE, seat, square, table.monster[square])


@rule
def look_on(table: Table, log: Grid) -> None:
    """DA-3.4: the looks that are left; at the last tile one looks without being asked. Then the actor places a die."""
    if table.peeks > 0 and count_unseen(table, table.actor) == 1:
        for square in range(SQUARES):
            if can_peek(table, table.actor, square):
                peek(table, square, log)
    table.phase = Phase.PEEK if table.peeks > 0 else Phase.PLACE
