"""The pieces of Dungeon Allies: how many there are, and the numbers by which the rules name them."""

from __future__ import annotations

from enum import IntEnum

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
