"""AxxA in words: its events, actions, refusals and prompts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from meadhall.engine import events
from meadhall.engine.events import EventKind, named, number, seat
from meadhall.engine.language import gettext as _
from meadhall.engine.language import listed, marked
from meadhall.games.axxa.board import NAMES, SPACES, TRIPLE_TOUCHES, TRIPLES, distance, routes
from meadhall.games.axxa.state import EMPTY, LEAVE, PAY, REMOVE, SIDES, TURN, Ending, Event, Phase, State, top
from meadhall.games.axxa.terminal import sketch as sketch


def space(value: int) -> int:
    """An argument that is a space, written as its number; in words it is its name."""
    return value


def side(value: int) -> int:
    """An argument that is a side, written as its number; in words it is its players' names."""
    return value


REASONS = {"pieces": marked("fewer than three pieces of a number are left"), "stuck": marked("no stack can move")}
"""Why a match together is lost, by the name in records."""

EVENTS: dict[int, EventKind] = {
    Event.STACKS: EventKind("stacks", (space, number), "AX-1.2", marked("{0} shows {1}")),
    Event.STARTS: EventKind("starts", (seat,), "AX-1.3", marked("{0} begins")),
    Event.MOVED: EventKind("moved", (seat, space, space), "AX-2.1", marked("{0} moves from {1} to {2}")),
    Event.TURNED: EventKind("turned", (seat, space, number), "AX-3.1", marked("{0} turns {1} over, it shows {2}")),
    Event.REMOVED: EventKind(
        "removed", (seat, number, space, space, space), "AX-4.3", marked("{0} removes the {1}s on {2}, {3} and {4}")
    ),
    Event.EXPOSED: EventKind("exposed", (space, number), "AX-3.2", marked("{0} now shows {1}")),
    Event.PAID: EventKind("paid", (seat, space, number), "AX-5.1", marked("{0} pays the {2} on {1}")),
    Event.STACK_GONE: EventKind("stack_gone", (space,), "AX-5.2", marked("{0} is empty")),
    Event.SKIPPED: EventKind("skipped", (number,), "AX-7.3", marked("The {0}s are skipped, too few are left")),
    Event.PRAISE: EventKind("praise", (seat, number), "AX-4.5", marked("{1} triplets in one turn: outstanding, {0}!")),
    Event.WON: EventKind("won", (), "AX-6.1", marked("The last triplet is removed: the puzzle is solved")),
    Event.LOST: EventKind("lost", (named(*REASONS),), "AX-6.2", marked("The puzzle can't be solved any more: {0}")),
    Event.SIDE_WON: EventKind("side_won", (side, number, number), "AX-7.2", marked("Victory for {0}, by {1} : {2} triplets")),
    Event.DRAWN: EventKind("drawn", (number, number), "AX-7.2", marked("A draw, by {0} : {1} triplets")),
}
GOOD = marked("{1} triplets in one turn: good, {0}!")

ENDINGS = {
    Ending.WON: ("AX-6.1", marked("all six triplets are removed")),
    Ending.PIECES: ("AX-6.2", REASONS["pieces"]),
    Ending.STUCK: ("AX-6.2", REASONS["stuck"]),
    Ending.NO_FULL_STACK: ("AX-7.2", marked("no stack of three is left")),
    Ending.NO_NUMBER: ("AX-7.3", marked("no number is left")),
    Ending.NO_MOVE: ("AX-7.3", REASONS["stuck"]),
}


def event(event: events.Event, names: Sequence[str]) -> str:
    """What happened, in words."""
    kind = EVENTS[event.kind]
    values = [_spoken(kind.argument(i), value, names) for i, value in enumerate(event.arguments)]
    good = event.kind == Event.PRAISE and event.arguments[1] == 2
    return _(GOOD if good else kind.text).format(*values)


def _spoken(argument: object, value: Any, names: Sequence[str]) -> object:
    if argument is seat:
        return names[value]
    if argument is space:
        return NAMES[value]
    if argument is side:
        return listed(names[value::SIDES])
    return _(REASONS[value]) if value in REASONS else value


