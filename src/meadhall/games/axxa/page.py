"""The page of AxxA in a browser: the values that ``page.html`` draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, Final, Literal

from meadhall.games.axxa.state import (
    EMPTY,
    NAMES,
    POSITIONS,
    SPACES,
    SQUARE,
    STACKS,
    TRIPLES,
    Act,
    Event,
    Mode,
    Order,
    Phase,
    distance,
    points_of,
    routes,
)
from meadhall.games.axxa.status import Number, statuses
from meadhall.sdk import Event as GameEvent, PlainState, View, gettext as _

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
        taken: for each seat, the numbers of the triplets that it removed.
    """

    state: PlainState
    pieces: PiecesBySpace
    trail: Waypoints | None
    numbers: tuple[Number, ...]
    praise: int
    sides: tuple[int, int]
    taken: tuple[tuple[int, ...], ...]

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

    phase: Literal["", "move", "turn", "remove", "pay"] = ""
    pieces: PiecesBySpace = field(default_factory=dict)
    goals: dict[int, dict[int, Waypoints]] = field(default_factory=dict)
    turning: int | None = None
    triplets: dict[int, tuple[int, ...]] = field(default_factory=dict)
    payments: dict[int, tuple[Number, Cost]] = field(default_factory=dict)


# --------------------------------------------------------------------------------------------------------------- public part


def picture(view: View) -> Picture:
    """Return the public part of the page: the board as the viewer knows it."""
    plain, last = view.plain, view.steps[-1].events if view.steps else ()
    pieces = _pieces_by_space(plain)
    numbers = statuses(plain)
    takers = [(taker, each.number) for each in numbers for taker in each.takers]
    return Picture(
        state=plain,
        pieces=pieces,
        trail=_trail(view, pieces),
        numbers=numbers,
        praise=next((event.arguments[1] for event in last if event.kind == Event.PRAISE), 0),
        sides=(points_of(view.state, 0), points_of(view.state, 1)) if plain.mode else (0, 0),
        taken=tuple([tuple([number for taker, number in takers if taker == seat]) for seat in range(plain.players)]),
    )


def regions(page: Any) -> dict[str, Any]:
    """Return the parts of the board that change, by their ids."""
    picture: Picture = page.picture
    state, seats = picture.state, page.seats
    parts: dict[str, Any] = {
        "stacks": {"class": f"axxa-stacks wants-{picture.current}"},
        "trail": ("trail", picture.trail),
        "praise": ("praise", picture.praise),
        "axxa-ending": _plaque(page, picture),
        **_EMPTY_SPACES,
    }
    for stack in range(STACKS):
        space = state.space[stack]
        heap = picture.pieces.get(space, ())
        parts[f"stack-{stack}"] = {
            "class": f"axxa-stack s-{space}" if heap else "axxa-stack off",
            "transform": _PLACES[space] if heap else None,
        }
        parts[f"heap-{stack}"] = ("heap_of", stack, heap)
        if heap:
            parts[f"on-{space}"] = ("space_text", space, NAMES[space], heap)
    for each in picture.numbers:
        k, look = each.number, "" if each.state in ("current", "waiting") else each.state
        parts[f"number-{k}"] = {"class": f"axxa-number n-{k} {each.state} left-{each.left}"}
        parts[f"art-{k}"] = ("number_art", k, look, each.takers, state.players)
        takers = ", ".join([seats[taker].name for taker in each.takers])
        parts[f"says-{k}"] = ("number_words", k, each.state, each.left, each.spare, each.blocker, takers)
    for seat in seats:
        parts[f"facts-{seat.seat}"] = ("facts", seat.seat, state.mode, picture.taken[seat.seat])
    if state.mode == Mode.VERSUS:
        for side, points in enumerate(picture.sides):
            acting = " acting" if state.actor >= 0 and state.actor % 2 == side else ""
            parts[f"side-{side}"] = {"class": f"axxa-side side-{side}{acting}"}
            parts[f"score-{side}"] = ("points", side, points)
    elif state.players > 1:
        parts["turn"] = ("turn", state.actor, seats[state.actor].name if state.actor >= 0 else "")
    return parts


def _plaque(page: Any, picture: Picture) -> tuple[Any, ...]:
    """Return the values of the result on the board."""
    if not page.result:
        return ("result_plaque",)
    lost = tuple([each.number for each in picture.numbers if each.state == "lost"])
    return (
        "result_plaque",
        _ENDINGS[picture.state.ending],
        lost,
        picture.sides,
        page.result.headline if page.result.winners else "",
    )


_ENDINGS = ("versus", "won", "pieces", "stuck", "versus", "versus", "versus")
_PLACES = [f"translate({120 * (column - SQUARE // 2)} {120 * (row - SQUARE // 2)})" for row, column in POSITIONS]
_EMPTY_SPACES: dict[str, Any] = {f"on-{space}": ("space_text", space, name, ()) for space, name in enumerate(NAMES)}


def _pieces_by_space(plain: PlainState) -> PiecesBySpace:
    at, piece, height = plain.stack_at, plain.piece, plain.height
    return {space: tuple(piece[stack][: height[stack]]) for space in _DRAWN if (stack := at[space]) != EMPTY}


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
                return _waypoints(start, end, length, bool(view.plain.diagonals), set(pieces) | gone)
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


