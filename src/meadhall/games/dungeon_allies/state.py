"""Dungeon Allies: what lies on the table, the actions, the state, and small questions about it."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

import numpy as np

from meadhall.engine.rule import rule
from meadhall.engine.schema import I8, GameState, Grid, Row, record

SEATS = 5
NONE = -1  # nobody, nothing; or what the viewer may not know

# Dice are known by their size: d4 is 0, d12 is 4. A player never has two of a size (DA-1.2), so it names an ally too.
DICE = 5
D4, D6, D8, D10, D12 = range(DICE)
SIDES = (4, 6, 8, 10, 12)

# Crystals by colour, red to white; gold is the sixth item.
COLOURS = 5
RED, BLUE, YELLOW, GREEN, WHITE = range(COLOURS)
GOLD = COLOURS
ITEMS = COLOURS + 1
CRYSTALS = (24, 16, 10, 6, 4)

SKILLS = 8
CHARACTERS = 10
FOLLOWERS = 8
FIRST_FOLLOWER = CHARACTERS  # allies are known by their place in the data: characters, then followers
ALLIES = CHARACTERS + FOLLOWERS
DEALT = 2

SQUARES = 28
MONSTERS = 28
LEVELS = 3
LEVEL_SQUARES = 8  # on each level but the last, which has the rest
ROUND_ENDS = (8, 16)
GONE = -2  # instead of the tile on a square: none is left there; instead of a tile's owner: it is out of the game

LOOKS = 2  # DA-3.4: for one red crystal
EVERYBODY_HAS = (1 << (1 + SEATS)) - 1  # of ``seen``: the tile lies face up

TRACK = 5
TREASURES = 5
GOLD_TREASURE = 4
TRAINER_SPACES = 9
PRISONERS = 5
TRADES = 4
DISPLAY = 5
CARDS = 16
MOST_GOLD_BID = 60
MAX_TURNS = 60

# Targets of a die, as PLACE numbers them.
ON_SQUARE = 0
ON_TRACK = ON_SQUARE + SQUARES
ON_TREASURE = ON_TRACK + 1
ON_TRAINER = ON_TREASURE + TREASURES
ON_TAVERN = ON_TRAINER + 1
ON_PRISONER = ON_TAVERN + 1
ON_TRADE = ON_PRISONER + PRISONERS
ON_SORCERER = ON_TRADE + 1
TARGETS = ON_SORCERER + DISPLAY

# Where a die lies, as events tell it: like a target, but with the numbers of the spaces that go by themselves.
AT_SQUARE = 0
AT_TRACK = AT_SQUARE + SQUARES
AT_TREASURE = AT_TRACK + TRACK
AT_TRAINER = AT_TREASURE + TREASURES
AT_TAVERN = AT_TRAINER + TRAINER_SPACES
AT_PRISONER = AT_TAVERN + 1
AT_TRADE = AT_PRISONER + PRISONERS
AT_SORCERER = AT_TRADE + 1
SPOTS = AT_SORCERER + DISPLAY

# Actions.
ASSIGN = 0
PLACE = ASSIGN + DEALT
ILLUMINATE = PLACE + DICE * TARGETS
PEEK = ILLUMINATE + 1
BID = PEEK + SQUARES - 1  # + the amount, at least 1
FIGHT = BID + MOST_GOLD_BID + 1
ROLL = FIGHT + SQUARES
HAMMER = ROLL + 1
ENHANCE = HAMMER + 1
BLESS = ENHANCE + DICE
ACCEPT = BLESS + DICE
REROLL = ACCEPT + 1
FOLLOWER_DIE = REROLL + DICE
END_TRADE = FOLLOWER_DIE + DICE
TRADE = END_TRADE + 1  # + 2 * line + direction
DECLINE = TRADE + 2 * TRADES
BUY = DECLINE + 1
ACTIONS = BUY + 1


class Phase(IntEnum):
    """What the actor is to decide."""

    ASSIGN = 0  # which character gets the d6
    PLACE = 1  # a die on a space, or Illuminate
    PEEK = 2  # at which tile to look
    BID = 3  # how much gold for the follower
    FIGHT_ORDER = 4  # which square first
    PREP = 5  # spells before the roll
    REROLL = 6  # spells after it
    FOLLOWER_DIE = 7  # the follower's die
    TRADE = 8  # an exchange, or none
    BUY = 9  # whether to pay for a card


class Step(IntEnum):
    """DA-4.1: the eight places in their order; before them the dice are placed."""

    PLACEMENT = 0
    EXCURSION = 1
    TURN_ORDER = 2
    TREASURE = 3
    TRAINER = 4
    TAVERN = 5
    PRISONER = 6
    TRADE = 7
    SORCERER = 8


class CardKind(IntEnum):
    """DA-13.2: what a card gives points for."""

    MONSTER = 0  # kept tiles with a weakness
    CRYSTAL = 1  # crystals of a colour
    FIXED = 2


class Event(IntEnum):
    """What can happen."""

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
    TRADES = 35
    BUYS = 36
    DECLINES = 37
    CANNOT_PAY = 38
    TURN_ENDED = 39
    SCORE = 40
    WON = 41


@record
class State(GameState):
    """The state of a match: first what is printed on the components, which never changes, then what lies where."""

    target: Annotated[Grid, np.int8, LEVELS, MONSTERS]  # DA-4.4: what the dice have to reach
    bounty: Annotated[Grid, np.int8, LEVELS, MONSTERS]  # the gold
    weakness: Annotated[Row, np.int8, MONSTERS]  # a skill
    skill: Annotated[Row, np.int8, ALLIES]
    track_gift: Annotated[Grid, np.int8, TRACK, ITEMS]  # DA-5.1
    offering: Annotated[Grid, np.int8, PRISONERS, ITEMS]  # DA-9.1
    reward: Annotated[Grid, np.int8, PRISONERS, ITEMS]
    exchange: Annotated[Grid, np.int8, 2 * TRADES, COLOURS]  # DA-10.1: rows 2 j and 2 j + 1 are the left and right of line j
    card_kind: Annotated[Row, np.int8, CARDS]
    card_subject: Annotated[Row, np.int8, CARDS]  # the weakness or the colour it counts
    card_per: Annotated[Row, np.int8, CARDS]  # DA-13.2: how many crystals make it score once
    card_points: Annotated[Row, np.int8, CARDS]

    phase: I8
    step: I8
    turn: I8  # from 1
    removed: I8  # DA-12.1: tiles that have left the squares
    order: Annotated[Row, np.int8, SEATS]  # the seats in turn order
    cursor: I8  # how far the placing pass or the step has come: a place in the order, or a space

    gold: Annotated[Row, np.int16, SEATS]
    crystals: Annotated[Grid, np.int8, SEATS, COLOURS]
    box: Annotated[Row, np.int8, COLOURS]  # DA-1.6
    dealt: Annotated[Grid, np.int8, SEATS, DEALT]  # DA-2.1: the characters in the order dealt
    ally: Annotated[Grid, np.int8, SEATS, DICE]  # who has the token of that size
    place: Annotated[Grid, np.int8, SEATS, DICE]  # the target on which the die lies

    monster: Annotated[Row, np.int8, SQUARES]  # the tile on a square, NONE if the viewer doesn't know which, or GONE
    seen: Annotated[Row, np.uint8, SQUARES]  # bit 1 + k: seat k has seen the tile that lies there; bit 0: a spectator has
    former: Annotated[Row, np.int8, SQUARES]  # the tile that has left a square: everybody has seen it there
    owner: Annotated[Row, np.int8, MONSTERS]  # of a tile: who keeps it, NONE while it lies on a square, or GONE
    holder: Annotated[Row, np.int8, TARGETS]  # whose die is on a target; where others may go too, whose came last
    peeks: I8  # looks left to take

    square: I8  # where the fight is
    extra: Annotated[Row, np.int8, DICE]  # DA-4.5: dice added by Enhance
    blessed: Annotated[Row, np.int8, DICE]
    rolled: Annotated[Row, np.int8, DICE]  # 0 if the die is not in the fight, or not rolled yet
    won_fight: Annotated[Row, np.int8, SEATS]  # DA-6.2: this turn

    track: Annotated[Row, np.int8, TRACK]  # the seat on each space
    treasure: Annotated[Grid, np.int8, TREASURES, ITEMS]  # what lies there
    trainees: I8
    trainee: Annotated[Row, np.int8, TRAINER_SPACES]  # seat * DICE + die, from the top
    bidder: I8  # DA-8.1: who leads
    bid: I8
    followers: I8  # left in the stack
    stack: Annotated[Row, np.int8, FOLLOWERS]  # allies; the last of those left is on top
    traded: Annotated[Row, np.int8, TRADES]  # DA-10.2: 1 + the direction in which this visit uses the line, or 0
    display: Annotated[Row, np.int8, DISPLAY]  # the cards on show
    cards: I8  # left in the deck
    deck: Annotated[Row, np.int8, CARDS]  # the last of those left is next
    card_owner: Annotated[Row, np.int8, CARDS]


@rule
def level_of(square: int) -> int:
    """DA-1.5: the colour of a square: 0 yellow, 1 blue, 2 red."""
    return min(square // LEVEL_SQUARES, LEVELS - 1)


@rule
def current_round(state: State) -> int:
    """DA-12.1: 1 to 3, by the number of tiles removed."""
    return 1 + (state.removed >= ROUND_ENDS[0]) + (state.removed >= ROUND_ENDS[1])


@rule
def has_seen(state: State, seat: int, square: int) -> bool:
    """DA-3.4: whether a seat (-1: a spectator) knows the tile on a square."""
    return (state.seen[square] >> (1 + seat)) & 1 == 1


@rule
def has_tile(state: State, square: int) -> bool:
    """DA-3.3: whether a tile still lies on a square."""
    return state.monster[square] != GONE


@rule
def has_follower(state: State, follower: int) -> bool:
    """DA-1.2: whether somebody has won a follower."""
    for seat in range(state.players):
        for die in range(DICE):
            if state.ally[seat, die] == follower:
                return True
    return False


@rule
def lowest_die(state: State, seat: int) -> int:
    """DA-8.3: the smallest die of a seat's allies, followers too."""
    for die in range(DICE):
        if state.ally[seat, die] != NONE:
            return die
    return DICE
