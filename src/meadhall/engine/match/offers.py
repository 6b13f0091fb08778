"""Offers between players: one proposes terms, the others accept or refuse.

A game that lets its players trade derives its state from ``OfferState`` and calls these rules. At any time there is at most one
offer. The seats that were asked answer one after the other, clockwise from the seat that made the offer. The first one that
accepts makes the deal; if all refuse, the offer is gone. Then the turn of the seat that made it goes on.

    @record
    class State(OfferState):
        goods: Annotated[Grid, np.int8, SEATS, KINDS]

    @rule
    def play(state, action, log):
        if action == ACCEPT:
            terms, giver, taker = state.offer_terms, state.offer_by, state.actor
            close_offer(state)
            ...                                     # carry out the deal
        elif action == REFUSE:
            refuse_offer(state)
        else:
            make_offer(state, action, all_seats_but(state, state.actor))

The terms are a number that the game chooses, usually the action that made the offer. An offer is public. Where what a seat may
offer depends on hidden things, an offer reveals something: then the rules raise ``state.reveals``.
"""

from __future__ import annotations

from typing import Any

from meadhall.engine.compile.rule import rule
from meadhall.engine.match.deciders import is_among
from meadhall.engine.state.schema import I8, I16, I32, GameState


class OfferState(GameState):
    """A state with room for one offer.

    Attributes:
        offer_terms: the terms of the open offer, a number of the game.
        offer_asked: a bit mask of the seats that have still to answer; 0: there is no open offer.
        offer_by: the seat that made the offer.
        offers_made: the number of offers since ``offers_made`` was last set to 0, for a game that limits the offers of a turn.
    """

    offer_terms: I32
    offer_asked: I16
    offer_by: I8
    offers_made: I8


@rule
def all_seats_but(state: Any, seat: int) -> int:
    """Return a bit mask of all seats except ``seat``.

    Examples:
        >>> from meadhall.sdk import OfferState, all_seats_but, record
        >>> @record
        ... class State(OfferState):
        ...     pass
        >>> state = State.at(State.new())
        >>> state.players = 3
        >>> all_seats_but(state, 0) == 0b110
        True
    """
    mask: int = ((1 << state.players) - 1) & ~(1 << seat)
    return mask


@rule
def is_offered(state: Any) -> bool:
    """Return whether an offer waits for answers. Then the seat to move accepts or refuses.

    Examples:
        >>> from meadhall.sdk import OfferState, is_offered, record
        >>> @record
        ... class State(OfferState):
        ...     pass
        >>> state = State.at(State.new())
        >>> state.players = 3
        >>> is_offered(state)
        False
    """
    return bool(state.offer_asked != 0)


@rule
def make_offer(state: Any, terms: int, asked: int) -> None:
    """Make an offer of the seat to move to the seats of a bit mask, and let the next of them clockwise answer.

    Examples:
        >>> from meadhall.sdk import OfferState, all_seats_but, make_offer, record
        >>> @record
        ... class State(OfferState):
        ...     pass
        >>> state = State.at(State.new())
        >>> state.players = 3
        >>> make_offer(state, 7, all_seats_but(state, 0))
        >>> state.offer_terms, state.actor
        (7, 1)
    """
    state.offer_by = state.actor
    state.offer_terms = terms
    state.offer_asked = asked
    state.offers_made += 1
    state.actor = next_to_answer(state)


@rule
def next_to_answer(state: Any) -> int:
    """Return the next seat to answer, clockwise from the seat that made the offer."""
    for step in range(1, state.players + 1):
        seat = (state.offer_by + step) % state.players
        if is_among(state.offer_asked, seat):
            return int(seat)
    return int(state.offer_by)


@rule
def refuse_offer(state: Any) -> bool:
    """Refuse the offer for the seat to move. Returns whether it was the last one: then the offer is gone.

    Examples:
        >>> from meadhall.sdk import OfferState, all_seats_but, make_offer, refuse_offer, record
        >>> @record
        ... class State(OfferState):
        ...     pass
        >>> state = State.at(State.new())
        >>> state.players = 3
        >>> make_offer(state, 7, all_seats_but(state, 0))
        >>> refuse_offer(state), refuse_offer(state)
        (False, True)
    """
    state.offer_asked &= ~(1 << state.actor)
    if state.offer_asked == 0:
        close_offer(state)
        return True
    state.actor = next_to_answer(state)
    return False


@rule
def close_offer(state: Any) -> None:
    """End the offer: it was accepted, or all have refused. The seat that made it is to move again.

    Examples:
        >>> from meadhall.sdk import OfferState, all_seats_but, close_offer, make_offer, record
        >>> @record
        ... class State(OfferState):
        ...     pass
        >>> state = State.at(State.new())
        >>> state.players = 3
        >>> make_offer(state, 7, all_seats_but(state, 0))
        >>> close_offer(state)
        >>> state.actor, state.offer_asked
        (0, 0)
    """
    state.actor = state.offer_by
    state.offer_asked = 0
    state.offer_terms = 0
    state.offer_by = 0