# ------------------------------------------------------------------------------------------------------------------ actions


def action(state: State, action: int, names: Sequence[str]) -> str:
    """What the actor would do."""
    if action < LEAVE:
        return _move(state, *divmod(action, SPACES))
    if action == LEAVE:
        return _("leave the {number} on top").format(number=top(state, state.moved))
    if action == TURN:
        return _turn(state)
    if action < PAY:
        return _("remove the {number}s on {spaces}").format(number=state.current, spaces=spaces_of(action - REMOVE))
    return _("pay the {number} on {space}").format(number=_shown(state, action - PAY), space=NAMES[action - PAY])


def _move(state: State, start: int, end: int) -> str:
    number = _shown(state, start)
    return _("move the {number} from {start} to {end}").format(number=number, start=NAMES[start], end=NAMES[end])


def _turn(state: State) -> str:
    beneath = state.height[state.moved] - 2
    if beneath >= 0 and state.seen[state.moved, beneath]:
        return _("turn it over: the {number} comes up").format(number=state.piece[state.moved, beneath])
    return _("turn it over and see what comes up")


def _shown(state: State, space: int) -> str:
    """The visible piece on a space; a dash where there is none."""
    stack = state.stack_at[space]
    return "–" if stack == EMPTY else str(top(state, stack))


def spaces_of(triple: int) -> str:
    """The names of a triple of spaces."""
    return listed(_names(triple))


def _names(triple: int) -> list[str]:
    return sorted(NAMES[space] for space in TRIPLES[triple])


def notation(action: int) -> str:
    """What a person types for an action at the terminal: ``c7 c4``, ``pay c4``."""
    if action < LEAVE:
        start, end = divmod(action, SPACES)
        return f"{NAMES[start]} {NAMES[end]}"
    if action == LEAVE:
        return _("leave")
    if action == TURN:
        return _("turn")
    if action < PAY:
        return " ".join([_("take"), *_names(action - REMOVE)])
    return " ".join([_("pay"), NAMES[action - PAY]])


# ----------------------------------------------------------------------------------------------------------------- refusals


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    """Why the actor can't do this now."""
    if action < LEAVE:
        return _not_moved(state, *divmod(action, SPACES))
    if action < REMOVE:
        return _not_turned(state)
    if action < PAY:
        return _not_removed(state, action - REMOVE)
    return _not_paid(state, action - PAY)


def _not_moved(state: State, start: int, end: int) -> tuple[str, str]:
    if state.phase == Phase.TURN:
        return "AX-2.1", _("You have moved your stack. Leave it as it is, or turn it over.")
    if state.phase == Phase.REMOVE:
        return "AX-4.3", _("First say which triplet leaves.")
    if state.phase == Phase.PAY:
        return "AX-2.1", _("You have moved your stack. Now pay for the move.")
    if state.stack_at[start] == EMPTY:
        return "AX-2.1", _("There is no stack on {space}.").format(space=NAMES[start])
    return _no_way(state, start, end)


def _no_way(state: State, start: int, end: int) -> tuple[str, str]:
    length, away = top(state, state.stack_at[start]), distance(start, end)
    if start == end:
        return "AX-2.2", _("A move ends on another space than it began.")
    if away > length:
        return "AX-2.2", _("{space} is too far: a {number} moves exactly {number}, and it is {away} away.").format(
            space=NAMES[end], number=length, away=away
        )
    if (length - away) % 2:
        return "AX-2.2", _("{space} is too near: a {number} moves exactly {number}, and it is {away} away.").format(
            space=NAMES[end], number=length, away=away
        )
    if away < length:
        return "AX-2.2", _("{space} is only {away} away: a {number} would need a detour, with more than one turn.").format(
            space=NAMES[end], number=length, away=away
        )
    return _blocked(state, start, end)


