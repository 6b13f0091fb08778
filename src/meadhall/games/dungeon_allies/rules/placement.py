"""Placement (§The Turn, §Excursion, §Tavern): dice go on spaces, one at a time."""

from __future__ import annotations

import numpy as np

from meadhall.games.dungeon_allies.pieces import (
    ACTIONS,
    DICE,
    DISPLAY,
    MOST_GOLD_BID,
    NONE,
    SIDES,
    SQUARES,
    TRACK,
    TRAINER_SPACES,
    TREASURES,
    Act,
    Die,
    Item,
    Phase,
    Target,
    place_action,
)
from meadhall.games.dungeon_allies.rules.village import can_pay, pay_offering, receive, spend
from meadhall.games.dungeon_allies.state import Event, State, has_seen, has_tile
from meadhall.sdk import Grid, Row, emit, emit_private, i64, rule

LOOKS = 2  # DA-3.4: for one red crystal

# A set of dice is a mask: bit k is the die of that size.
_SETS = [[die for die in range(DICE) if mask >> die & 1] for mask in range(1 << DICE)]
DICE_COUNT = np.array([len(dice) for dice in _SETS], np.int32)
DICE_OF = np.array([dice + [NONE] * (DICE - len(dice)) for dice in _SETS], np.int32)
MASK = (1 << 9) - 1  # at least the number of every action
TRAINABLE = (1 << Die.D12) - 1
"""DA-3.3: Every die except the largest."""

# ------------------------------------------------------------------------------------------------------------------------ turns


@rule
def resolve_placement(state: State, log: Grid) -> bool:
    """DA-3.1, DA-3.2: Players place one die at a time. True when one must decide, False when all dice are placed."""
    while state.phase == Phase.PLACE:
        unplaced = find_next_player(state)
        if not unplaced:
            return False
        if not has_trade_only(state, unplaced):
            return True
        place_die(state, DICE_OF[unplaced, 0], i64(Target.TRADE), log)
    return True


@rule
def find_next_player(state: State) -> int:
    """DA-3.1: Find the next player with unplaced dice, in turn order and pass after pass.

    Returns these dice as a mask; 0 if all dice are placed.
    """
    for _ in range(state.players):
        seat = state.order[state.cursor]
        unplaced = unplaced_dice(state, seat)
        if unplaced:
            state.actor = seat
            return unplaced
        pass_turn(state)
    return 0


@rule
def pass_turn(state: State) -> None:
    """DA-3.1: Move on to the next player in turn order."""
    state.cursor += 1
    if state.cursor == state.players:
        state.cursor = 0


@rule
def is_unplaced(state: State, seat: int, die: int) -> bool:
    """DA-3.1: Whether a die is active and not placed yet."""
    return (state.ally[seat, die] != NONE) & (state.place[seat, die] == NONE)


@rule
def unplaced_dice(state: State, seat: int) -> int:
    """DA-3.1: The dice that a player still has to place, as a mask."""
    mask = 0
    for die in range(DICE):
        mask |= is_unplaced(state, seat, die) << die
    return mask


@rule
def has_trade_only(state: State, unplaced: int) -> bool:
    """DA-3.2: Whether the last die of the seat to move can only go to trade. It is then placed there automatically."""
    if DICE_COUNT[unplaced] > 1:
        return False
    for square in range(SQUARES):
        if can_attack(state, state.actor, square):
            return False
    return list_placements(state, np.zeros(ACTIONS, np.int32)) == 1


# ---------------------------------------------------------------------------------------------------------------- legal actions


@rule
def can_attack(state: State, seat: int, square: int) -> bool:
    """DA-3.3: A tile lies there, and no other player has a die there."""
    holder = state.holder[Target.SQUARE + square]
    return has_tile(state, square) & ((holder == NONE) | (holder == seat))


@rule
def is_on_track(state: State, seat: int) -> bool:
    """DA-3.3: Whether a seat already has a die on the turn order."""
    for space in range(state.players):
        if state.track[space] == seat:
            return True
    return False


