"""The actions of Dungeon Allies: one table, from which the rules, the words, the page and the bots read their numbers."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from meadhall.games.dungeon_allies.pieces import DEALT, DICE, FIGHT_DICE, SQUARES, TARGETS, TRADES
from meadhall.sdk import rule

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
