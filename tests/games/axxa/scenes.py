"""States set up by hand, and matches played at random."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from meadhall import Match, game
from meadhall.engine.laws.check_game import setups
from meadhall.engine.state.events import Event
from meadhall.games.axxa.state import (
    EMPTY,
    FIRST_START,
    HEIGHT,
    NAMES,
    NOWHERE,
    NUMBERS,
    OF_EACH,
    SIDES,
    SPACES,
    STACKS,
    TRIPLE_OF,
    TRIPLET_SIZE,
    Act,
    State,
)
from meadhall.games.axxa.words import EVENTS, space
from sizes import LONG

AXXA = game("axxa")
SETUPS = list(setups(AXXA))
FEW = [
    (1, {"mode": "together", "touching": "all", "order": "skip"}),
    (3, {"mode": "together", "touching": "orthogonal", "order": "skip"}),
    (2, {"mode": "versus", "touching": "orthogonal", "order": "strict"}),
    (4, {"mode": "versus", "touching": "all", "order": "any"}),
    (5, {"mode": "versus", "touching": "all", "order": "strict"}),
    (6, {"mode": "versus", "touching": "orthogonal", "order": "skip"}),
    (2, {"mode": "versus", "order": "any", "directions": "any", "triplets": "moved", "worth": "number"}),
]
"""Setups with every number of players and every value of each option. The last one has all house rules."""
SPACE = {name: space for space, name in enumerate(NAMES)}

FAR = {"c7": "222", "e7": "333", "g5": "444", "g3": "555", "e1": "666"}
"""Three pieces of every number except 1, away from the middle, so that a match in mode together isn't lost."""


def scene(
    stacks: Mapping[str, str],
    *,
    current: int = 1,
    players: int = 2,
    actor: int = 0,
    takers: Mapping[int, int | tuple[int, int]] | None = None,
    **options: Any,
) -> Match:
    """Return a match in which ``actor`` moves next.

    Args:
        stacks: the pieces of each stack by space, from the top, unseen ones in brackets: ``"4[3]2"``. All other pieces are paid.
        current: the current number. Seat 0 has removed the lower ones.
        players: the number of players.
        actor: the seat to move.
        takers: the seats that removed triplets, by number, if not seat 0; two seats for two triplets of a number.
        options: the options of the match.
    """
    match = AXXA.match(players=players, seed="scene", **options)
    states = State.new()
    state: Any = State.at(states)
    for field in ("mode", "orthogonal", "order", "diagonals", "with_moved", "by_number", "reveals", "players"):
        setattr(state, field, getattr(match.state, field))
    state.current, state.actor = current, actor
    clockwise = [(actor + k) % players for k in range(players)]
    for side in range(SIDES):
        state.upcoming[side] = next((seat for seat in clockwise if seat % SIDES == side), 0)
    for number, seats in (dict.fromkeys(range(1, current), 0) if takers is None else takers).items():
        for k, seat in enumerate((seats,) if isinstance(seats, int) else seats):
            state.taker[number, k] = 1 + seat
            state.last_taker = 1 + seat
    state.stack_at[:] = EMPTY
    state.space[:] = NOWHERE
    for stack, (name, pieces) in enumerate(stacks.items()):
        put(state, stack, SPACE[name], re.findall(r"\[?\d\]?", pieces))
    for number in range(1, NUMBERS + 1):
        on_board = sum(pieces.count(str(number)) for pieces in stacks.values())
        state.paid[number] = OF_EACH - on_board - TRIPLET_SIZE * int((state.taker[number] > 0).sum())
        assert state.paid[number] >= 0
    return match.supposing(states)


def put(state: Any, stack: int, space: int, pieces: list[str]) -> None:
    state.space[stack] = space
    state.stack_at[space] = stack
    state.height[stack] = len(pieces)
    for k, piece in enumerate(reversed(pieces)):
        state.piece[stack, k] = int(piece.strip("[]"))
        state.seen[stack, k] = piece.isdecimal()


def stacks_of(match: Match) -> dict[str, str]:
    """Return the stacks in the format of ``scene``."""
    state: Any = match.state
    found = {}
    for stack in range(STACKS):
        pieces = [
            f"{state.piece[stack, k]}" if state.seen[stack, k] else f"[{state.piece[stack, k]}]"
            for k in reversed(range(state.height[stack]))
        ]
        if pieces:
            found[NAMES[state.space[stack]]] = "".join(pieces)
    return found


def move(start: str, end: str) -> int:
    return Act.MOVE + SPACE[start] * SPACES + SPACE[end]


def pay(name: str) -> int:
    return Act.PAY + SPACE[name]


def remove(*names: str) -> int:
    a, b, c = sorted(SPACE[name] for name in names)
    return Act.REMOVE + TRIPLE_OF[a, b, c]


def legal(match: Match) -> list[int]:
    return [choice.action for choice in match.legal()]


def targets(match: Match, start: str) -> set[str]:
    """Return the spaces that the stack on ``start`` can move to."""
    first = move(start, NAMES[0])
    return {NAMES[action - first] for action in legal(match) if first <= action < first + SPACES}


def as_lists(events: tuple[Event, ...]) -> list[list[Any]]:
    """Return the events as in a record, but with the names of spaces."""
    return [[event.name, *(_named(event, i, value) for i, value in enumerate(event.arguments))] for event in events]


def _named(event: Event, index: int, value: Any) -> Any:
    return NAMES[value] if EVENTS[event.kind].argument(index) is space else value


def turn(match: Match, start: str, end: str, *then: int) -> list[list[Any]]:
    """Move a stack, play the actions ``then``, and return the events after the move itself."""
    events = match.play(move(start, end))
    for action in then:
        events += match.play(action)
    return as_lists(events)[1:]


def matches(count: int = 1, **only: Any) -> Iterator[Match]:
    """Yield matches with every number of players and every value of each option; in the long run with every combination."""
    for players, options in SETUPS if LONG else FEW:
        if all(options.get(name, players) == value for name, value in only.items()):
            for number in range(count):
                yield AXXA.match(players=players, seed=f"axxa {players} {options} {number}", **options)


def scattered(count: int = 1, **only: Any) -> Iterator[Match]:
    """Yield such matches with stacks anywhere on the board and low numbers near the top, so that random play makes triplets."""
    for match in matches(count, **only):
        draw = random.Random(match.seed)
        pieces = sorted(list(range(1, NUMBERS + 1)) * OF_EACH)
        for _ in range(draw.randrange(20)):
            one, other = draw.sample(range(len(pieces)), 2)
            pieces[one], pieces[other] = pieces[other], pieces[one]
        spaces = draw.sample(range(draw.choice((SPACES, FIRST_START))), STACKS)
        states = match.states
        states["piece"] = np.reshape(pieces, (HEIGHT, STACKS)).T[:, ::-1]
        states["space"][0] = spaces
        states["stack_at"] = EMPTY
        states["stack_at"][0][spaces] = range(STACKS)
        yield match.supposing(states)


def at_random(match: Match, seed: str = "random") -> Iterator[int]:
    """Yield random legal actions until the match is over; the caller plays them."""
    draw = random.Random(f"{match.seed.hex()} {seed}")
    while not match.over:
        yield draw.choice(legal(match))


def play_at_random(match: Match) -> Match:
    for action in at_random(match):
        match.play(action)
    return match
