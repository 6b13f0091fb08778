"""The pieces of Dungeon Allies: how many there are, and the numbers by which the rules name them."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from meadhall.sdk import rule

SEATS = 5
NONE = -1  # no seat, no piece; or a piece that the viewer doesn't know
GONE = -2  # on a square: its tile has been removed; as the owner of a tile: it is out of the game

# ------------------------------------------------------------------------------------------------------------ dice and crystals

DICE = 5  # sizes of the dice that allies have
FIGHT_DICE = DICE + 1  # sizes that may be in a fight: Enhance may add a d20, if the components allow it
SIDES = (4, 6, 8, 10, 12, 20)


class Die(IntEnum):
    """A size of die. It names an ally too: a player never has two allies with dice of the same size (DA-1.2).

    The d20 belongs to no ally (DA-1.4).
    """

    D4 = 0
    D6 = 1
    D8 = 2
    D10 = 3
    D12 = 4
    D20 = 5


class Item(IntEnum):
    """A colour of crystal, or gold."""

    RED = 0
    BLUE = 1
    YELLOW = 2
    GREEN = 3
    WHITE = 4
    GOLD = 5


COLOURS = 5
ITEMS = COLOURS + 1
CRYSTALS = (24, 16, 10, 6, 4)  # DA-1.1: by colour

# -------------------------------------------------------------------------------------------------------------- tiles and cards

SKILLS = 8
CHARACTERS = 10
FOLLOWERS = 8
FIRST_FOLLOWER = CHARACTERS  # allies are numbered in the order of the data: characters, then followers
ALLIES = CHARACTERS + FOLLOWERS
DEALT = 2  # DA-2.1: characters for each player

MONSTERS = 28
CARDS = 16


# ----------------------------------------------------------------------------------------------------------------------- boards

SQUARES = 28
LEVELS = 3
TRACK = 5
TREASURES = 5
GOLD_TREASURE = 4  # the treasure space for gold
TRAINER_SPACES = 9
PRISONERS = 8  # at most: the components say how many there are
TRADES = 8  # lines of the trade table that have action numbers; DA-10.2 allows five
DISPLAY = 5  # cards on show


class Target(IntEnum):
    """The first target of each place. A die is placed on ``Target.TREASURE + 2``, for example: the third treasure space.

    The turn order and the trainer are one target each, because the rules choose the space there (DA-3.3).
    """

    SQUARE = 0
    TURN_ORDER = SQUARE + SQUARES
    TREASURE = TURN_ORDER + 1
    TRAINER = TREASURE + TREASURES
    TAVERN = TRAINER + 1
    PRISONER = TAVERN + 1
    TRADE = PRISONER + PRISONERS
    SORCERER = TRADE + 1


TARGETS = Target.SORCERER + DISPLAY


class Spot(IntEnum):
    """The first spot of each place. Events say on which spot a die lies.

    Spots are like targets, but every space of the turn order and of the trainer has one.
    """

    SQUARE = 0
    TURN_ORDER = SQUARE + SQUARES
    TREASURE = TURN_ORDER + TRACK
    TRAINER = TREASURE + TREASURES
    TAVERN = TRAINER + TRAINER_SPACES
    PRISONER = TAVERN + 1
    TRADE = PRISONER + PRISONERS
    SORCERER = TRADE + 1


SPOTS = Spot.SORCERER + DISPLAY


MOST_GOLD_BID = 60


class Phase(IntEnum):
    """The decision that the seat to move faces."""

    ASSIGN = 0  # which character gets the d6
    PLACE = 1  # a die on a space, or Illuminate
    PEEK = 2  # which tile to look at
    BID = 3  # how much gold for the follower
    FIGHT_ORDER = 4  # which square to fight on next
    PREP = 5  # spells before the roll
    REROLL = 6  # spells after the roll
    FOLLOWER_DIE = 7  # the follower's die
    PRISONER = 8  # whether to pay the offering
    TRADE = 9  # an exchange, or the end of the visit
    BUY = 10  # whether to pay for a card


class Act(IntEnum):
    """The table of actions. The number of an action is its kind plus an argument, ``Act.PEEK + square`` for example.

    The numbers follow from the order of the kinds and the lengths of their ranges. Records contain them: don't reorder.

    Attributes:
        phase: the decision to which actions of this kind belong.
        arguments: the arguments that there are.
    """

    phase: Phase
    arguments: range

    def __new__(cls, phase: Phase, arguments: range = range(1)) -> Act:
        number = sum(len(act.arguments) for act in cls) - arguments.start
        act = int.__new__(cls, number)
        act._value_ = number
        act.phase, act.arguments = phase, arguments
        return act

    ASSIGN = Phase.ASSIGN, range(DEALT)  # the character that gets the d6, in the order dealt
    PLACE = Phase.PLACE, range(DICE * TARGETS)  # see `place`
    ILLUMINATE = Phase.PLACE
    PEEK = Phase.PEEK, range(SQUARES)
    BID = Phase.BID, range(1, MOST_GOLD_BID + 1)
    FIGHT = Phase.FIGHT_ORDER, range(SQUARES)
    ROLL = Phase.PREP
    HAMMER = Phase.PREP
    ENHANCE = Phase.PREP, range(FIGHT_DICE)
    BLESS = Phase.PREP, range(FIGHT_DICE)
    ACCEPT = Phase.REROLL
    REROLL = Phase.REROLL, range(FIGHT_DICE)
    FOLLOWER_DIE = Phase.FOLLOWER_DIE, range(DICE)
    KEEP_OFFERING = Phase.PRISONER
    FREE = Phase.PRISONER
    END_TRADE = Phase.TRADE
    TRADE = Phase.TRADE, range(2 * TRADES)  # see `trade`
    DECLINE = Phase.BUY
    BUY = Phase.BUY


ACTIONS = sum(len(act.arguments) for act in Act)
_KINDS = tuple(act for act in Act for _ in act.arguments)
KIND_NUMBERS = np.array(_KINDS, np.int64)


def parse(action: int) -> tuple[Act, int]:
    """Return an action's kind and argument."""
    kind = _KINDS[action]
    return kind, int(action) - kind


def place(target: int, die: int) -> int:
    """Return the action that places a die on a target."""
    return Act.PLACE + DICE * target + die


def trade(line: int, direction: int) -> int:
    """Return the action that exchanges along a line: from left to right (0) or back (1)."""
    return Act.TRADE + 2 * line + direction


# The same for compiled rules.


@rule
def kind_of(action: int) -> int:
    """Return the number of an action's kind. The difference between the two is its argument."""
    number: int = KIND_NUMBERS[action]
    return number


place_action = rule(place)
trade_action = rule(trade)
