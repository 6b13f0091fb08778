"""Who has to choose: simultaneous decisions, and offers between players.

A game with simultaneous decisions has one more rule, ``deciders(state) -> int``: a bit mask of the seats that have still to
choose. ``state.actor`` is the lowest of them. They may choose in any order, and the rules stay sequential: before the engine
plays the action of another of these seats, it makes that seat the actor. A choice is *sealed*: it lies in the state, ``conceal``
blanks it for all other seats, and the rules carry out all choices when the last seat has chosen. The engine shows the actions of
such a game only to the seat that plays them. All others learn what the events tell.

A game that lets its players trade derives its state from ``OfferState`` and calls the rules for offers. At any time there is at
most one offer. The seats that were asked answer one after the other, clockwise from the seat that made the offer. The first one
that accepts makes the deal; if all refuse, the offer is gone. Then the turn of the seat that made it goes on.

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
from meadhall.engine.compiled import loops
from meadhall.engine.game import Game
from meadhall.engine.state.schema import I8, I16, I32, GameState, States, copied

SEALED = -1
"""The placeholder of an action that the viewer of a step may not know."""


@rule
def lowest_seat(mask: int) -> int:
    """Return the lowest seat of a bit mask of seats, -1 if it is empty. Rules set ``state.actor`` with it.

    Examples:
        >>> lowest_seat(0b110)
        1
        >>> lowest_seat(0)
        -1
    """
    seat = 0
    while mask != 0:
        if mask & 1:
            return seat
        mask >>= 1
        seat += 1
    return -1


@rule
def is_among(mask: int, seat: int) -> bool:
    """Return whether a bit mask of seats contains ``seat``.

    Examples:
        >>> is_among(0b110, 2)
        True
    """
    return seat >= 0 and (mask >> seat) & 1 == 1


def is_simultaneous(game: Game) -> bool:
    """Return whether seats of the game can decide at the same time: its rules have ``deciders``."""
    return getattr(game.rules, "deciders", None) is not None


def deciders(game: Game, states: States) -> tuple[int, ...]:
    """Return the seats that have still to choose in a state (an array of one), in ascending order; none when it is over."""
    actor = int(states["actor"][0])
    if actor < 0:
        return ()
    if getattr(game.rules, "deciders", None) is None:
        return (actor,)
    mask = int(loops(game).deciders_one(states))
    return tuple(seat for seat in range(int(states["players"][0])) if mask >> seat & 1)


def acting(game: Game, states: States, seat: int) -> States:
    """Return the state with ``seat`` as its actor if that seat has still to choose; otherwise the state itself."""
    if int(states["actor"][0]) == seat or not is_simultaneous(game) or seat not in deciders(game, states):
        return states
    changed = copied(states)
    changed["actor"] = seat
    return changed


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
