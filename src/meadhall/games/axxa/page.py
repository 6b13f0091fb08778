"""The page of AxxA in a browser: the values that ``page.html`` draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal

from meadhall.games.axxa.board import NAMES, POSITIONS, SPACES, TRIPLES, distance, routes
from meadhall.games.axxa.state import (
    EMPTY,
    Act,
    Ending,
    Event,
    Mode,
    Order,
    Phase,
    State,
    points_of,
    top,
)
from meadhall.games.axxa.status import Number, status, statuses
from meadhall.sdk import Event as GameEvent
from meadhall.sdk import PlainState, View

Waypoints = tuple[int, ...]
"""The spaces that define the route of a move: its start, its corner if it has one, and its end."""

PiecesBySpace = dict[int, tuple[int, ...]]
"""For each space with a stack, its pieces from the bottom; 0 is an unseen piece."""

End = Literal["", "won", "pieces", "stuck", "versus"]
_ENDINGS: dict[Ending, End] = {Ending.NONE: "", Ending.WON: "won", Ending.PIECES: "pieces", Ending.STUCK: "stuck"}


@dataclass(frozen=True)
class Space:
    """A space, and the pieces of the stack on it from the bottom; 0 is an unseen piece."""

    space: int
    name: str
    pieces: tuple[int, ...]


@dataclass(frozen=True)
class Stack:
    """A stack."""

    stack: int
    space: int
    pieces: tuple[int, ...]


@dataclass(frozen=True)
class Picture:
    """The board as every viewer sees it."""

    players: int
    versus: bool
    actor: int | None
    spaces: tuple[Space, ...]
    stacks: tuple[Stack, ...]  # in drawing order: upper rows first
    trail: Waypoints | None  # the route of the move of this turn, or of the turn that has just ended
    numbers: tuple[Number, ...]
    praise: int  # triplets of the turn that has just ended, if two or more, else 0
    sides: tuple[int, int]  # triplets of each side in mode versus; AX-8.3: or points
    ending: End

    @property
    def current(self) -> int:
        """The only number that can be removed, 0 if there is none or more than one."""
        found = [each.number for each in self.numbers if each.state == "current"]
        return found[0] if len(found) == 1 else 0


@dataclass(frozen=True)
class Goal:
    """A space that a stack can move to, and the route."""

    action: int
    space: int
    waypoints: Waypoints


@dataclass(frozen=True)
class Movable:
    """A stack, and the spaces that it can move to."""

    space: int
    number: int
    height: int
    goals: tuple[Goal, ...]


@dataclass(frozen=True)
class Triplet:
    """A triplet that can be removed."""

    action: int
    spaces: tuple[int, ...]
    names: str


Cost = Literal["free", "spare", "skips", "blocks", "ends", "loses"]


@dataclass(frozen=True)
class Payment:
    """A piece that can be paid, and the status of its number.

    Attributes:
        action: the action that pays it.
        space: the space of its stack.
        height: the height of its stack.
        number: the status of its number.
        cost: what paying it does: nothing (``free``: its number is not needed any more; ``spare``: pieces are left over), or
            AX-6.2 the match is lost (``loses``), AX-7.3 the number is skipped (``skips``), it blocks all later ones (``blocks``),
            or no triplet of it can be removed any more (``ends``).
    """

    action: int
    space: int
    height: int
    number: Number
    cost: Cost


@dataclass(frozen=True)
class Turning:
    """A stack that can be turned over: the number it shows, and the number that would come up (0 if unseen)."""

    space: int
    height: int
    number: int
    second: int


@dataclass(frozen=True)
class Controls:
    """The choices of a seat; empty while the seat waits."""

    phase: Literal["", "move", "turn", "remove", "pay"] = ""
    stacks: tuple[Movable, ...] = ()
    turning: Turning | None = None
    triplets: tuple[Triplet, ...] = ()
    payments: tuple[Payment, ...] = ()


# --------------------------------------------------------------------------------------------------------------- public part


def picture(view: View) -> Picture:
    """Return the public part of the page: the board as the viewer knows it."""
    state, plain = view.state, view.plain
    last = view.steps[-1].events if view.steps else ()
    pieces = _pieces_by_space(plain)
    stacks = [Stack(plain.stack_at[space], space, stack) for space, stack in pieces.items()]
    return Picture(
        players=plain.players,
        versus=plain.mode == Mode.VERSUS,
        actor=view.actor,
        spaces=tuple(Space(space, NAMES[space], pieces.get(space, ())) for space in range(SPACES)),
        stacks=tuple(sorted(stacks, key=lambda stack: POSITIONS[stack.space])),
        trail=_trail(view, pieces),
        numbers=statuses(state),
        praise=next((event.arguments[1] for event in last if event.kind == Event.PRAISE), 0),
        sides=(points_of(state, 0), points_of(state, 1)),
        ending=_ENDINGS.get(Ending(state.ending), "versus"),
    )


def _pieces_by_space(plain: PlainState) -> PiecesBySpace:
    return {
        space: tuple(plain.piece[stack][: plain.height[stack]]) for space, stack in enumerate(plain.stack_at) if stack != EMPTY
    }


def beats(view: View) -> int:
    """Return how long the board shows the last step, in beats (see ``stage.js``)."""
    return sum(LENGTHS.get(Event(event.kind), 0) for event in view.steps[-1].events)


LENGTHS = {Event.MOVED: 3, Event.TURNED: 2, Event.REMOVED: 3, Event.PAID: 2}
"""How long the board shows each event, in beats."""


def _trail(view: View, pieces: PiecesBySpace) -> Waypoints | None:
    """Return the route of the latest move. Stacks that have gone since then still count as obstacles."""
    since: list[GameEvent] = []
    for step in reversed(view.steps):
        for event in reversed(step.events):
            if event.kind == Event.MOVED:
                _, start, end = event.arguments
                gone = {later.arguments[0] for later in since if later.kind == Event.STACK_GONE}
                length = _moved_number(end, since, pieces) if view.plain.diagonals else distance(start, end)
                return _waypoints(view.plain, start, end, length, set(pieces) | gone)
            since.insert(0, event)
    return None


def _moved_number(space: int, since: Iterable[GameEvent], pieces: PiecesBySpace) -> int:
    """Return the number that the stack on a space showed when it moved there, from what has happened ``since``."""
    turned = False
    taken: list[int] = []
    for event in since:
        if event.kind == Event.TURNED:
            turned = True
        elif event.kind == Event.REMOVED and space in event.arguments[2:]:
            taken.append(event.arguments[1])
        elif event.kind == Event.PAID and event.arguments[1] == space:
            taken.append(event.arguments[2])
    whole = [*taken, *reversed(pieces.get(space, ()))]
    return whole[-1 if turned else 0]


_routes = cache(routes)
"""The routes of the board, which never change."""


def _waypoints(plain: PlainState, start: int, end: int, length: int, occupied: set[int]) -> Waypoints:
    """AX-2.2, AX-2.3: Return the waypoints of the first free route of a length."""
    blocked = occupied - {end}
    possible = _routes(start, end, length, diagonals=bool(plain.diagonals))
    entered = [start, *next(route for route in possible if not blocked.intersection(route))]
    steps = [(POSITIONS[b][0] - POSITIONS[a][0], POSITIONS[b][1] - POSITIONS[a][1]) for a, b in pairwise(entered)]
    return (start, *(entered[k] for k in range(1, length) if steps[k - 1] != steps[k]), end)


# -------------------------------------------------------------------------------------------------------------- private part


def own(view: View) -> Controls:
    """Return the private part of the page: the viewer's choices."""
    state = view.state
    if view.actor is None or view.actor != view.viewer:
        return Controls()
    match Phase(state.phase):
        case Phase.MOVE:
            return Controls("move", stacks=tuple(_movable(view)))
        case Phase.TURN:
            return Controls("turn", turning=_turning(view.plain))
        case Phase.REMOVE:
            return Controls("remove", triplets=tuple(_triplet(action) for action in view.legal))
        case Phase.PAY:
            return Controls("pay", payments=tuple(_payment(state, action) for action in view.legal))


