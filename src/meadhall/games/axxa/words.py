"""The texts of AxxA: events, actions, refusals, prompts and endings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from meadhall.games.axxa.state import (
    EMPTY,
    NAMES,
    NUMBERS,
    SIDES,
    SPACES,
    TRIPLE_MASK,
    TRIPLE_TOUCHES,
    TRIPLES,
    TRIPLET_SIZE,
    Act,
    Ending,
    Event,
    Mode,
    Order,
    Phase,
    State,
    distance,
    fresh_spaces,
    may_go,
    on_board,
    routes,
    top,
    triplets_left,
)
from meadhall.games.axxa.status import sketch as sketch
from meadhall.sdk import PUBLIC, TURN, Event as GameEvent, EventKind, Part, gettext as _, listed, marked, named, number, seat


def space(value: int) -> int:
    """Mark an event argument as a space. Records hold its number, texts its name."""
    return value


def side(value: int) -> int:
    """Mark an event argument as a side. Records hold its number, texts the names of its players."""
    return value


REASONS = {"pieces": marked("a number has fewer than three pieces left"), "stuck": marked("no stack can move")}
"""The reasons why a match in mode together is lost, by their names in records."""

EVENTS: dict[int, EventKind] = {
    Event.STACKS: EventKind("stacks", (space, number), "AX-1.2", marked("{0} shows a {1}"), fields=("space", "top")),
    Event.STARTS: EventKind(
        "starts",
        (seat,),
        "AX-1.3",
        marked("{0} goes first"),
        you=(marked("You go first"),),
        brief=(marked("{0} goes first"), marked("you go first")),
    ),
    Event.MOVED: EventKind(
        "moved",
        (seat, space, space),
        "AX-2.1",
        marked("{0} moves the stack on {1} to {2}"),
        you=(marked("You move the stack on {1} to {2}"),),
        turn=TURN,
        brief=(marked("{1} to {2}"),),
        fields=("seat", "start", "end"),
        beats=3,
    ),
    Event.TURNED: EventKind(
        "turned",
        (seat, space, number),
        "AX-3.1",
        marked("{0} turns over the stack on {1}: it shows a {2}"),
        you=(marked("You turn over the stack on {1}: it shows a {2}"),),
        brief=(marked("turned over to a {2}"),),
        fields=("seat", "space", "top"),
        beats=2,
    ),
    Event.REMOVED: EventKind(
        "removed",
        (seat, number, space, space, space),
        "AX-4.3",
        marked("{0} removes the {1}s on {2}, {3} and {4}"),
        you=(marked("You remove the {1}s on {2}, {3} and {4}"),),
        brief=(marked("three {1}s removed"),),
        fields=("seat", "number", "*spaces"),
        beats=3,
    ),
    Event.EXPOSED: EventKind("exposed", (space, number), "AX-3.2", marked("{0} now shows a {1}"), fields=("space", "top")),
    Event.PAID: EventKind(
        "paid",
        (seat, space, number),
        "AX-5.1",
        marked("{0} pays the {2} on {1}"),
        you=(marked("You pay the {2} on {1}"),),
        brief=(marked("the {2} on {1} paid"),),
        fields=("seat", "space", "number"),
        beats=2,
    ),
    Event.STACK_GONE: EventKind("stack_gone", (space,), "AX-5.2", marked("{0} is now empty"), fields=("space",)),
    Event.SKIPPED: EventKind("skipped", (number,), "AX-7.3", marked("The {0}s are skipped: too few are left")),
    Event.PRAISE: EventKind(
        "praise",
        (seat, number),
        "AX-4.5",
        marked("Outstanding move by {0}: {1} triplets in one turn!"),
        you=(marked("Outstanding move by you: {1} triplets in one turn!"),),
        brief=(marked("an outstanding move"),),
        fields=("seat", "triplets"),
    ),
    Event.WON: EventKind("won", (), "AX-6.1", marked("All six triplets are removed: the puzzle is solved!"), turn=()),
    Event.LOST: EventKind(
        "lost", (named(*REASONS),), "AX-6.2", marked("The puzzle can't be solved any more: {0}"), turn=(), fields=("reason",)
    ),
    Event.SIDE_WON: EventKind(
        "side_won",
        (side, number, number),
        "AX-7.2",
        marked("Victory for {0}. Final score: {1} : {2}"),
        turn=(),
        fields=("side", "score_0", "score_1"),
    ),
    Event.DRAWN: EventKind(
        "drawn", (number, number), "AX-7.2", marked("A draw. Final score: {0} : {1}"), turn=(), fields=("score_0", "score_1")
    ),
}
GOOD = {
    EVENTS[Event.PRAISE].text: marked("Good move by {0}: {1} triplets in one turn!"),
    EVENTS[Event.PRAISE].you[0]: marked("Good move by you: {1} triplets in one turn!"),
    EVENTS[Event.PRAISE].brief[0]: marked("a good move"),
}
"""The messages about two triplets in one turn, by those about more."""

YOUR_SIDE_WON = marked("Victory for your side. Final score: {1} : {2}")
"""The line of ``side_won`` for the winners."""
WON_BY_LAST = (
    marked("Victory for {0}, by the last triplet. Final score: {1} : {2}"),
    marked("Victory for your side, by the last triplet. Final score: {1} : {2}"),
)
"""AX-8.3: These lines with equal points, for all and for the winners."""

ENDINGS = {
    Ending.WON: ("AX-6.1", marked("all six triplets have been removed")),
    Ending.PIECES: ("AX-6.2", REASONS["pieces"]),
    Ending.STUCK: ("AX-6.2", REASONS["stuck"]),
    Ending.NO_FULL_STACK: ("AX-7.2", marked("no stack of three is left")),
    Ending.NO_NUMBER: ("AX-7.3", marked("no numbers are left to remove")),
    Ending.NO_MOVE: ("AX-7.3", REASONS["stuck"]),
}


def event(event: GameEvent, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
    """Return the text of an event. It calls seat ``viewer`` "you"."""
    kind = EVENTS[event.kind]
    message = kind.message(event.arguments, viewer, part)
    if event.kind == Event.PRAISE and event.arguments[1] == 2:
        message = GOOD[message]
    if event.kind == Event.SIDE_WON:
        winner, ours, theirs = event.arguments
        yours = viewer >= 0 and viewer % SIDES == winner
        message = WON_BY_LAST[yours] if ours == theirs else YOUR_SIDE_WON if yours else message
    values = [_spoken(kind.argument(i), value, names) for i, value in enumerate(event.arguments)]
    return _(message).format(*values) if message else ""


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
    """Return the text of an action of the seat to move."""
    if action < Act.LEAVE:
        return _move(state, *divmod(action, SPACES))
    if action == Act.LEAVE:
        return _("leave the {number} on top").format(number=top(state, state.moved))
    if action == Act.TURN:
        return _turn(state)
    if action < Act.PAY:
        triple = action - Act.REMOVE
        return _("remove the {number}s on {spaces}").format(number=_shown(state, TRIPLES[triple][0]), spaces=spaces_of(triple))
    return _("pay the {number} on {space}").format(number=_shown(state, action - Act.PAY), space=NAMES[action - Act.PAY])


def _move(state: State, start: int, end: int) -> str:
    number = _shown(state, start)
    return _("move the {number} from {start} to {end}").format(number=number, start=NAMES[start], end=NAMES[end])


def _turn(state: State) -> str:
    second = state.height[state.moved] - 2
    if second >= 0 and state.seen[state.moved, second]:
        return _("turn it over: the {number} comes up").format(number=state.piece[state.moved, second])
    return _("turn it over and see what comes up")


def _shown(state: State, space: int) -> str:
    """Return the visible piece on a space, or a dash if there is none."""
    stack = state.stack_at[space]
    return "–" if stack == EMPTY else str(top(state, stack))


def spaces_of(triple: int) -> str:
    """Return the names of a triple of spaces as a list in words."""
    return listed(_names(triple))


def _names(triple: int) -> list[str]:
    return sorted(NAMES[space] for space in TRIPLES[triple])


def notation(action: int) -> str:
    """Return what a player types for an action in the terminal, such as ``c7 c4`` or ``pay c4``."""
    if action < Act.LEAVE:
        start, end = divmod(action, SPACES)
        return f"{NAMES[start]} {NAMES[end]}"
    if action == Act.LEAVE:
        return _("leave")
    if action == Act.TURN:
        return _("turn")
    if action < Act.PAY:
        return " ".join([_("take"), *_names(action - Act.REMOVE)])
    return " ".join([_("pay"), NAMES[action - Act.PAY]])


# ----------------------------------------------------------------------------------------------------------------- refusals


def refusal(state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
    """Return the rule that forbids an action now, with an explanation; two empty strings if the action is legal."""
    if action < Act.LEAVE:
        return _not_moved(state, *divmod(action, SPACES))
    if action < Act.REMOVE:
        return _not_turned(state, leaving=action == Act.LEAVE)
    if action < Act.PAY:
        return _not_removed(state, action - Act.REMOVE)
    return _not_paid(state, action - Act.PAY)


def _not_moved(state: State, start: int, end: int) -> tuple[str, str]:
    if state.phase == Phase.TURN:
        return "AX-2.1", _("You have already moved a stack. Now choose whether to turn it over.")
    if state.phase == Phase.REMOVE:
        return "AX-4.3", _("First choose which triplet to remove.")
    if state.phase == Phase.PAY:
        return "AX-2.1", _("You have already moved a stack. Now pay for the move.")
    if state.stack_at[start] == EMPTY:
        return "AX-2.1", _("There is no stack on {space}.").format(space=NAMES[start])
    return _unreachable(state, start, end)


def _unreachable(state: State, start: int, end: int) -> tuple[str, str]:
    length, away = top(state, state.stack_at[start]), distance(start, end)
    if start == end:
        return "AX-2.2", _("A move must end on a different space.")
    if routes(start, end, length, diagonals=bool(state.diagonals)):
        return _blocked(state, start, end)
    if state.diagonals:
        return "AX-8.1", _("No route of {number} spaces leads to {space}, straight on or around one right angle.").format(
            space=NAMES[end], number=length
        )
    if away > length:
        return "AX-2.2", _("{space} is too far away: a {number} moves exactly {number}, and the distance is {away}.").format(
            space=NAMES[end], number=length, away=away
        )
    if (length - away) % 2:
        return "AX-2.2", _("{space} is too close: a {number} moves exactly {number}, and the distance is {away}.").format(
            space=NAMES[end], number=length, away=away
        )
    return "AX-2.2", _("{space} is only {away} away: a {number} would have to turn more than one corner.").format(
        space=NAMES[end], number=length, away=away
    )


def _blocked(state: State, start: int, end: int) -> tuple[str, str]:
    if state.stack_at[end] != EMPTY:
        return "AX-2.3", _("There is already a stack on {space}.").format(space=NAMES[end])
    possible = routes(start, end, top(state, state.stack_at[start]), diagonals=bool(state.diagonals))
    obstacles = [[space for space in route if state.stack_at[space] != EMPTY] for route in possible]
    if not all(obstacles):
        return "", ""
    stacks = listed(sorted({NAMES[spaces[0]] for spaces in obstacles}))
    if len(obstacles) == 1:
        return "AX-2.3", _("The stack on {space} is in the way.").format(space=stacks)
    if len(obstacles) > 2:
        return "AX-2.3", _("All routes are blocked, by the stacks on {spaces}.").format(spaces=stacks)
    return "AX-2.3", _("Both routes are blocked, by the stacks on {spaces}.").format(spaces=stacks)


def _not_turned(state: State, *, leaving: bool) -> tuple[str, str]:
    if state.phase == Phase.MOVE:
        return "AX-3.1", _("You turn a stack over or leave it after moving it. Move one first.")
    if state.phase == Phase.REMOVE:
        return "AX-4.3", _("First choose which triplet to remove.")
    if state.phase == Phase.PAY and leaving:
        return "AX-3.1", _("There is nothing more to decide about the stack. Now pay for the move.")
    if state.phase == Phase.PAY:
        return "AX-3.1", _("It's too late to turn the stack over. Now pay for the move.")
    return "", ""


def _not_removed(state: State, triple: int) -> tuple[str, str]:
    rule, why = _no_triplet(state, triple)
    if rule or state.phase == Phase.REMOVE:
        return rule, why
    if state.phase == Phase.TURN:
        return "AX-4.3", _("Triplets are removed at the end of the move. First choose whether to turn the stack over.")
    return "AX-5.3", _("This triplet counts at the end of the next move. Move a stack first.")


def _no_triplet(state: State, triple: int) -> tuple[str, str]:
    spaces = TRIPLES[triple]
    for space in spaces:
        if state.stack_at[space] == EMPTY:
            return "AX-4.1", _("There is no stack on {space}.").format(space=NAMES[space])
    shown = [top(state, state.stack_at[space]) for space in spaces]
    if len(set(shown)) > 1:
        return "AX-4.1", _("{spaces} don't show the same number.").format(spaces=spaces_of(triple))
    if not may_go(state, shown[0]):
        return _not_current(state, shown[0])
    if state.orthogonal and not TRIPLE_TOUCHES[state.orthogonal, triple]:
        return "AX-4.1", _("These stacks only touch at corners. At this table they must be side by side.")
    if state.with_moved and not int(TRIPLE_MASK[triple]) & int(fresh_spaces(state)):
        return "AX-8.2", _("At this table a triplet counts only with the stack that was moved, or with a piece just uncovered.")
    return "", ""


def _not_current(state: State, number: int) -> tuple[str, str]:
    if state.current > NUMBERS:
        return "AX-4.2", _("A triplet of every number has been removed. No other can be removed.")
    if state.order == Order.STRICT and on_board(state, state.current) < TRIPLET_SIZE:
        return "AX-7.3", _("These are {number}s; only {current}s could be removed, and too few of them are left.").format(
            number=number, current=state.current
        )
    return "AX-4.2", _("These are {number}s; only {current}s can be removed now.").format(number=number, current=state.current)


def _not_paid(state: State, space: int) -> tuple[str, str]:
    if state.phase == Phase.MOVE:
        return "AX-5.1", _("You pay after a move that removes nothing. Move a stack first.")
    if state.phase == Phase.TURN:
        return "AX-5.1", _("You pay at the end of the move. First choose whether to turn the stack over.")
    if state.phase == Phase.REMOVE:
        return "AX-4.3", _("This move is free. Choose which triplet to remove.")
    if state.stack_at[space] == EMPTY:
        return "AX-5.2", _("There is no stack on {space}.").format(space=NAMES[space])
    return "", ""


# ------------------------------------------------------------------------------------------------------------------ prompts


def prompt(state: State, names: Sequence[str], viewer: int) -> str:
    """Return the question that the seat to move must answer, addressed to that seat if ``viewer`` is it."""
    if state.actor < 0:
        return _("The match is over.")
    return _(_question(state, yours=viewer == state.actor)).format(
        name=names[state.actor], current=state.current, space=NAMES[max(state.space[state.moved], 0)]
    )


def _question(state: State, *, yours: bool) -> str:
    """Return the text of the question; AX-7.3: without numbers if every number can be removed, or if none can any more."""
    phase = Phase(state.phase)
    if phase == Phase.MOVE and state.mode == Mode.VERSUS and triplets_left(state) == 0:
        return YOU_GET_NONE if yours else OTHERS_GET_NONE
    if state.order == Order.ANY and phase in YOUR_TURN_OF_ANY:
        return (YOUR_TURN_OF_ANY if yours else OTHERS_TURN_OF_ANY)[phase]
    return (YOUR_TURN if yours else OTHERS_TURN)[phase]


YOUR_TURN = {
    Phase.MOVE: marked("Move a stack as many spaces as its top piece shows. Bring three {current}s together."),
    Phase.TURN: marked("Turn over the stack on {space}? Its top piece would go to the bottom."),
    Phase.REMOVE: marked("There is more than one triplet of {current}s. Choose one to remove."),
    Phase.PAY: marked("No triplet: pay for your move with a visible piece."),
}
OTHERS_TURN = {
    Phase.MOVE: marked("{name} moves a stack. The next triplet must be {current}s."),
    Phase.TURN: marked("{name} may turn over the stack on {space}."),
    Phase.REMOVE: marked("{name} chooses which triplet of {current}s to remove."),
    Phase.PAY: marked("No triplet: {name} must pay for the move."),
}


YOUR_TURN_OF_ANY = {
    Phase.MOVE: marked("Move a stack as many spaces as its top piece shows. Bring three equal numbers together."),
    Phase.REMOVE: marked("There is more than one triplet. Choose the next one to remove."),
}
OTHERS_TURN_OF_ANY = {
    Phase.MOVE: marked("{name} moves a stack. Any triplet can be removed."),
    Phase.REMOVE: marked("{name} chooses which triplet to remove next."),
}
YOU_GET_NONE = marked("Move a stack as many spaces as its top piece shows. No triplet can be removed any more.")
OTHERS_GET_NONE = marked("{name} moves a stack. No triplet can be removed any more.")


def ending(state: State) -> tuple[str, str]:
    """Return the rule by which the match ended, and the reason."""
    rule, text = ENDINGS[Ending(state.ending)]
    return rule, _(text)
