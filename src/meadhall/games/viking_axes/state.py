"""Viking Axes: the cards, the actions, the state, and what can be asked of it."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

import numpy as np

from meadhall.engine.rule import rule
from meadhall.engine.schema import I8, GameState, Grid, Row, record

SEATS = 7

# Cards are known by their kinds: three of axes, four of shields, armory, wench.
AXE = 0
AXE_KINDS = 3
SHIELD = AXE + AXE_KINDS
SHIELD_KINDS = 4
ARMORY = SHIELD + SHIELD_KINDS
WENCH = ARMORY + 1
KINDS = WENCH + 1
COPIES = (30, 25, 15, 10, 7, 5, 3, 15, 10)
CARDS = 120
AXE_CARDS = 70
NONE = -1  # no card, or one that the viewer may not know

HITS = 10
HITS_OF_TWO = 15
HAND = 2

# Actions 0..20 name a seat, 25..42 a kind of card.
THROW = 0
SKIP = THROW + SEATS
DISARM = SKIP + SEATS
DRAW = DISARM + SEATS  # the armory in play is discarded at once
PLACE = DRAW + 1
CASH_IN = PLACE + 1  # the armory in front is discarded
END_TURN = CASH_IN + 1
PLAY = END_TURN + 1
DISCARD = PLAY + KINDS
ACTIONS = DISCARD + KINDS


class Phase(IntEnum):
    """What the actor is to decide."""

    HAND = 0  # which card of the hand to play, or to discard
    THROW = 1  # at whom
    ARMORY = 2  # to discard it and draw, or to place it
    WENCH = 3  # whom to disarm or to skip
    OFFER = 4  # to cash in the armory in front, or to end the turn


class Due(IntEnum):
    """VA-6.2: what a wench left a player with."""

    NOTHING = 0
    TURN = 1  # a turn of theirs to be played before they can be chosen again
    SKIP = 2  # their next turn to be skipped first


class Event(IntEnum):
    """What can happen."""

    SHUFFLED = 1
    STARTS = 2
    DREW = 3
    DEALT = 4
    PLAYS = 5
    DISCARDS = 6
    THROWS = 7
    BLOCKED = 8
    HITS = 9
    SHIELDS_SPENT = 10
    PLACES = 11
    CASHES_IN = 12
    DISARMS = 13
    SKIPS = 14
    TURN_SKIPPED = 15
    OUT = 16
    WON = 17


@record
class State(GameState):
    """The state of a match. Where the order of cards doesn't matter there are counts by kind."""

    strategic: I8  # whether hands are held
    limit: I8  # who has been hit so often is out
    living: I8  # how many are not out
    axes_in_front: I8  # axe cards in front of all players: those lying on shields, and the marks of hits
    phase: I8
    card: I8  # in play: left the pile or the hand, and not yet lying anywhere
    offer: I8  # whether the actor began the turn with an armory in front and may still cash it in
    left: I8  # cards in the draw pile
    pile: Annotated[Row, np.int8, CARDS]  # the last of those left is on top
    discarded: Annotated[Row, np.int8, KINDS]
    hand: Annotated[Grid, np.int8, SEATS, KINDS]
    out: Annotated[Row, np.int8, SEATS]
    hits: Annotated[Row, np.int8, SEATS]
    marks: Annotated[Grid, np.int8, SEATS, AXE_KINDS]  # axe cards in front of a player who was hit by them
    shields: Annotated[Grid, np.int8, SEATS, SHIELD_KINDS]  # shield cards in front
    lying: Annotated[Grid, np.int8, SEATS, AXE_KINDS]  # axe cards on these shields
    unused: Annotated[Row, np.int8, SEATS]  # how many more axes the shields in front can block
    armory: Annotated[Row, np.int8, SEATS]  # whether one is in front
    due: Annotated[Row, np.int8, SEATS]


@rule
def clockwise(state: State, seat: int) -> int:
    """VA-1.4: the next seat."""
    return seat + 1 if seat + 1 < state.players else 0


@rule
def can_be_hit(state: State, seat: int) -> bool:
    """VA-3.1: another player who is not out."""
    return seat != state.actor and not state.out[seat]


@rule
def can_be_disarmed(state: State, seat: int) -> bool:
    """VA-6.1: another player with an armory in front."""
    return seat != state.actor and bool(state.armory[seat])


@rule
def can_be_skipped(state: State, seat: int) -> bool:
    """VA-6.2, VA-6.4: another player who is not out, nor due to be skipped or to play a turn since."""
    return seat != state.actor and not state.out[seat] and state.due[seat] == Due.NOTHING


@rule
def is_playable(state: State, card: int) -> bool:
    """VA-3.1, VA-4.1: axes and shields always. VA-5.2, VA-5.5: an armory if none is in front. VA-6.3: a wench if somebody is
    there for her.
    """
    if card < ARMORY:
        return True
    if card == ARMORY:
        return not state.armory[state.actor]
    for seat in range(state.players):
        if can_be_disarmed(state, seat) or can_be_skipped(state, seat):
            return True
    return False


@rule
def hand_size(state: State, seat: int) -> int:
    """VA-2.3: how many cards a player holds, which everybody can see."""
    if not state.strategic or state.out[seat]:
        return 0
    return HAND + (seat == state.actor and state.phase == Phase.HAND)