@rule
def can_bid(state: State, seat: int) -> bool:
    """DA-8.1: A follower is there, and the seat has room for one. DA-8.2: A player can't outbid themselves.

    DA-19.2: The first bid may cost gold, too.
    """
    if state.followers == 0 or state.bidder == seat or count_allies(state, seat) == DICE:
        return False
    if state.bidder == NONE:
        return highest_bid(state, seat) >= state.first_bid
    return state.bid < highest_bid(state, seat)


@rule
def count_allies(state: State, seat: int) -> int:
    """DA-1.3: The allies of a seat: one for each die, so five at most."""
    count = 0
    for die in range(DICE):
        count += state.ally[seat, die] != NONE
    return count


@rule
def highest_bid(state: State, seat: int) -> int:
    """DA-8.1: The player's gold, at most 60."""
    return min(state.gold[seat], MOST_GOLD_BID)


@rule
def can_loot(state: State, seat: int, space: int) -> bool:
    """DA-3.3: No die lies on the treasure. DA-19.7: And perhaps none of the seat's on another one."""
    if state.one_treasure:
        for other in range(TREASURES):
            if state.holder[Target.TREASURE + other] == seat:
                return False
    return state.holder[Target.TREASURE + space] == NONE


@rule
def can_free(state: State, seat: int, space: int) -> bool:
    """DA-3.3: No die lies on the prisoner's space. DA-19.4: And perhaps the seat must have the offering now."""
    return state.holder[Target.PRISONER + space] == NONE and (not state.offering_first or can_pay(state, seat, space))


@rule
def can_buy(state: State, space: int) -> bool:
    """DA-3.3: A card is there, and no die."""
    return (state.display[space] != NONE) & (state.holder[Target.SORCERER + space] == NONE)


@rule
def can_illuminate(state: State, seat: int) -> bool:
    """DA-3.4: A red crystal, and a tile that the player has not seen."""
    return state.crystals[seat, Item.RED] > 0 and count_unseen(state, seat) > 0


@rule
def can_peek(state: State, seat: int, square: int) -> bool:
    """DA-3.4: A tile that the player has not seen. Dice on it don't matter."""
    return has_tile(state, square) and not has_seen(state, seat, square)


@rule
def count_unseen(state: State, seat: int) -> int:
    """DA-3.4: How many tiles a player could look at."""
    count = 0
    for square in range(SQUARES):
        count += can_peek(state, seat, square)
    return count


@rule
def list_placements(state: State, out: Row) -> int:
    """DA-3.3: Every unplaced die on every open space. DA-3.4: Illuminate."""
    seat = state.actor
    unplaced = unplaced_dice(state, seat)
    count = 0
    for square in range(SQUARES):
        count = list_dice(unplaced, Target.SQUARE + square, can_attack(state, seat, square), out, count)
    count = list_dice(unplaced, i64(Target.TURN_ORDER), not is_on_track(state, seat), out, count)
    for space in range(TREASURES):
        count = list_dice(unplaced, Target.TREASURE + space, can_loot(state, seat, space), out, count)
    count = list_dice(unplaced & TRAINABLE, i64(Target.TRAINER), state.trainees < TRAINER_SPACES, out, count)
    count = list_dice(unplaced, i64(Target.TAVERN), can_bid(state, seat), out, count)
    for space in range(state.prisoners):
        count = list_dice(unplaced, Target.PRISONER + space, can_free(state, seat, space), out, count)
    count = list_dice(unplaced, i64(Target.TRADE), True, out, count)
    for space in range(DISPLAY):
        count = list_dice(unplaced, Target.SORCERER + space, can_buy(state, space), out, count)
    out[count] = Act.ILLUMINATE
    return count + can_illuminate(state, seat)


@rule
def list_dice(dice: int, target: int, is_open: bool, out: Row, count: int) -> int:
    """List some dice on one target.

    They are always written, but only counted if the target is open: one branch less to mispredict.
    """
    start = count & MASK  # the same value, but now the compiler knows that it isn't negative: no index from the end
    for k in range(DICE):
        out[start + k] = place_action(target, DICE_OF[dice, k])
    return count + is_open * int(DICE_COUNT[dice])


@rule
def list_peeks(state: State, out: Row) -> int:
    """DA-3.4: The tiles that the player has not seen."""
    count = 0
    for square in range(SQUARES):
        if can_peek(state, state.actor, square):
            out[count] = Act.PEEK + square
            count += 1
    return count


