"""The texts of Barter."""

from __future__ import annotations

from collections.abc import Sequence

from games_for_tests.barter.rules import ACCEPT, END, KINDS, OFFERS, REFUSE, Event, State
from meadhall import sdk
from meadhall.sdk import PUBLIC, EventKind, Part, is_offered, named, number, seat

good = named("fish", "wool", "honey")

EVENTS: dict[int, EventKind] = {
    Event.DEALT: EventKind("dealt", (seat, good), "BA-1.1", "{0} is dealt {1}"),
    Event.OFFERED: EventKind("offered", (seat, good, good), "BA-2.1", "{0} offers {1} for {2}"),
    Event.ACCEPTED: EventKind("accepted", (seat,), "BA-2.2", "{0} accepts"),
    Event.REFUSED: EventKind("refused", (seat,), "BA-2.2", "{0} refuses"),
    Event.ENDED_TURN: EventKind("ended", (seat,), "BA-2.3", "{0} ends the turn"),
    Event.SHOWN: EventKind("shown", (seat, number, number, number), "BA-3.1", "{0} has {1} fish, {2} wool and {3} honey"),
}


def event(event: sdk.Event, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
    return EVENTS[event.kind].in_words(event.arguments, names, viewer, part)


def action(state: State, action: int, names: Sequence[str]) -> str:
    if action < ACCEPT:
        return f"offer {good(action // KINDS)} for {good(action % KINDS)}"
    return {ACCEPT: "accept", REFUSE: "refuse", END: "end the turn"}[action]


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    if is_offered(state) != (action in (ACCEPT, REFUSE)):
        return "BA-2.2", "Answer the offer first." if is_offered(state) else "There is no offer."
    if action == ACCEPT and state.goods[state.actor, state.offer_terms % KINDS] == 0:
        return "BA-2.2", f"You have no {good(state.offer_terms % KINDS)}."
    if action < ACCEPT and action // KINDS == action % KINDS:
        return "BA-2.1", "Offer a good for another one."
    if action < ACCEPT and state.offers_made == OFFERS:
        return "BA-2.1", "You have made two offers in this turn."
    if action < ACCEPT and state.goods[state.actor, action // KINDS] == 0:
        return "BA-2.1", f"You have no {good(action // KINDS)}."
    return "", ""


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    if state.actor < 0:
        return "The match is over."
    if is_offered(state):
        given, wanted = good(state.offer_terms // KINDS), good(state.offer_terms % KINDS)
        return f"{names[state.offer_by]} offers {given} for {wanted}. {names[state.actor]} answers."
    return f"{names[state.actor]} makes an offer or ends the turn."


def ending(state: State) -> tuple[str, str]:
    return "BA-3.1", "all have had two turns"
