"""The state of a match of Dungeon Allies, its events, and small questions about it."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

import numpy as np

from meadhall.games.dungeon_allies.pieces import (
    ALLIES,
    CARDS,
    COLOURS,
    DEALT,
    DICE,
    DISPLAY,
    FIGHT_DICE,
    FIRST_FOLLOWER,
    FOLLOWERS,
    GONE,
    ITEMS,
    LEVELS,
    MONSTERS,
    NONE,
    PRISONERS,
    SEATS,
    SKILLS,
    SQUARES,
    TARGETS,
    TRACK,
    TRADES,
    TRAINER_SPACES,
    TREASURES,
)
from meadhall.sdk import I8, GameState, Grid, Row, record, rule, shuffle

ROUND_ENDS = (8, 16)  # DA-12.1
MAX_TURNS = 60  # DA-13.3
SEEN_BY_ALL = (1 << (1 + SEATS)) - 1  # value of ``State.seen`` for a tile that lies face up


class Step(IntEnum):
    """DA-4.1: the placement of the dice, then the eight places in the order in which they are resolved."""

    PLACEMENT = 0
    EXCURSION = 1
    TURN_ORDER = 2
    TREASURE = 3
    TRAINER = 4
    TAVERN = 5
    PRISONER = 6
    TRADE = 7
    SORCERER = 8


class Event(IntEnum):
    """A kind of event."""

    TILE = 1
    CHARACTER = 2
    PERCENTILE = 3
    ORDER = 4
    CARD_SHOWN = 5
    FOLLOWER_TOP = 6
    TREASURE = 7
    ASSIGNED = 8
    PLACED = 9
    BID = 10
    ILLUMINATES = 11
    PEEKED = 12
    PEEK_FACE = 13
    FIGHTS = 14
    REVEALED = 15
    ENHANCES = 16
    BLESSES = 17
    ROLLED = 18
    REROLLED = 19
    TOTAL = 20
    HAMMERS = 21
    DEFEATS = 22
    FAILS = 23
    ROUND = 24
    GAINS = 25
    PAYS = 26
    LOOTS = 27
    GUARDED = 28
    TRAINED = 29
    TRAINING_FORFEIT = 30
    FOLLOWER_JOINS = 31
    TAVERN_FORFEIT = 32
    FREES = 33
    PRISONER_FORFEIT = 34
    PRISONER_DECLINED = 35
    TRADES = 36
    BUYS = 37
    DECLINES = 38
    CANNOT_PAY = 39
    TURN_ENDED = 40
    SCORE = 41
    WON = 42


@record
class State(GameState):
    """The state of a match. The first fields hold what is printed on the components and never change."""

    target: Annotated[Grid, np.int8, LEVELS, MONSTERS]  # DA-4.4: the total that the dice must reach
    bounty: Annotated[Grid, np.int8, LEVELS, MONSTERS]  # DA-4.4: the gold
    weakness: Annotated[Row, np.int8, MONSTERS]  # a skill
    skill: Annotated[Row, np.int8, ALLIES]
    track_gift: Annotated[Grid, np.int8, TRACK, ITEMS]  # DA-5.1
    level: Annotated[Row, np.int8, SQUARES]  # DA-1.5: of each square: 0 yellow, 1 blue, 2 red
    prisoners: I8  # DA-9.1: how many there are
    offering: Annotated[Grid, np.int8, PRISONERS, ITEMS]  # DA-9.1
    reward: Annotated[Grid, np.int8, PRISONERS, ITEMS]  # DA-9.1
    lines: I8  # DA-10.1: of the trade table
    exchange: Annotated[Grid, np.int8, 2 * TRADES, COLOURS]  # DA-10.1: rows 2 j and 2 j + 1 are the left and right of line j
    enhancers: Annotated[Row, np.int8, FIGHT_DICE]  # DA-1.4, DA-4.5: whether Enhance may add a die of that size
    refill: I8  # DA-11.3: whether empty sorcerer spaces are filled again
    tile_points: Annotated[Grid, np.int8, CARDS, SKILLS]  # DA-13.2: a card's points for each kept tile with a weakness
    crystal_points: Annotated[Grid, np.int8, CARDS, COLOURS]  # DA-13.2: a card's points for every full ``crystals_per`` crystals
    crystals_per: Annotated[Grid, np.int8, CARDS, COLOURS]
    fixed_points: Annotated[Row, np.int8, CARDS]  # DA-13.2: a card's points for owning it
    bids_return: I8  # DA-19.1: whether losing bids come back
    first_bid: I8  # DA-19.2: the least first bid
    below_characters: I8  # DA-19.3: whether a follower's die need only be smaller than those of the characters
    offering_first: I8  # DA-19.4: whether the offering is paid when the die is placed
    second_round: I8  # DA-19.8: the number of removed tiles with which round 2 begins
    third_round: I8  # DA-19.9: and round 3
    one_treasure: I8  # DA-19.7: whether a player may have only one die on the treasures

    phase: I8
    step: I8
    turn: I8  # from 1
    removed: I8  # DA-12.1: tiles that have left the squares
    order: Annotated[Row, np.int8, SEATS]  # the seats in turn order; NONE before it is rolled (DA-2.5)
    cursor: I8  # progress of the placing pass or of the step: a position in the turn order, or a space

    gold: Annotated[Row, np.int32, SEATS]
    crystals: Annotated[Grid, np.int8, SEATS, COLOURS]
    box: Annotated[Row, np.int8, COLOURS]  # DA-1.6
    dealt: Annotated[Grid, np.int8, SEATS, DEALT]  # DA-2.1: the characters in the order dealt
    ally: Annotated[Grid, np.int8, SEATS, DICE]  # the ally that has the token of that size
    place: Annotated[Grid, np.int8, SEATS, DICE]  # the target on which the die lies

    monster: Annotated[Row, np.int8, SQUARES]  # the tile on a square; NONE if the viewer doesn't know it, or GONE
    seen: Annotated[Row, np.uint8, SQUARES]  # bit 1 + k: seat k has seen the tile that lies there; bit 0: a spectator has
    former: Annotated[Row, np.int8, SQUARES]  # the tile that has left a square, known to all
    owner: Annotated[Row, np.int8, MONSTERS]  # the seat that keeps a tile; NONE while the tile lies on a square, or GONE
    holder: Annotated[Row, np.int8, TARGETS]  # the seat with a die on a target; where several may lie, of the last die
    peeks: I8  # looks that the seat to move still has

    square: I8  # the square of the current fight
    extra: Annotated[Row, np.int8, FIGHT_DICE]  # DA-4.5: dice added by Enhance
    blessed: Annotated[Row, np.int8, FIGHT_DICE]
    rolled: Annotated[Row, np.int8, FIGHT_DICE]  # 0 if the die is not in the fight or not rolled yet
    won_fight: Annotated[Row, np.int8, SEATS]  # DA-6.2: this turn

    track: Annotated[Row, np.int8, TRACK]  # the seat on each space of the turn order
    treasure: Annotated[Grid, np.int8, TREASURES, ITEMS]
    trainees: I8  # dice at the trainer
    trainee: Annotated[Row, np.int8, TRAINER_SPACES]  # seat * DICE + die, from the top
    bidder: I8  # DA-8.1: the seat with the leading bid
    bid: I8
    followers: I8  # left in the stack
    stack: Annotated[Row, np.int8, FOLLOWERS]  # allies; the last of those left is on top
    traded: Annotated[Row, np.int8, TRADES]  # DA-10.2: 1 + the direction in which this visit uses the line, or 0
    display: Annotated[Row, np.int8, DISPLAY]  # the cards on show
    cards: I8  # left in the deck
    deck: Annotated[Row, np.int8, CARDS]  # the last of those left is next
    card_owner: Annotated[Row, np.int8, CARDS]


@rule
def current_round(state: State) -> int:
    """DA-12.1: The round, 1 to 3, by the number of tiles removed."""
    return 1 + (state.removed >= state.second_round) + (state.removed >= state.third_round)


@rule
def has_seen(state: State, seat: int, square: int) -> bool:
    """DA-3.4: Whether a seat (-1: a spectator) knows the tile on a square."""
    return (state.seen[square] >> (1 + seat)) & 1 == 1


@rule
def has_tile(state: State, square: int) -> bool:
    """DA-3.3: Whether a tile still lies on a square."""
    return state.monster[square] != GONE


@rule
def has_follower(state: State, follower: int) -> bool:
    """DA-1.2: Whether a player has won this follower."""
    for seat in range(state.players):
        for die in range(DICE):
            if state.ally[seat, die] == follower:
                return True
    return False


@rule
def lowest_die(state: State, seat: int) -> int:
    """DA-8.3: The smallest die of a seat's allies, followers included. DA-19.3: Or of its characters."""
    for die in range(DICE):
        ally = state.ally[seat, die]
        if ally != NONE and (not state.below_characters or ally < FIRST_FOLLOWER):
            return die
    return DICE