@cache
def _ways(start: int, end: int, length: int, diagonals: bool) -> list[tuple[set[int], Waypoints]]:
    """Return the routes of a length: the spaces between start and end, and the waypoints. They never change."""
    found = []
    for route in routes(start, end, length, diagonals=diagonals):
        entered = [start, *route]
        steps = [(POSITIONS[b][0] - POSITIONS[a][0], POSITIONS[b][1] - POSITIONS[a][1]) for a, b in pairwise(entered)]
        corners = [entered[k] for k in range(1, length) if steps[k - 1] != steps[k]]
        found.append(({*route} - {end}, (start, *corners, end)))
    return found


def _waypoints(start: int, end: int, length: int, diagonals: bool, occupied: Iterable[int]) -> Waypoints:
    """AX-2.2, AX-2.3: Return the waypoints of the first free route of a length."""
    return next(way for between, way in _ways(start, end, length, diagonals) if between.isdisjoint(occupied))


# -------------------------------------------------------------------------------------------------------------- private part


def own(view: View) -> Controls:
    """Return the private part of the page: the viewer's choices."""
    if view.actor is None or view.actor != view.viewer:
        return Controls()
    pieces = _pieces_by_space(view.plain)
    match Phase(view.state.phase):
        case Phase.MOVE:
            return Controls("move", pieces, goals=_goals(view, pieces))
        case Phase.TURN:
            return Controls("turn", pieces, turning=view.plain.space[view.plain.moved])
        case Phase.REMOVE:
            return Controls("remove", triplets={action: TRIPLES[action - Act.REMOVE] for action in view.legal})
        case Phase.PAY:
            numbers = statuses(view.plain)
            spaces = [action - Act.PAY for action in view.legal]
            paid = {space: numbers[pieces[space][-1] - 1] for space in spaces}
            return Controls("pay", pieces, payments={space: (each, _cost(view.plain, each)) for space, each in paid.items()})


def _goals(view: View, pieces: PiecesBySpace) -> dict[int, dict[int, Waypoints]]:
    goals: dict[int, dict[int, Waypoints]] = {space: {} for space in sorted(pieces)}
    diagonals = bool(view.plain.diagonals)
    for action in view.legal:
        start, end = divmod(action, SPACES)
        goals[start][end] = _waypoints(start, end, pieces[start][-1], diagonals, pieces)
    return goals


def _cost(plain: PlainState, number: Number) -> Cost:
    if number.state not in ("current", "waiting"):
        return "free"
    if number.spare:
        return "spare"
    return "loses" if plain.mode == Mode.TOGETHER else _COSTS[Order(plain.order)]


_COSTS: dict[Order, Cost] = {Order.SKIP: "skips", Order.STRICT: "blocks", Order.ANY: "ends"}


def control_regions(page: Any) -> dict[str, Any]:
    """Return the controls: one for each space, the choice to leave the stack or turn it over, and the one of a triplet."""
    own, choices, notice = page.own, page.choices, page.notice
    waiting = not own.phase
    parts: dict[str, Any] = {
        "spots": {
            "class": "square axxa-spots waiting" if waiting else "square axxa-spots",
            "data-phase": own.phase,
            "aria-disabled": "true" if waiting else None,
            "aria-describedby": "prompt-words" if waiting else None,
        },
        "refused": ("answer",),
        "question": ("question",),
        "triplets": ("triplets", tuple(own.triplets.items())),
        **_IDLE,
    }
    for space, goals in own.goals.items():
        heap = own.pieces[space]
        words = _("move the {number} from {start} to {end}").format(number=heap[-1], start=NAMES[space], end="\0")
        ways = tuple([(end, " ".join(map(str, way[1:-1])), words.replace("\0", NAMES[end])) for end, way in goals.items()])
        parts[f"at-{space}"] = ("movable", space, len(heap), heap[-1], ways)
    for space, (each, cost) in own.payments.items():
        words = _("pay the {number} on {space}").format(number=each.number, space=NAMES[space])
        price = (each.number, each.left, each.spare, cost)
        parts[f"at-{space}"] = ("payment", space, len(own.pieces[space]), Act.PAY + space, words, *price)
    if own.turning is not None:
        heap = own.pieces[own.turning]
        parts["question"] = (
            "question",
            own.turning,
            len(heap),
            *[(each.action, each.text, heap[-1 - k]) for k, each in enumerate(choices)],
        )
    if notice and notice.action is not None and 0 <= notice.action < SPACES * SPACES:
        parts["refused"] = ("answer", notice.action % SPACES, notice.text, notice.rule)
    return parts


_IDLE: dict[str, Any] = {f"at-{space}": ("idle", space) for space in range(SPACES)}


def offered(view: View) -> Iterable[int]:
    """Return the choices to leave a stack and to turn it over. The controls of spaces have their own words.

    A click on a space without a choice sends an illegal move, which is refused with the reason.
    """
    return view.legal if view.state.phase == Phase.TURN else ()
