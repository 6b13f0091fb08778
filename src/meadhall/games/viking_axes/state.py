"""Viking Axes: the cards, the actions, the state and simple queries of it."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

import numpy as np

from meadhall.sdk import I8, GameState, Grid, Row, gettext as _, marked, named, record, rule, shuffle

SEATS = 7


class Card(IntEnum):
    """The kinds of cards: axes, then shields, then the others."""

    AXE = 0
    DOUBLE_AXE = 1
    TRIPLE_AXE = 2
    ONE_SHIELD = 3
    TWO_SHIELDS = 4
    THREE_SHIELDS = 5
    FOUR_SHIELDS = 6
    ARMORY = 7
    WENCH = 8


NO_CARD = -1  # also a card that the viewer may not know
KINDS = len(Card)
AXE_KINDS = Card.ONE_SHIELD - Card.AXE
SHIELD_KINDS = Card.ARMORY - Card.ONE_SHIELD
COPIES = (30, 25, 15, 10, 7, 5, 3, 15, 10)
CARDS = 120
AXE_CARDS = 70

HITS = 10
HITS_OF_TWO = 15
HAND = 2


class Act(IntEnum):
    """The actions. THROW, SKIP and DISARM begin a range with one for each seat, PLAY and DISCARD one for each kind of card."""

    THROW = 0
    SKIP = THROW + SEATS
    DISARM = SKIP + SEATS
    DRAW = DISARM + SEATS  # discard the armory in play at once, for another card
    PLACE = DRAW + 1
    CASH_IN = PLACE + 1  # discard the armory in front, for another card
    END_TURN = CASH_IN + 1  # VA-8.1: before the turn's first card: draw that card
    PLAY = END_TURN + 1
    DISCARD = PLAY + KINDS


ACTIONS = Act.DISCARD + KINDS


class Phase(IntEnum):
    """The decision that the seat to move faces."""

    HAND = 0  # which card of the hand to play, or to discard
    THROW = 1  # which player to throw at
    ARMORY = 2  # discard it and draw, or place it
    WENCH = 3  # which player to disarm or to skip
    OFFER = 4  # cash in the armory in front, or end the turn; VA-8.1: or first draw the turn's card


class Due(IntEnum):
    """VA-6.2: the lasting effect of a wench on a player."""

    NOTHING = 0
    TURN = 1  # the player has been skipped, and must play a turn before the next skip
    SKIP = 2  # the player's next turn will be skipped


class Event(IntEnum):
    """The kinds of events."""

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
    CASHES_IN_EARLY = 18  # before the turn's first card


@record
class State(GameState):
    """The state of a match. Where the order of cards doesn't matter, they are counted by kind."""

    strategic: I8  # whether players hold hands of cards
    early: I8  # VA-8.1: whether an armory can be cashed in before the turn's first card
    owed: I8  # VA-8.1: whether the seat to move has not drawn the turn's first card yet
    limit: I8  # the number of hits that puts a player out
    held: I8  # cards in a hand between two turns
    living: I8  # players still in the game
    axes_in_front: I8  # axe cards in front of all players, on shields or as marks of hits
    phase: I8
    card: I8  # the card in play: it has left the pile or the hand, and has not been put down yet
    offer: I8  # whether the seat to move may still cash in an armory that it had when the turn began
    left: I8  # cards in the draw pile
    pile: Annotated[Row, np.int8, CARDS]  # the last of the cards left is on top
    discarded: Annotated[Row, np.int8, KINDS]
    hand: Annotated[Grid, np.int8, SEATS, KINDS]
    out: Annotated[Row, np.int8, SEATS]
    hits: Annotated[Row, np.int8, SEATS]
    marks: Annotated[Grid, np.int8, SEATS, AXE_KINDS]  # axe cards that hit a player and lie in front as marks
    shields: Annotated[Grid, np.int8, SEATS, SHIELD_KINDS]  # shield cards in front
    lying: Annotated[Grid, np.int8, SEATS, AXE_KINDS]  # axe cards on these shields
    unused: Annotated[Row, np.int8, SEATS]  # axes that the shields in front can still block
    armory: Annotated[Row, np.int8, SEATS]  # whether an armory lies in front
    due: Annotated[Row, np.int8, SEATS]


@rule
def axes_on(card: int) -> int:
    """Return the number of axes on an axe card."""
    return card - Card.AXE + 1


@rule
def shields_on(card: int) -> int:
    """Return the number of shields on a shield card."""
    return card - Card.ONE_SHIELD + 1


@rule
def clockwise(state: State, seat: int) -> int:
    """VA-1.4: The next seat."""
    return seat + 1 if seat + 1 < state.players else 0


