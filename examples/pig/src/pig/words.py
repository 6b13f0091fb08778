"""Pig in words: events, actions, refusals and prompts."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.sdk import TURN, EventKind, gettext as _, marked, number, seat

from .rules import HOLD, ROLL, Event, State

EVENTS = {
    Event.ROLLED: EventKind(
        "rolled",
        (seat, number),
        "PG-2.1",
        marked("{0} rolls {1}"),
        you=(marked("You roll {1}"),),
        turn=TURN,
        joins=("rolled",),
        brief=(marked("{1}"),),
    ),
    Event.LOST: EventKind(
        "lost",
        (seat, number),
        "PG-3.2",
        marked("{0} loses a pot of {1}"),
        you=(marked("You lose a pot of {1}"),),
        brief=(marked("lost {1}"),),
    ),
    Event.HELD: EventKind(
        "held",
        (seat, number, number),
        "PG-3.3",
        marked("{0} holds: {1} more, {2} in all"),
        you=(marked("You hold: {1} more, {2} in all"),),
        brief=(marked("held {1}, now {2}"),),
    ),
    Event.WON: EventKind(
        "won", (seat,), "PG-4.1", marked("{0} has reached the target"), you=(marked("You have reached the target"),), turn=()
    ),
}


def action(state: State, action: int, names: Sequence[str]) -> str:
    """Return the text of an action."""
    return _("roll the die") if action == ROLL else _("hold and keep {points}").format(points=state.pot)


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    """Return the id of the rule that forbids an action and the reason, or two empty texts."""
    return ("PG-2.2", _("Roll first: the pot is empty.")) if action == HOLD and state.pot == 0 else ("", "")


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    """Return the text of the pending decision for a viewer."""
    if state.actor < 0:
        return _("The match is over.")
    if viewer != state.actor:
        return _("{name} has {pot} in the pot. Roll or hold?").format(name=names[state.actor], pot=state.pot)
    if state.pot == 0:
        return _("Your turn: roll the die.")
    return _("You have {pot} in the pot. Roll or hold?").format(pot=state.pot)


def ending(state: State) -> tuple[str, str]:
    """Return the id of the rule that ended the match, and the reason."""
    return "PG-4.1", _("{target} points reached").format(target=state.target)


def sketch(state: State, names: Sequence[str]) -> str:
    """Draw the table for the terminal: a line for each player."""
    lines: list[str] = []
    for at, name in enumerate(names):
        pot = f" + {state.pot}" if at == state.actor else ""
        lines.append(f"{'>' if at == state.actor else ' '} {name}: {state.points[at]}{pot}")
    return "\n".join(lines)
