"""The page of AxxA in a browser: the values that ``page.html`` draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import ClassVar, Final, Literal

from meadhall.games.axxa.state import (
    EMPTY,
    NAMES,
    POSITIONS,
    SPACES,
    TRIPLES,
    Act,
    Event,
    Mode,
    Order,
    Phase,
    State,
    distance,
    points_of,
    routes,
    top,
)
from meadhall.games.axxa.status import Number, status, statuses
from meadhall.sdk import Event as GameEvent
from meadhall.sdk import PlainState, View

SOUNDS: Final = ("stone", "slide", "turn", "note", "pay")
"""The sounds of ``stage.js``, which a page loads at the first tap."""

Waypoints = tuple[int, ...]
"""The spaces that define the route of a move: its start, its corner if it has one, and its end."""

PiecesBySpace = dict[int, tuple[int, ...]]
"""For each space with a stack, its pieces from the bottom; 0 is an unseen piece."""

Cost = Literal["free", "spare", "skips", "blocks", "ends", "loses"]
"""What paying a piece does.

Nothing (``free``: its number is not needed any more; ``spare``: pieces are left over), AX-6.2: the match is lost (``loses``),
AX-7.3: the number is skipped (``skips``), all later ones are blocked (``blocks``), or no triplet of it can be removed any more
(``ends``).
"""


@dataclass(frozen=True)
class Picture:
    """The board as every viewer sees it.

    Attributes:
        pieces: the stacks in drawing order: upper rows first.
        trail: the route of the move of this turn, or of the turn that has just ended.
        praise: triplets of the turn that has just ended, if two or more, else 0.
        sides: triplets of each side in mode versus; AX-8.3: or points.
    """

    names: ClassVar = NAMES

    state: PlainState
    pieces: PiecesBySpace
    trail: Waypoints | None
    numbers: tuple[Number, ...]
    praise: int
    sides: tuple[int, int]

    @property
    def current(self) -> int:
        """The only number that can be removed, 0 if there is none or more than one."""
        found = [each.number for each in self.numbers if each.state == "current"]
        return found[0] if len(found) == 1 else 0


@dataclass(frozen=True)
class Controls:
    """The choices of a seat; empty while the seat waits.

    Attributes:
        goals: for each stack, the spaces that it can move to, with the routes.
        turning: the space of the stack that can be turned over.
        triplets: by action, the spaces of each triplet that can be removed.
        payments: by space, the status of the number that can be paid there, and the cost.
    """

    names: ClassVar = NAMES

    phase: Literal["", "move", "turn", "remove", "pay"] = ""
    pieces: PiecesBySpace = field(default_factory=dict)
    goals: dict[int, dict[int, Waypoints]] = field(default_factory=dict)
    turning: int | None = None
    triplets: dict[int, tuple[int, ...]] = field(default_factory=dict)
    payments: dict[int, tuple[Number, Cost]] = field(default_factory=dict)


# --------------------------------------------------------------------------------------------------------------- public part


def picture(view: View) -> Picture:
    """Return the public part of the page: the board as the viewer knows it."""
    state = view.state
    last = view.steps[-1].events if view.steps else ()
    pieces = _pieces_by_space(view.plain)
    return Picture(
        state=view.plain,
        pieces=pieces,
        trail=_trail(view, pieces),
        numbers=statuses(state),
        praise=next((event.arguments[1] for event in last if event.kind == Event.PRAISE), 0),
        sides=(points_of(state, 0), points_of(state, 1)),
    )


def _pieces_by_space(plain: PlainState) -> PiecesBySpace:
    stacks = [(space, plain.stack_at[space]) for space in _DRAWN if plain.stack_at[space] != EMPTY]
    return {space: tuple(plain.piece[stack][: plain.height[stack]]) for space, stack in stacks}


_DRAWN = sorted(range(SPACES), key=POSITIONS.__getitem__)
"""The spaces in drawing order."""


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
    if view.actor is None or view.actor != view.viewer:
        return Controls()
    pieces = _pieces_by_space(view.plain)
    match Phase(view.state.phase):
        case Phase.MOVE:
            return Controls("move", pieces, goals={space: _goals(view, space, pieces) for space in sorted(pieces)})
        case Phase.TURN:
            return Controls("turn", pieces, turning=view.plain.space[view.plain.moved])
        case Phase.REMOVE:
            return Controls("remove", triplets={action: TRIPLES[action - Act.REMOVE] for action in view.legal})
        case Phase.PAY:
            return Controls("pay", pieces, payments={action - Act.PAY: _payment(view, action - Act.PAY) for action in view.legal})


def _goals(view: View, space: int, pieces: PiecesBySpace) -> dict[int, Waypoints]:
    ends = [action % SPACES for action in view.legal if action // SPACES == space]
    return {end: _waypoints(view.plain, space, end, pieces[space][-1], set(pieces)) for end in ends}


def _payment(view: View, space: int) -> tuple[Number, Cost]:
    number = status(view.state, int(top(view.state, view.plain.stack_at[space])))
    return number, _cost(view.state, number)


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
