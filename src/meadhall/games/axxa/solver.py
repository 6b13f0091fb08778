"""AxxA together, solved: whether a position is won or lost for certain, and how it is won.

Depth first, in the order of the heuristics, which are seldom wrong when all pieces are known: so what they like best is free, and
every departure from it costs, the further down their list the more (limited discrepancy search: Harvey and Ginsberg, 1995). What
may be spent grows from nothing until a line wins, or nothing was left out and the position is lost. Positions that failed are
remembered, the eight symmetries of the board as one (Zobrist, 1970, hashed to 64 bits).

Lost is a position, besides what the rules say, in which a number still to be removed lies in fewer than three stacks, or nothing
can be paid any more and no triplet is in reach. What nobody has seen is not guessed at: where it can come to light, it is open.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from meadhall.engine.events import NO_LOG_SHAPE
from meadhall.engine.rule import rule, u64
from meadhall.engine.schema import Grid, States, copy_state, state_at
from meadhall.engine.solution import Solution
from meadhall.engine.view import legal_actions
from meadhall.games.axxa.advice import is_lost
from meadhall.games.axxa.board import POSITIONS, SPACE_AT, SPACES, SQUARE
from meadhall.games.axxa.heuristics import can_complete, prospects
from meadhall.games.axxa.hidden import list_unseen
from meadhall.games.axxa.rules import legal, play
from meadhall.games.axxa.state import (
    ACTIONS,
    HEIGHT,
    NUMBERS,
    PAY,
    PIECES,
    STACKS,
    THREE,
    TOGETHER,
    UNKNOWN,
    Ending,
    Phase,
    State,
    on_board,
    top,
)

if TYPE_CHECKING:
    from meadhall.engine.match import Match
    from meadhall.engine.view import View

QUICK = 4_000
"""Decisions looked at for a hint: some tenths of a second."""
THOROUGH = 200_000
"""Decisions looked at for a verdict: some seconds."""
MOST_UNSEEN = 8
"""With more pieces that nobody has seen only what is plain at once is said of a position."""


class Verdict(IntEnum):
    """What is known of a position."""

    OPEN = 0
    WON = 1
    LOST = 2


@dataclass(frozen=True)
class Proof:
    """A verdict.

    Attributes:
        verdict: whether the position is won or lost for certain, or not decided.
        line: actions that win.
        moves: how many of them are moves of a stack.
        looked_at: how many decisions it took.
    """

    verdict: Verdict
    line: tuple[int, ...]
    looked_at: int

    @property
    def moves(self) -> int:
        """How many stacks are moved."""
        return sum(action < SPACES * SPACES for action in self.line)


def winnable(match: Match, budget: int = THOROUGH) -> Proof:
    """Whether the shuffle of a match together could be won by somebody who knew all pieces, covered ones too, from the beginning.

    For matches that are over, or simulated: it looks at what is hidden.

    Args:
        budget: how many decisions are looked at, at most.
    """
    return prove(match.steps[0].before if match.steps else match.states, budget)


def prove(states: States, budget: int = THOROUGH) -> Proof:
    """What is certain of a position together in which all pieces are known."""
    known = states.copy()
    known["seen"] = known["piece"] != UNKNOWN
    return _proof(known, budget)


def solution(view: View) -> Solution | None:
    """What is certain in the eyes of the viewer, if anything is: an action that wins, or that none does.

    Unseen pieces that can only be one number are known as well. The others may lie as they like: the line doesn't touch them.
    """
    state = view.state
    if state.mode != TOGETHER or state.actor < 0:
        return None
    known = view.states.copy()
    known["seen"] = known["piece"] != UNKNOWN
    unseen = np.zeros(PIECES, np.int8)
    count = list_unseen(State.at(known), unseen)
    if len(set(unseen[:count].tolist())) == 1:
        known["piece"] = np.where((known["piece"] == UNKNOWN) & _is_there(known), unseen[0], known["piece"])
        known["seen"] = _is_there(known)
    found = _proof(known, QUICK if count <= MOST_UNSEEN else 0)
    if found.verdict == Verdict.WON:
        return Solution({found.line[0]: (1.0,) * state.players}, {found.line[0]: 1.0}, found.line)
    if found.verdict == Verdict.LOST:
        possible = legal_actions(view.game, view.states)
        return Solution(dict.fromkeys(possible, (0.0,) * state.players), dict.fromkeys(possible, 1.0 / len(possible)))
    return None


def _is_there(states: States) -> Any:
    """Where in each stack there is a piece."""
    return np.arange(HEIGHT) < states["height"][:, :, None]


def _proof(states: States, budget: int) -> Proof:
    remembered = 1 << min(budget.bit_length() + 2, 20)
    desk = Desk(
        states=State.new(_DEEPEST + 1),
        trial=State.new(2),
        orders=np.zeros((_DEEPEST, _WIDEST), np.int64),
        frames=np.zeros((_DEEPEST + 1, _COLUMNS), np.int64),
        here=np.zeros(_DEEPEST + 1, np.uint64),
        legal=np.zeros(_WIDEST, np.int64),
        line=np.zeros(_DEEPEST, np.int64),
        keys=np.zeros(remembered, np.uint64),
        failed=np.zeros(remembered, np.int8),
        control=np.zeros(2, np.int64),
        log=np.zeros(NO_LOG_SHAPE, np.int32),
    )
    desk.states[0] = states[0]
    verdict = Verdict(deepen(desk, budget))
    line = desk.line[: desk.control[_LENGTH]].tolist() if verdict == Verdict.WON else ()
    return Proof(verdict, tuple(line), int(desk.control[_LOOKED_AT]))


# --------------------------------------------------------------------------------------------------------------- the search

_OPEN, _WON, _LOST = (verdict.value for verdict in Verdict)
_PENDING = -1
"""Instead of a verdict while there are actions to be tried."""

_LIMITS = np.array([0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 127])
"""What may be spent, one after the other; the last is enough for everything."""
_EVERYTHING = 127
_DEEPEST = 128
"""Decisions of a match at most: in 24 turns or fewer a move, a turn over and a payment each, and the choice of triplets."""
_WIDEST = 24 * STACKS
"""Possibilities of a decision at most: no stack can reach more than 24 spaces."""
_LOOKED_AT, _LENGTH = range(2)
"""Of the state of a search: how many decisions it has looked at, and how long the line is that wins."""
_COUNT, _RANK, _LEFT, _VERDICT, _COLUMNS = range(5)
"""Of a frame, one for each depth: how many actions there are and have been tried, what may be spent, and the verdict so far."""


class Desk(NamedTuple):
    """What a search works on: a position and its actions in their order at each depth, and what failed with how much to spend."""

    states: States
    trial: States
    orders: Any
    frames: Grid
    here: Any
    legal: Any
    line: Any
    keys: Any
    failed: Any
    control: Any
    log: Any


@rule
def deepen(desk: Desk, budget: int) -> int:
    """Search ``desk.tables[0]`` with more and more to spend."""
    for limit in _LIMITS:
        verdict = search(desk, budget, limit)
        if verdict != _OPEN or desk.control[_LOOKED_AT] >= budget:
            return verdict
    return _OPEN


@rule
def search(desk: Desk, budget: int, limit: int) -> int:
    """What ``desk.tables[0]`` is, if no more than ``limit`` is spent.

    It doesn't call itself, because Numba keeps no rules on disk that do.
    """
    depth = 0
    desk.frames[0, _LEFT] = limit
    verdict = enter(desk, budget, 0)
    while depth >= 0 and verdict != _WON:
        if verdict != _PENDING:
            depth -= 1
            if depth >= 0:
                if verdict == _OPEN:
                    desk.frames[depth, _VERDICT] = _OPEN
                verdict = _PENDING
        elif try_next(desk, depth):
            depth += 1
            verdict = enter(desk, budget, depth)
        else:
            verdict = conclude(desk, budget, depth)
    return verdict


@rule
def enter(desk: Desk, budget: int, depth: int) -> int:
    """The verdict on ``desk.tables[depth]`` where it is known at once; where not, its actions are put in order."""
    state = state_at(desk.states, depth)
    if depth > 0 and state.reveals != state_at(desk.states, depth - 1).reveals:
        return _OPEN  # it depends on what nobody has seen
    if state.actor < 0:
        desk.control[_LENGTH] = depth
        return _WON if state.ending == Ending.WON else _LOST
    turn_begins = state.phase == Phase.MOVE
    if is_lost(state) or (turn_begins and is_stranded(state)):
        return _LOST
    if desk.control[_LOOKED_AT] >= budget:
        return _OPEN
    if turn_begins:
        key = key_of(state)
        slot = slot_of(desk, key)
        desk.here[depth] = key
        if desk.keys[slot] == key and desk.failed[slot] >= desk.frames[depth, _LEFT]:
            return _LOST if desk.failed[slot] == _EVERYTHING else _OPEN
    desk.control[_LOOKED_AT] += 1
    desk.frames[depth, _COUNT] = put_in_order(desk, depth)
    desk.frames[depth, _RANK] = 0
    desk.frames[depth, _VERDICT] = _LOST
    return _PENDING


@rule
def try_next(desk: Desk, depth: int) -> bool:
    """Play the next action into ``desk.tables[depth + 1]``; False if there is none, or none that can be afforded."""
    rank, left = desk.frames[depth, _RANK], desk.frames[depth, _LEFT]
    if rank == desk.frames[depth, _COUNT]:
        return False
    price = price_of(rank)
    if price > left:
        desk.frames[depth, _VERDICT] = _OPEN
        return False
    desk.frames[depth, _RANK] += 1
    desk.frames[depth + 1, _LEFT] = left if left == _EVERYTHING else left - price
    desk.line[depth] = desk.orders[depth, rank]
    copy_state(state_at(desk.states, depth), desk.states, depth + 1)
    play(state_at(desk.states, depth + 1), desk.line[depth], desk.log)
    return True


@rule
def conclude(desk: Desk, budget: int, depth: int) -> int:
    """The verdict when all actions have been tried that can be afforded; it is remembered."""
    state = state_at(desk.states, depth)
    verdict = desk.frames[depth, _VERDICT]
    if state.phase == Phase.MOVE and (verdict == _LOST or desk.control[_LOOKED_AT] < budget):
        slot = slot_of(desk, desk.here[depth])
        desk.keys[slot] = desk.here[depth]
        desk.failed[slot] = _EVERYTHING if verdict == _LOST else desk.frames[depth, _LEFT]
    return verdict


@rule
def slot_of(desk: Desk, key: int) -> int:
    """Where a position is remembered."""
    return int(key & u64(len(desk.keys) - 1))


@rule
def price_of(rank: int) -> int:
    """What it costs to do what is so far down the list: 0, 1, 1, 2, 2, 2, 2, 3 and so on."""
    price = 0
    while rank + 1 >> price + 1:
        price += 1
    return price


@rule
def put_in_order(desk: Desk, depth: int) -> int:
    """The possible actions into ``desk.orders[depth]``, what looks best first, but for payments that lose at once. How many."""
    state = state_at(desk.states, depth)
    copy_state(state, desk.trial, 0)
    order = desk.orders[depth]
    count = 0
    for k in range(legal(state, desk.legal)):
        action = desk.legal[k]
        if action < PAY or is_spare(state, top(state, state.stack_at[action - PAY])):
            rated = prospects(desk.trial, action, desk.log) * ACTIONS + action
            at = count
            while at > 0 and order[at - 1] < rated:
                order[at] = order[at - 1]
                at -= 1
            order[at] = rated
            count += 1
    for k in range(count):
        order[k] %= ACTIONS
    return count


@rule
def is_spare(state: State, number: int) -> bool:
    """Whether a piece of a number can be paid without losing at once: AX-6.2."""
    return on_board(state, number) > (THREE if number >= state.current else 0)


@rule
def is_stranded(state: State) -> bool:
    """Whether nothing that could be paid is left, and no triplet is in reach this turn, whatever is turned over."""
    for number in range(1, NUMBERS + 1):
        if is_spare(state, number):
            return False
    for stack in range(STACKS):
        second = state.height[stack] - 2
        if second >= 0 and not state.seen[stack, second]:
            return False
    return not can_complete(state)


# -------------------------------------------------------------------------------------------------------------- remembering


def _symmetries() -> np.ndarray[Any, np.dtype[np.int8]]:
    """[symmetry, space]: where each space comes to lie when the board is turned and mirrored."""
    last = SQUARE - 1
    turns = []
    for row_of, column_of in ((0, 1), (1, 0)):
        for flip_row in (False, True):
            for flip_column in (False, True):
                moved = []
                for position in POSITIONS:
                    row, column = position[row_of], position[column_of]
                    moved.append(SPACE_AT[last - row if flip_row else row, last - column if flip_column else column])
                turns.append(moved)
    return np.array(turns, np.int8)


SYMMETRY = _symmetries()
_DRAWN = np.random.default_rng(0)
_PIECE_KEY: Any = _DRAWN.integers(1 << 64, size=(SPACES, HEIGHT, NUMBERS + 1), dtype=np.uint64)
_CURRENT_KEY: Any = _DRAWN.integers(1 << 64, size=NUMBERS + 2, dtype=np.uint64)


@rule
def key_of(state: State) -> int:
    """The position before a move as a number, the same however the board is turned or mirrored."""
    key = key_of_symmetry(state, 0)
    for symmetry in range(1, len(SYMMETRY)):
        key = min(key, key_of_symmetry(state, symmetry))
    return key


@rule
def key_of_symmetry(state: State, symmetry: int) -> int:
    """Which stacks they are doesn't matter, only where they are and what is in them."""
    key: int = _CURRENT_KEY[state.current]
    for stack in range(STACKS):
        for k in range(state.height[stack]):
            key ^= _PIECE_KEY[SYMMETRY[symmetry, state.space[stack]], k, state.piece[stack, k]]
    return key
