"""What a browser shows of AxxA: the values that ``page.html`` draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from meadhall.engine.events import Event as Happened
from meadhall.engine.view import View
from meadhall.games.axxa.board import NAMES, POSITIONS, SPACES, TRIPLES, routes
from meadhall.games.axxa.state import (
    EMPTY,
    NUMBERS,
    PAY,
    REMOVE,
    THREE,
    VERSUS,
    Ending,
    Event,
    Phase,
    State,
    on_board,
    top,
    triplets_of,
)

Way = tuple[int, ...]
"""The spaces of a move: where it begins, its corner if it has one, where it ends."""


End = Literal["", "won", "pieces", "stuck", "versus"]
_ENDINGS: dict[Ending, End] = {Ending.NONE: "", Ending.WON: "won", Ending.PIECES: "pieces", Ending.STUCK: "stuck"}


@dataclass(frozen=True)
class Space:
    """A space, and the pieces of the stack on it from the bottom; 0: nobody has seen it."""

    space: int
    name: str
    pieces: tuple[int, ...]


@dataclass(frozen=True)
class Stack:
    """A stack. ``turned``: its top piece has just gone to its bottom."""

    stack: int
    space: int
    pieces: tuple[int, ...]
    turned: bool


@dataclass(frozen=True)
class Slide:
    """The turn's move: its way, how far it goes to the right and down, and whether it has only just happened."""

    way: Way
    right: int
    down: int
    first: Literal["right", "down"]
    fresh: bool


@dataclass(frozen=True)
class Gone:
    """A piece that has just left the board, from ``level`` of its stack; what has the same beat leaves together."""

    space: int
    level: int
    number: int
    paid: bool
    beat: int


@dataclass(frozen=True)
class Number:
    """What has become of a number, and how many of its pieces are on the board."""

    number: int
    left: int
    state: Literal["removed", "skipped", "current", "waiting", "lost"]
    taker: int | None  # the seat that removed its triplet
    fresh: int | None  # the beat of the removal, if it has only just happened

    @property
    def spare(self) -> int:
        """AX-5.2, AX-6.2: how many of its pieces may still be paid."""
        return max(0, self.left - (THREE if self.state in ("current", "waiting") else 0))


@dataclass(frozen=True)
class Picture:
    """The table as everybody sees it. ``n`` numbers the moment, so that what is new can be told from what was there."""

    n: int
    players: int
    versus: bool
    actor: int | None
    spaces: tuple[Space, ...]
    stacks: tuple[Stack, ...]  # as they are painted: the upper rows first
    slide: Slide | None
    gone: tuple[Gone, ...]
    numbers: tuple[Number, ...]
    praise: int  # triplets of the turn that has just ended, if that is worth praise
    sides: tuple[int, int]  # triplets of each, against each other
    ending: End

    @property
    def current(self) -> int:
        """The number that can be removed, 0 when there is none."""
        return next((each.number for each in self.numbers if each.state == "current"), 0)


@dataclass(frozen=True)
class Goal:
    """A space that a stack can be moved to, and the way there."""

    action: int
    space: int
    way: Way


@dataclass(frozen=True)
class Movable:
    """A stack that may be moved, and where to."""

    space: int
    number: int
    height: int
    goals: tuple[Goal, ...]


@dataclass(frozen=True)
class Triplet:
    """A triplet that may be removed."""

    action: int
    spaces: tuple[int, ...]
    names: str


@dataclass(frozen=True)
class Price:
    """A piece that may be paid, and how many more of its number could be."""

    action: int
    space: int
    height: int
    number: Number


@dataclass(frozen=True)
class Turning:
    """A stack that may be turned over: what it shows, and what would come up (0: nobody knows)."""

    space: int
    height: int
    number: int
    beneath: int


@dataclass(frozen=True)
class Own:
    """What the controls of a seat need; nothing while it waits."""

    phase: Literal["", "move", "turn", "remove", "pay"] = ""
    versus: bool = False
    stacks: tuple[Movable, ...] = ()
    turning: Turning | None = None
    triplets: tuple[Triplet, ...] = ()
    prices: tuple[Price, ...] = ()


# -------------------------------------------------------------------------------------------------------------- what all see


def picture(view: View) -> Picture:
    """The picture of a view."""
    state = view.state
    last = view.steps[-1].events if view.steps else ()
    heaps = _heaps(state)
    turned = next((event.arguments[1] for event in last if event.kind == Event.TURNED), None)
    stacks = [Stack(int(state.stack_at[space]), space, pieces, space == turned) for space, pieces in heaps.items()]
    gone = tuple(_gone(last, heaps))
    return Picture(
        n=view.next_number,
        players=state.players,
        versus=bool(state.mode == VERSUS),
        actor=view.actor,
        spaces=tuple(Space(space, NAMES[space], heaps.get(space, ())) for space in range(SPACES)),
        stacks=tuple(sorted(stacks, key=lambda stack: POSITIONS[stack.space])),
        slide=_slide(view, heaps),
        gone=gone,
        numbers=_numbers(state, {each.number: each.beat for each in gone if not each.paid}),
        praise=next((event.arguments[1] for event in last if event.kind == Event.PRAISE), 0),
        sides=(triplets_of(state, 0), triplets_of(state, 1)),
        ending=_ENDINGS.get(Ending(state.ending), "versus"),
    )


