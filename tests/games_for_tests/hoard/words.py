"""The texts of Hoard."""

from __future__ import annotations

from collections.abc import Sequence

from games_for_tests.hoard.rules import BOAST, CARDS, DRAW, LOOK, Event, State, has_card
from meadhall.sdk import PUBLIC, Event as GameEvent, EventKind, Part, named, number, seat

NAMES = ("unknown", *(f"coin{card}" for card in range(1, CARDS + 1)))
card = named(*NAMES)

EVENTS: dict[int, EventKind] = {
    Event.BOTTOM: EventKind("bottom", (card,), "HO-1.1", "{0} is at the bottom"),
    Event.DEALT: EventKind("dealt", (seat, card), "HO-1.1", "{0} is dealt {1}"),
    Event.PLAYED: EventKind("played", (seat, card), "HO-2.1", "{0} plays {1}"),
    Event.DREW: EventKind("drew", (seat,), "HO-2.2", "{0} draws"),
    Event.GOT: EventKind("got", (card,), "HO-2.2", "it is {0}"),
    Event.TURNED: EventKind("turned", (seat, card), "HO-2.2", "{0} must show {1}"),
    Event.LOOKED: EventKind("looked", (seat,), "HO-2.3", "{0} looks at the deck"),
    Event.SAW: EventKind("saw", (card,), "HO-2.3", "{0} is on top"),
    Event.BOASTED: EventKind("boasted", (seat,), "HO-2.4", "{0} boasts"),
    Event.COIN: EventKind("coin", (seat, number), "HO-3.2", "{0} counts {1}"),
    Event.ENDED: EventKind("ended", (), "HO-3.1", "no cards are left"),
}


def event(event: GameEvent, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
    return EVENTS[event.kind].in_words(event.arguments, names, viewer, part)


def action(state: State, action: int, names: Sequence[str]) -> str:
    return {DRAW: "draw", LOOK: "look at the deck", BOAST: "boast"}.get(action) or f"play {card(action + 1)}"


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    if action < CARDS and not has_card(state, state.actor, action + 1):
        return "HO-2.1", f"You don't have {card(action + 1)}."
    if action in (DRAW, LOOK) and state.left == 0:
        return "HO-2.2", "The deck is empty."
    if action == LOOK and state.looked[state.actor]:
        return "HO-2.3", "You have looked already."
    if action == BOAST and state.boasted:
        return "HO-2.4", "You have boasted already."
    return "", ""


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    return "The match is over." if state.actor < 0 else f"{names[state.actor]} plays."


def ending(state: State) -> tuple[str, str]:
    return "HO-3.1", "no cards are left"