@rule
def can_be_hit(state: State, seat: int) -> bool:
    """VA-3.1: A target is another player still in the game."""
    return seat != state.actor and not state.out[seat]


@rule
def can_be_disarmed(state: State, seat: int) -> bool:
    """VA-6.1: A wench can empty the armory in front of another player."""
    return seat != state.actor and bool(state.armory[seat])


@rule
def can_be_skipped(state: State, seat: int) -> bool:
    """VA-6.2, VA-6.4: A wench can skip another player still in the game, but not twice without a turn in between."""
    return seat != state.actor and not state.out[seat] and state.due[seat] == Due.NOTHING


@rule
def is_playable(state: State, card: int) -> bool:
    """VA-3.1, VA-4.1: Axes and shields can always be played.

    VA-5.2, VA-5.5: An armory can be played if none lies in front. VA-6.3: A wench can be played if there is a player she can
    disarm or skip.
    """
    if card < Card.ARMORY:
        return True
    if card == Card.ARMORY:
        return not state.armory[state.actor]
    for seat in range(state.players):
        if can_be_disarmed(state, seat) or can_be_skipped(state, seat):
            return True
    return False


@rule
def hand_size(state: State, seat: int) -> int:
    """VA-2.3: The number of cards that a player holds, which all players can see."""
    if not state.strategic or state.out[seat]:
        return 0
    return state.held + (seat == state.actor and state.phase == Phase.HAND)


TITLES = {
    "axe1": marked("Axe"),
    "axe2": marked("Double axe"),
    "axe3": marked("Triple axe"),
    "shield1": marked("One shield"),
    "shield2": marked("Two shields"),
    "shield3": marked("Three shields"),
    "shield4": marked("Four shields"),
    "armory": marked("Armory"),
    "wench": marked("Wench"),
}
"""The title on each kind of card, by its name in records, in the order of ``Card``."""

PHRASES = {
    "axe1": marked("an axe"),
    "axe2": marked("a double axe"),
    "axe3": marked("a triple axe"),
    "shield1": marked("one shield"),
    "shield2": marked("two shields"),
    "shield3": marked("three shields"),
    "shield4": marked("four shields"),
    "armory": marked("an armory"),
    "wench": marked("a wench"),
}
"""Each kind of card as the object of a verb: "Astrid draws **a double axe**"."""

card = named(*TITLES)


def card_title(kind: int) -> str:
    """Return the title on a card in the current language, e.g. "Double axe"."""
    return _(TITLES[card(kind)])


def card_phrase(kind: int) -> str:
    """Return a card as the object of a verb in the current language, e.g. "a double axe"."""
    return _(PHRASES[card(kind)])


@rule
def conceal(state: State, seat: int) -> None:
    """Hide the order of the draw pile, and the hands of the other seats."""
    for k in range(state.left):
        state.pile[k] = NO_CARD
    for other in range(state.players):
        if other != seat:
            for kind in range(KINDS):
                state.hand[other, kind] = 0


@rule
def redeal(state: State, seat: int) -> None:
    """Deal all cards that the state doesn't show, uniformly, to the draw pile and the other hands (determinization).

    Two inferences are ignored: from the other players' choices to their hands, and, after the discard pile was shuffled (VA-2.2),
    that its cards can't have been in a hand at that time. The second matters with seven players late in a match.
    """
    count = 0
    for kind in range(KINDS):
        for _copy in range(unseen(state, kind)):
            state.pile[count] = kind
            count += 1
    shuffle(state.rng, state.pile, count)
    for other in range(state.players):
        if other != seat:
            for _ in range(hand_size(state, other) - cards_seen(state, other)):
                count -= 1
                state.hand[other, state.pile[count]] += 1
                state.pile[count] = NO_CARD


@rule
def cards_seen(state: State, seat: int) -> int:
    """Count the cards in a hand that a state shows: none of a concealed hand."""
    count = 0
    for kind in range(KINDS):
        count += state.hand[seat, kind]
    return count


@rule
def unseen(state: State, kind: int) -> int:
    """Count the cards of a kind that a concealed state doesn't show, in the open or in a visible hand."""
    count = COPIES[kind] - state.discarded[kind] - (state.card == kind)
    for seat in range(state.players):
        count -= state.hand[seat, kind]
        if kind < Card.ONE_SHIELD:
            count -= state.marks[seat, kind] + state.lying[seat, kind]
        elif kind < Card.ARMORY:
            count -= state.shields[seat, kind - Card.ONE_SHIELD]
        elif kind == Card.ARMORY:
            count -= state.armory[seat]
    return count