@rule
def can_take(state: State, seat: int, die: int) -> bool:
    """DA-8.3, DA-1.2: Whether a new follower could have this die: a free one that is small enough."""
    return die < lowest_die(state, seat) and state.ally[seat, die] == NONE


@rule
def conceal(state: State, seat: int) -> None:
    """DA-14.2: Hide the tiles that the seat hasn't seen, the followers below the top one, and the deck."""
    for square in range(SQUARES):
        if state.monster[square] >= 0 and not has_seen(state, seat, square):
            state.monster[square] = NONE
    for k in range(state.followers - 1):
        state.stack[k] = NONE
    for k in range(state.cards):
        state.deck[k] = NONE


@rule
def redeal(state: State, seat: int) -> None:
    """DA-14.1: Draw a determinization: every arrangement of the hidden pieces, which all players know, is equally likely."""
    unseen = np.zeros(MONSTERS, np.int8)
    redeal_monsters(state, unseen)
    redeal_followers(state, unseen)
    redeal_cards(state, unseen)


@rule
def redeal_monsters(state: State, unseen: Row) -> None:
    """DA-14.1: Shuffle the tiles that still lie on squares and that the seat hasn't seen there."""
    count = 0
    for monster in range(MONSTERS):
        if state.owner[monster] == NONE and not is_located(state, monster):
            unseen[count] = monster
            count += 1
    shuffle(state.rng, unseen, count)
    for square in range(SQUARES):
        if state.monster[square] == NONE:
            count -= 1
            state.monster[square] = unseen[count]