@rule
def list_bids(state: State, out: Row) -> int:
    """DA-8.1: At least one more than the last bid, at most all the player's gold."""
    count = 0
    for amount in range(state.bid + 1, highest_bid(state, state.actor) + 1):
        out[count] = Act.BID + amount
        count += 1
    return count


# -------------------------------------------------------------------------------------------------------------------------- die


@rule
def place_die(state: State, die: int, target: int, log: Grid) -> None:
    """DA-3.2, DA-3.3: The die goes on a space, and the next player continues. DA-8.1: In the tavern a bid comes first.

    DA-19.4: At a prisoner the offering may be due at once.
    """
    seat = state.actor
    state.place[seat, die] = target
    emit(log, Event.PLACED, seat, SIDES[die], occupy(state, seat, die, target))
    if target == Target.TAVERN:
        open_bid(state, seat, log)
        return
    if state.offering_first and Target.PRISONER <= target < Target.TRADE:
        pay_offering(state, seat, target - Target.PRISONER, log)
    pass_turn(state)


@rule
def occupy(state: State, seat: int, die: int, target: int) -> int:
    """DA-3.3: Take the target for the seat. Returns the spot: on the turn order and at the trainer the first free space."""
    state.holder[target] = seat
    spot = target
    if target > Target.TURN_ORDER:
        spot += TRACK - 1
    if target > Target.TRAINER:
        spot += TRAINER_SPACES - 1
    if target == Target.TURN_ORDER:
        while state.track[spot - Target.TURN_ORDER] != NONE:
            spot += 1
        state.track[spot - Target.TURN_ORDER] = seat
    elif target == Target.TRAINER:
        state.trainee[state.trainees] = seat * DICE + die
        spot += state.trainees
        state.trainees += 1
    return spot


# ----------------------------------------------------------------------------------------------------------------------- tavern


@rule
def open_bid(state: State, seat: int, log: Grid) -> None:
    """DA-8.1: The first die bids nothing, later ones more than the last bid. A single possible bid is made automatically.

    DA-19.2: With this house rule the first die bids one gold at least.
    """
    if state.bidder == NONE and state.first_bid == 0:
        make_bid(state, 0, log)
    elif state.bid + 1 == highest_bid(state, seat):
        make_bid(state, state.bid + 1, log)
    else:
        state.phase = Phase.BID


@rule
def make_bid(state: State, amount: int, log: Grid) -> None:
    """DA-8.2: The gold is spent at once and never refunded. DA-19.1: With this house rule the bid that it beats comes back."""
    outbid = state.bidder
    returned = state.bid
    state.bidder = state.actor
    state.bid = amount
    state.gold[state.actor] -= amount
    state.phase = Phase.PLACE
    emit(log, Event.BID, state.actor, amount)
    if state.bids_return and outbid != NONE:
        receive(state, outbid, i64(Item.GOLD), returned, log)
    pass_turn(state)


# ------------------------------------------------------------------------------------------------------------------- Illuminate


@rule
def illuminate(state: State, log: Grid) -> None:
    """DA-3.4: A red crystal buys looks at two tiles, or at one if no more are left."""
    spend(state, state.actor, Item.RED)
    emit(log, Event.ILLUMINATES, state.actor)
    state.peeks = min(LOOKS, count_unseen(state, state.actor))
    continue_illuminate(state, log)


@rule
def peek(state: State, square: int, log: Grid) -> None:
    """DA-3.4: Everyone sees which tile is looked at; only the player sees its face, permanently."""
    seat = state.actor
    state.peeks -= 1
    state.seen[square] |= 1 << (1 + seat)
    state.reveals += 1
    emit(log, Event.PEEKED, seat, square)
    emit_private(log, seat, Event.PEEK_FACE, seat, square, state.monster[square])


@rule
def continue_illuminate(state: State, log: Grid) -> None:
    """DA-3.4: Take the remaining looks. A single tile left is shown automatically. Then the player places a die."""
    if state.peeks > 0 and count_unseen(state, state.actor) == 1:
        for square in range(SQUARES):
            if can_peek(state, state.actor, square):
                peek(state, square, log)
    state.phase = Phase.PEEK if state.peeks > 0 else Phase.PLACE
