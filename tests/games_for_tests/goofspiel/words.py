"""The texts of Goofspiel."""

from __future__ import annotations

from collections.abc import Sequence

from games_for_tests.goofspiel.rules import Event, State
from meadhall import sdk
from meadhall.sdk import PUBLIC, EventKind, Part, listed, number, seat

EVENTS: dict[int, EventKind] = {
    Event.TURNED: EventKind("turned", (number,), "GO-1.2", "the prize is {0}"),
    Event.CHOSEN: EventKind("chosen", (seat,), "GO-2.2", "{0} has chosen"),
    Event.BID: EventKind("bid", (number,), "GO-2.2", "the card {0}"),
    Event.SHOWN: EventKind("shown", (seat, number), "GO-2.3", "{0} shows {1}"),
    Event.WON: EventKind("won", (seat, number), "GO-2.3", "{0} wins the prize of {1}"),
    Event.LOST: EventKind("lost", (number,), "GO-2.3", "the prize of {0} is lost"),
    Event.ENDED: EventKind("ended", (), "GO-3.1", "no prizes are left"),
}


def event(event: sdk.Event, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
    return EVENTS[event.kind].in_words(event.arguments, names, viewer, part)


def action(state: State, action: int, names: Sequence[str]) -> str:
    return f"bid {action + 1}"


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    if action >= state.cards or not state.held[state.actor, action]:
        return "GO-2.1", f"You don't have the card {action + 1}."
    return "", ""


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    if state.actor < 0:
        return "The match is over."
    if viewer == state.actor:
        return f"Bid for the prize of {state.prizes[state.round]}."
    return f"{listed([names[other] for other in range(state.players) if state.pending >> other & 1])} bid."


def ending(state: State) -> tuple[str, str]:
    return "GO-3.1", "no prizes are left"


def sketch(state: State, names: Sequence[str]) -> str:
    prize = state.prizes[state.round] if state.actor >= 0 else 0
    rows = [f"Prize: {prize}" if prize else "No prizes are left"]
    for player, name in enumerate(names):
        cards = " ".join(str(k + 1) for k in range(state.cards) if state.held[player, k])
        rows.append(f"{name}: {state.pile[player]} points, holds {cards}")
    return "\n".join(rows)