@rule
def is_located(state: State, monster: int) -> bool:
    """Return whether the viewer knows on which square a tile lies."""
    for square in range(SQUARES):
        if state.monster[square] == monster:
            return True
    return False


@rule
def redeal_followers(state: State, unseen: Row) -> None:
    """Shuffle the followers in the stack, except the one on top."""
    top = state.followers - 1
    count = 0
    for follower in range(FIRST_FOLLOWER, FIRST_FOLLOWER + FOLLOWERS):
        if not has_follower(state, follower) and (top < 0 or state.stack[top] != follower):
            unseen[count] = follower
            count += 1
    shuffle(state.rng, unseen, count)
    for k in range(count):
        state.stack[k] = unseen[k]


@rule
def redeal_cards(state: State, unseen: Row) -> None:
    """Shuffle the deck: the cards that are not on show and have no owner."""
    count = 0
    for card in range(CARDS):
        if state.card_owner[card] == NONE and not is_on_show(state, card):
            unseen[count] = card
            count += 1
    shuffle(state.rng, unseen, count)
    for k in range(count):
        state.deck[k] = unseen[k]


@rule
def is_on_show(state: State, card: int) -> bool:
    """DA-11.1: Whether a card lies on one of the sorcerer's spaces."""
    for space in range(DISPLAY):
        if state.display[space] == card:
            return True
    return False
