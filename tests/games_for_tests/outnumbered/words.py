"""The texts of Outnumbered."""

from __future__ import annotations

from collections.abc import Sequence

from games_for_tests.outnumbered.rules import NOT_DECIDED, ROLL_TWO, Event, State
from meadhall import sdk
from meadhall.sdk import PUBLIC, EventKind, Part, number, seat

EVENTS: dict[int, EventKind] = {
    Event.HUNTER: EventKind("hunter", (seat,), "OU-1.1", "{0} is the hunter"),
    Event.REFUSED: EventKind("refused", (seat,), "OU-1.2", "{0} refuses to hunt"),
    Event.ROLLED: EventKind("rolled", (seat, number), "OU-2.2", "{0} rolls {1}"),
    Event.ENDED: EventKind("ended", (), "OU-3.1", "all have rolled twice"),
}


def event(event: sdk.Event, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
    return EVENTS[event.kind].in_words(event.arguments, names, viewer, part)


def action(state: State, action: int, names: Sequence[str]) -> str:
    return ("roll a die", "roll two dice", "dare to hunt", "refuse to hunt")[action]


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    hunting = action > ROLL_TWO
    if hunting != (state.hunter == NOT_DECIDED):
        return "OU-1.2", "Somebody hunts already." if hunting else "First decide who hunts."
    if action == ROLL_TWO and state.actor != state.hunter:
        return "OU-2.2", "Only the hunter rolls two dice."
    if action == ROLL_TWO and state.doubled:
        return "OU-2.2", "You have rolled two dice already."
    return "", ""


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    if state.actor < 0:
        return "The match is over."
    return f"{names[state.actor]} {'decides' if state.hunter == NOT_DECIDED else 'rolls'}."


def ending(state: State) -> tuple[str, str]:
    return "OU-3.1", "all have rolled twice"