def _movable(view: View) -> Iterable[Movable]:
    pieces = _pieces_by_space(view.plain)
    moves = [divmod(action, SPACES) for action in view.legal]
    for space, stack in pieces.items():
        ends = [end for start, end in moves if start == space]
        waypoints = [_waypoints(view.plain, space, end, stack[-1], set(pieces)) for end in ends]
        goals = tuple(Goal(space * SPACES + end, end, way) for end, way in zip(ends, waypoints, strict=True))
        yield Movable(space, stack[-1], len(stack), goals)


def _turning(plain: PlainState) -> Turning:
    space = plain.space[plain.moved]
    *_, second, number = stack = _pieces_by_space(plain)[space]
    return Turning(space, len(stack), number, second)


def _triplet(action: int) -> Triplet:
    spaces = TRIPLES[action - Act.REMOVE]
    return Triplet(action, spaces, " ".join(NAMES[space] for space in spaces))


def _payment(state: State, action: int) -> Payment:
    space = action - Act.PAY
    stack = int(state.stack_at[space])
    number = status(state, int(top(state, stack)))
    return Payment(action, space, int(state.height[stack]), number, _cost(state, number))


def _cost(state: State, number: Number) -> Cost:
    if number.state not in ("current", "waiting"):
        return "free"
    if number.spare:
        return "spare"
    return "loses" if state.mode == Mode.TOGETHER else _COSTS[Order(state.order)]


_COSTS: dict[Order, Cost] = {Order.SKIP: "skips", Order.STRICT: "blocks", Order.ANY: "ends"}


def offered(view: View) -> Iterable[int]:
    """Return the legal actions. A click on any other space sends an illegal move, which is refused with the reason."""
    return view.legal