def _blocked(state: State, start: int, end: int) -> tuple[str, str]:
    if state.stack_at[end] != EMPTY:
        return "AX-2.3", _("There is a stack on {space}.").format(space=NAMES[end])
    ways = [[space for space in way if state.stack_at[space] != EMPTY] for way in routes(start, end)]
    if not all(ways):
        return "", ""
    stacks = listed(sorted({NAMES[way[0]] for way in ways}))
    if len(ways) == 1:
        return "AX-2.3", _("The stack on {space} is in the way.").format(space=stacks)
    return "AX-2.3", _("Both ways with one turn are blocked: by {spaces}.").format(spaces=stacks)


def _not_turned(state: State) -> tuple[str, str]:
    if state.phase == Phase.MOVE:
        return "AX-3.1", _("A stack is turned over after its move: move one first.")
    if state.phase == Phase.REMOVE:
        return "AX-4.3", _("First say which triplet leaves.")
    if state.phase == Phase.PAY:
        return "AX-3.1", _("It is too late to turn the stack over. Now pay for the move.")
    return "", ""


def _not_removed(state: State, triple: int) -> tuple[str, str]:
    rule, why = _no_triplet(state, triple)
    if rule or state.phase == Phase.REMOVE:
        return rule, why
    if state.phase == Phase.TURN:
        return "AX-4.3", _("Triplets leave at the end of the move: first leave the stack as it is, or turn it over.")
    return "AX-5.3", _("This triplet counts at the end of the next move: move a stack first.")


def _no_triplet(state: State, triple: int) -> tuple[str, str]:
    spaces = TRIPLES[triple]
    for space in spaces:
        if state.stack_at[space] == EMPTY:
            return "AX-4.1", _("There is no stack on {space}.").format(space=NAMES[space])
    shown = [top(state, state.stack_at[space]) for space in spaces]
    if len(set(shown)) > 1:
        return "AX-4.1", _("{spaces} don't show the same number.").format(spaces=spaces_of(triple))
    if shown[0] != state.current:
        return "AX-4.2", _("These are {number}s; only {current}s can be removed now.").format(
            number=shown[0], current=state.current
        )
    if state.orthogonal and not TRIPLE_TOUCHES[state.orthogonal, triple]:
        return "AX-4.1", _("These spaces touch at corners only; at this table they have to lie side by side.")
    return "", ""


def _not_paid(state: State, space: int) -> tuple[str, str]:
    if state.phase == Phase.MOVE:
        return "AX-5.1", _("You pay after your move, if it removes nothing: move a stack first.")
    if state.phase == Phase.TURN:
        return "AX-5.1", _("You pay when your move is done: first leave the stack as it is, or turn it over.")
    if state.phase == Phase.REMOVE:
        return "AX-4.3", _("This move is free. Say which triplet leaves.")
    if state.stack_at[space] == EMPTY:
        return "AX-5.2", _("There is no stack on {space}.").format(space=NAMES[space])
    return "", ""


# ------------------------------------------------------------------------------------------------------------------ prompts


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    """What is to be decided and by whom."""
    if state.actor < 0:
        return _("The match is over.")
    text = _((MINE if viewer == state.actor else THEIRS)[Phase(state.phase)])
    return text.format(name=names[state.actor], current=state.current, space=NAMES[max(state.space[state.moved], 0)])


MINE = {
    Phase.MOVE: marked("Move a stack, as far as its top piece says. The {current}s are next to be brought together."),
    Phase.TURN: marked("The stack on {space}: leave it as it is, or put its top piece to the bottom?"),
    Phase.REMOVE: marked("There is more than one triplet of {current}s: which one leaves?"),
    Phase.PAY: marked("No triplet: pay for the move with a visible piece."),
}
THEIRS = {
    Phase.MOVE: marked("{name} is to move a stack. The {current}s are next to be brought together."),
    Phase.TURN: marked("{name} may turn over the stack on {space}."),
    Phase.REMOVE: marked("{name} chooses which triplet of {current}s leaves."),
    Phase.PAY: marked("No triplet: {name} has to pay for the move."),
}


def ending(state: State) -> tuple[str, str]:
    """How it ended."""
    rule, text = ENDINGS[Ending(state.ending)]
    return rule, _(text)
