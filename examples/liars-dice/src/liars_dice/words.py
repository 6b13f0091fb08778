"""Liar's Dice in words: events, actions, refusals and prompts."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.sdk import PUBLIC, TURN, Event as GameEvent, EventKind, Part, gettext as _, marked, ngettext, number, seat

from .rules import DOUBT, UNKNOWN, Event, State, all_dice, count_of, face_of

EVENTS: dict[int, EventKind] = {
    Event.ROUND: EventKind("round", (seat,), "LD-1.3", marked("Everyone rolls, and {0} begins"), turn=()),
    Event.ROLLED: EventKind(
        "rolled", (seat, number), "LD-1.3", marked("{0} rolls {1}"), rest=number, you=(marked("You roll {1}"),)
    ),
    Event.BID: EventKind(
        "bid",
        (seat, number, number),
        "LD-2.1",
        marked("{0} bids {1} × {2}"),
        you=(marked("You bid {1} × {2}"),),
        turn=TURN,
        brief=(marked("{1} × {2}"),),
    ),
    Event.DOUBTED: EventKind(
        "doubted",
        (seat, seat),
        "LD-3.1",
        marked("{0} doubts {1}"),
        you=(marked("You doubt {1}"), marked("{0} doubts you")),
        turn=TURN,
        brief=(marked("doubts {1}"), marked("doubt {1}"), marked("doubts you")),
    ),
    Event.SHOWN: EventKind(
        "shown", (seat, number), "LD-3.1", marked("{0} shows {1}"), rest=number, you=(marked("You show {1}"),)
    ),
    Event.COUNTED: EventKind(
        "counted",
        (number, number, number),
        "LD-3.2",
        marked("The bid was {0} × {1}; there are {2}"),
        brief=(marked("there are {2}"),),
    ),
    Event.LOST: EventKind(
        "lost",
        (seat, number),
        "LD-3.2",
        marked("{0} loses a die and has {1}"),
        you=(marked("You lose a die and have {1}"),),
        brief=(marked("{0} loses a die"), marked("you lose a die")),
    ),
    Event.OUT: EventKind(
        "out", (seat,), "LD-3.3", marked("{0} is out"), you=(marked("You are out"),), brief=(marked("{0} is out"),)
    ),
    Event.WON: EventKind(
        "won", (seat,), "LD-4.1", marked("{0} has the last dice"), you=(marked("You have the last dice"),), turn=()
    ),
}


def event(event: GameEvent, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
    """Return the text of an event. An event with dice has as many arguments as there are dice, but one place in its text."""
    values = None
    if event.kind in (Event.ROLLED, Event.SHOWN):
        values = (names[event.arguments[0]], in_order(event.arguments[1:]))
    return EVENTS[event.kind].in_words(event.arguments, names, viewer, part, values)


def in_order(dice: Sequence[int]) -> str:
    """Return dice in ascending order: "2 2 5"; a question mark for each that the viewer doesn't see."""
    return " ".join("?" if face == UNKNOWN else str(face) for face in sorted(dice))


def action(state: State, action: int, names: Sequence[str]) -> str:
    """Return the text of an action."""
    if action == DOUBT:
        return _("doubt the bid")
    return _("bid {count} × {face}").format(count=count_of(action), face=face_of(action))


def notation(action: int) -> str:
    """Return what a player types in the terminal: ``3x5`` bids three fives."""
    return "doubt" if action == DOUBT else f"{count_of(action)}x{face_of(action)}"


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    """Return the id of the rule that forbids an action and the reason, or two empty texts."""
    if action == DOUBT:
        return ("", "") if state.bids > 0 else ("LD-2.2", _("There is no bid to doubt yet."))
    if action < state.bids:
        return "LD-2.3", _("Bid more dice than the last bid, or as many of a higher face.")
    if count_of(action) > all_dice(state):
        total = all_dice(state)
        return "LD-2.4", ngettext("There is only {total} die.", "There are only {total} dice.", total).format(total=total)
    return "", ""


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    """Return the text of the pending decision for a viewer."""
    if state.actor < 0:
        return _("The match is over.")
    yours = viewer == state.actor
    if state.bids == 0:
        return _("Your turn: make the first bid.") if yours else _("{name} makes the first bid.").format(name=names[state.actor])
    count, face = count_of(state.bids - 1), face_of(state.bids - 1)
    if yours:
        told = _("{bidder} bids {count} × {face}. Bid more, or doubt.")
        return told.format(bidder=names[state.bidder], count=count, face=face)
    return _("{name} answers the bid of {count} × {face}.").format(name=names[state.actor], count=count, face=face)


def ending(state: State) -> tuple[str, str]:
    """Return the id of the rule that ended the match, and the reason."""
    return "LD-4.1", _("all other dice are lost")


def sketch(state: State, names: Sequence[str]) -> str:
    """Draw the table for the terminal: a line for each player, and the bid."""
    lines = [
        f"{'>' if at == state.actor else ' '} {name}: {in_order([state.dice[at, k] for k in range(state.left[at])]) or '-'}"
        for at, name in enumerate(names)
    ]
    bid = f"{count_of(state.bids - 1)} × {face_of(state.bids - 1)}" if state.bids > 0 else "-"
    return "\n".join([*lines, f"  {bid}"])
