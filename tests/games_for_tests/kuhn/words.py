"""The texts of Kuhn poker."""

from __future__ import annotations

from collections.abc import Sequence

from games_for_tests.kuhn.rules import PASS, Event, State, is_shown
from meadhall import sdk
from meadhall.sdk import PUBLIC, EventKind, Part, named, seat

card = named("unknown", "jack", "queen", "king")

EVENTS: dict[int, EventKind] = {
    Event.DEALT: EventKind("dealt", (seat, card), "KU-1.1", "{0} is dealt the {1}"),
    Event.LEFT_OVER: EventKind("left", (card,), "KU-1.1", "the {0} is left over"),
    Event.PASSED: EventKind("passed", (seat,), "KU-2.1", "{0} passes"),
    Event.PAID: EventKind("paid", (seat,), "KU-2.1", "{0} pays a chip"),
    Event.SHOWN: EventKind("shown", (seat, card), "KU-2.2", "{0} shows the {1}"),
    Event.WON: EventKind("won", (seat,), "KU-2.2", "{0} wins the pot"),
}


def event(event: sdk.Event, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
    return EVENTS[event.kind].in_words(event.arguments, names, viewer, part)


def action(state: State, action: int, names: Sequence[str]) -> str:
    return "pass" if action == PASS else "pay a chip"


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    return "", ""


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    return "The match is over." if state.actor < 0 else f"{names[state.actor]} passes or pays a chip."


def ending(state: State) -> tuple[str, str]:
    return ("KU-2.2", "the higher card wins") if is_shown(state) else ("KU-2.3", "the other player passed")