def _heaps(state: State) -> dict[int, tuple[int, ...]]:
    """The pieces on each space with a stack, from the bottom."""
    return {
        space: tuple(int(state.piece[stack, level]) for level in range(state.height[stack]))
        for space in range(SPACES)
        if (stack := int(state.stack_at[space])) != EMPTY
    }


def _numbers(state: State, fresh: dict[int, int]) -> tuple[Number, ...]:
    return tuple(_number(state, number, fresh.get(number)) for number in range(1, NUMBERS + 1))


def _number(state: State, number: int, fresh: int | None = None) -> Number:
    left = int(on_board(state, number))
    if state.taker[number]:
        return Number(number, left, "removed", int(state.taker[number]) - 1, fresh)
    if number < state.current:
        return Number(number, left, "skipped", None, None)
    if state.ending == Ending.PIECES and left < THREE:
        return Number(number, left, "lost", None, None)
    current = number == state.current and state.actor >= 0
    return Number(number, left, "current" if current else "waiting", None, None)


def _gone(happened: Iterable[Happened], heaps: dict[int, tuple[int, ...]]) -> Iterable[Gone]:
    """The pieces that left the board, the first of a stack from higher up than the next one."""
    leaving = [event for event in happened if event.kind in (Event.REMOVED, Event.PAID)]
    heights = Counter({space: len(pieces) for space, pieces in heaps.items()})
    for beat, event in reversed(list(enumerate(leaving))):
        paid = event.kind == Event.PAID
        number = event.arguments[2 if paid else 1]
        for space in event.arguments[1:2] if paid else event.arguments[2:]:
            yield Gone(space, heights[space], number, paid, beat)
            heights[space] += 1


def _slide(view: View, heaps: dict[int, tuple[int, ...]]) -> Slide | None:
    """The last move: of the turn that is going on, or of the one just ended."""
    since: set[int] = set()
    for position, step in enumerate(reversed(view.steps)):
        for event in reversed(step.events):
            if event.kind == Event.MOVED:
                _, start, end = event.arguments
                way = _way(start, end, set(heaps) | since)
                down, right = (b - a for a, b in zip(POSITIONS[start], POSITIONS[end], strict=True))
                first: Literal["right", "down"] = "right" if POSITIONS[way[1]][0] == POSITIONS[start][0] else "down"
                return Slide(way, right, down, first, fresh=position == 0)
            if event.kind == Event.STACK_GONE:
                since.add(event.arguments[0])
    return None


def _way(start: int, end: int, occupied: set[int]) -> Way:
    """AX-2.2, AX-2.3: the first free way, as its ends and its corner."""
    blocked = occupied - {end}
    entered = next(way for way in routes(start, end) if not blocked.intersection(way))
    row, column = POSITIONS[start]
    straight = [*takewhile(lambda space: row == POSITIONS[space][0], entered)] or [
        *takewhile(lambda space: column == POSITIONS[space][1], entered)
    ]
    return (start, end) if straight[-1] == end else (start, straight[-1], end)


# ------------------------------------------------------------------------------------------------------------ what one decides


def own(view: View) -> Own:
    """The values for a seat's controls."""
    state = view.state
    if view.actor is None or view.actor != view.viewer:
        return Own()
    versus = bool(state.mode == VERSUS)
    match Phase(state.phase):
        case Phase.MOVE:
            return Own("move", versus, stacks=tuple(_movable(view)))
        case Phase.TURN:
            return Own("turn", versus, turning=_turning(state))
        case Phase.REMOVE:
            return Own("remove", versus, triplets=tuple(_triplet(action) for action in view.legal))
        case Phase.PAY:
            return Own("pay", versus, prices=tuple(_price(state, action) for action in view.legal))


def _movable(view: View) -> Iterable[Movable]:
    heaps = _heaps(view.state)
    moves = [divmod(action, SPACES) for action in view.legal]
    for space, pieces in heaps.items():
        ends = [end for start, end in moves if start == space]
        goals = tuple(Goal(space * SPACES + end, end, _way(space, end, set(heaps))) for end in ends)
        yield Movable(space, pieces[-1], len(pieces), goals)


def _turning(state: State) -> Turning:
    space = int(state.space[state.moved])
    *_, beneath, number = pieces = _heaps(state)[space]
    return Turning(space, len(pieces), number, beneath)


def _triplet(action: int) -> Triplet:
    spaces = TRIPLES[action - REMOVE]
    return Triplet(action, spaces, " ".join(NAMES[space] for space in spaces))


def _price(state: State, action: int) -> Price:
    space = action - PAY
    stack = int(state.stack_at[space])
    return Price(action, space, int(state.height[stack]), _number(state, int(top(state, stack))))


def offered(view: View) -> Iterable[int]:
    """What is legal. Every other space answers, when it is pressed, why not."""
    return view.legal
