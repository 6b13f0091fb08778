"""The texts of Horn: events, actions, refusals and prompts."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.sdk import PUBLIC, EventKind, Part, number, seat
from meadhall.sdk import Event as GameEvent

from .rules import Event, State

EVENTS: dict[int, EventKind] = {
    Event.FILLED: EventKind("filled", (number,), "HN-1", "The horn holds {0} gulps"),
    Event.DRANK: EventKind("drank", (seat, number), "HN-2", "{0} drinks {1}", you=("You drink {1}",), turn=()),
    Event.EMPTIED: EventKind("emptied", (seat,), "HN-3", "{0} has emptied the horn", you=("You have emptied the horn",), turn=()),
}


def event(event: GameEvent, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
    """Describe an event. The player on seat ``viewer`` is "you"."""
    return EVENTS[event.kind].in_words(event.arguments, names, viewer, part)


def action(state: State, action: int, names: Sequence[str]) -> str:
    """Describe an action of the seat to move."""
    return "drink 1 gulp" if action == 0 else f"drink {action + 1} gulps"


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    """Return the id of the rule that forbids an action and the reason, or two empty texts."""
    return ("HN-2", f"Only {state.left} are left.") if action >= state.left else ("", "")


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    """Return the prompt: the number of gulps left and the choice of the seat to move."""
    if state.actor < 0:
        return "The match is over."
    who = "You drink" if viewer == state.actor else f"{names[state.actor]} drinks"
    return f"{state.left} gulps are left. {who} one to three."


def ending(state: State) -> tuple[str, str]:
    """Return the id of the rule that ended the match, and the reason."""
    return "HN-3", "the horn is empty"
