"""Solver for AxxA in mode together. It proves that a state is won, and by which actions, or that it is lost.

It is a depth-first search with a transposition table. Actions are tried in the order of the heuristics, which are rarely wrong
when all pieces are known. The first action in that order is free; every other one costs discrepancies, more the further down the
order it is (limited discrepancy search: Harvey and Ginsberg, 1995). The discrepancy limit grows from zero until a variation wins,
or until nothing was left out, in which case the state is lost. The table holds states from which no win was found; the eight
symmetries of the board share one entry (64-bit Zobrist keys: Zobrist, 1970).

Besides matches that the rules end as lost, a state counts as lost if a number that has yet to be removed is in fewer than three
stacks, or if no piece can be paid without losing and no triplet is in reach. The search doesn't guess unseen pieces: a state in
which one comes to light is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from meadhall.games.axxa.heuristics import action_value, can_complete, is_lost
from meadhall.games.axxa.rules import legal, play
from meadhall.games.axxa.state import (
    ACTIONS,
    HEIGHT,
    NUMBERS,
    PIECES,
    POSITIONS,
    SPACE_AT,
    SPACES,
    SQUARE,
    STACKS,
    TRIPLET_SIZE,
    UNKNOWN,
    Act,
    Ending,
    Mode,
    Phase,
    State,
    list_unseen,
    on_board,
    top,
)
from meadhall.sdk import NO_LOG_SHAPE, Match, Solution, States, View, copy_state, legal_actions, rule, state_at, u64

HINT_NODES = 4_000
"""Node limit for a hint: some tenths of a second."""
PROOF_NODES = 200_000
"""Node limit for a proof: some seconds."""
MAX_UNSEEN = 8
"""With more unseen pieces than this, a hint reports only what is certain without a search."""


class Verdict(IntEnum):
    """The result of a proof search."""

    OPEN = 0  # undecided
    WON = 1
    LOST = 2


@dataclass(frozen=True)
class ProofResult:
    """The result of a proof search.

    Attributes:
        verdict: whether the state is certainly won, certainly lost, or undecided.
        variation: the actions that win; empty unless the state is won.
        nodes: how many decisions the search visited.
    """

    verdict: Verdict
    variation: tuple[int, ...]
    nodes: int

    @property
    def moves(self) -> int:
        """How many actions of the variation move a stack."""
        return sum(action < Act.LEAVE for action in self.variation)


def winnable(match: Match, node_limit: int = PROOF_NODES) -> ProofResult:
    """Tell whether the deal of a match in mode together could be won with every piece known from the start.

    This reads hidden pieces: use it for matches that are over or simulated.

    Args:
        match: the match; its first state is searched.
        node_limit: how many decisions the search may visit.
    """
    return prove(match.steps[0].before if match.steps else match.states, node_limit)


def prove(states: States, node_limit: int = PROOF_NODES) -> ProofResult:
    """Search a state of mode together in which all pieces are known."""
    known = states.copy()
    known["seen"] = known["piece"] != UNKNOWN
    return _search(known, node_limit)


def solution(view: View) -> Solution | None:
    """Return a winning action, or that every action loses, if either is certain given the viewer's information.

    Unseen pieces that can have only one number are treated as known. Other unseen pieces don't matter to the result: the winning
    variation uncovers none of them.
    """
    state = view.state
    if state.mode != Mode.TOGETHER or state.actor < 0:
        return None
    known = view.states.copy()
    known["seen"] = known["piece"] != UNKNOWN
    unseen = np.zeros(PIECES, np.int8)
    count = list_unseen(State.at(known), unseen)
    if len(set(unseen[:count].tolist())) == 1:
        known["piece"] = np.where((known["piece"] == UNKNOWN) & _has_piece(known), unseen[0], known["piece"])
        known["seen"] = _has_piece(known)
    found = _search(known, HINT_NODES if count <= MAX_UNSEEN else 0)
    if found.verdict == Verdict.WON:
        first = found.variation[0]
        return Solution({first: (1.0,) * state.players}, {first: 1.0}, found.variation)
    if found.verdict == Verdict.LOST:
        possible = legal_actions(view.game, view.states)
        return Solution(dict.fromkeys(possible, (0.0,) * state.players), dict.fromkeys(possible, 1.0 / len(possible)))
    return None


def _has_piece(states: States) -> Any:
    """Return which places of each stack hold a piece, as booleans shaped like the field ``piece``."""
    return np.arange(HEIGHT) < states["height"][:, :, None]


def _search(states: States, node_limit: int) -> ProofResult:
    if states[0]["price"] > 1:  # AX-8.4: the keys of the table know no debt
        return ProofResult(Verdict.OPEN, (), 0)
    table_size = 1 << min(node_limit.bit_length() + 2, 20)
    search = Search(
        states=State.new(_MAX_DEPTH + 1),
        scratch=State.new(2),
        actions=np.zeros((_MAX_DEPTH, _MAX_ACTIONS), np.int64),
        action_count=np.zeros(_MAX_DEPTH + 1, np.int64),
        next_action=np.zeros(_MAX_DEPTH + 1, np.int64),
        allowance=np.zeros(_MAX_DEPTH + 1, np.int64),
        verdict=np.zeros(_MAX_DEPTH + 1, np.int64),
        key=np.zeros(_MAX_DEPTH + 1, np.uint64),
        variation=np.zeros(_MAX_DEPTH, np.int64),
        length=np.zeros(1, np.int64),
        nodes=np.zeros(1, np.int64),
        table_key=np.zeros(table_size, np.uint64),
        table_allowance=np.zeros(table_size, np.int8),
        legal=np.zeros(_MAX_ACTIONS, np.int64),
        log=np.zeros(NO_LOG_SHAPE, np.int32),
    )
    search.states[0] = states[0]
    verdict = Verdict(deepen(search, node_limit))
    variation = search.variation[: search.length[0]].tolist() if verdict == Verdict.WON else ()
    return ProofResult(verdict, tuple(variation), int(search.nodes[0]))


# --------------------------------------------------------------------------------------------------------------- the search

_OPEN, _WON, _LOST = (verdict.value for verdict in Verdict)
_PENDING = -1
"""In place of a verdict while actions remain to be tried."""

_LIMITS = np.array([0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 127])
"""The discrepancy limits of the iterations. The last one leaves nothing out."""
_UNLIMITED = 127
_MAX_DEPTH = 128
"""Upper bound of the decisions in a match: at most 24 turns with a move, turning over and a payment, and choices of triplets."""
_MAX_ACTIONS = 24 * STACKS
"""Upper bound of the actions of a decision: no stack can reach more than 24 spaces."""


class Search(NamedTuple):
    """The memory of a search, so that compiled rules allocate nothing.

    Attributes:
        states: the state at each depth.
        scratch: two states for the heuristics.
        actions: [depth, rank]: the actions at each depth, best first.
        action_count: [depth]: how many they are.
        next_action: [depth]: the rank of the next action to be tried.
        allowance: [depth]: discrepancies that may still be spent.
        verdict: [depth]: the verdict if no remaining action wins.
        key: [depth]: the key of a state at the start of a turn.
        variation: the action played at each depth.
        length: [0]: the length of the winning variation.
        nodes: [0]: how many decisions were visited.
        table_key: [slot]: the key of a state from which no win was found.
        table_allowance: [slot]: with how many discrepancies, _UNLIMITED if the state is lost.
        legal: scratch memory for legal actions.
        log: an event log without rows.
    """

    states: States
    scratch: States
    actions: Any
    action_count: Any
    next_action: Any
    allowance: Any
    verdict: Any
    key: Any
    variation: Any
    length: Any
    nodes: Any
    table_key: Any
    table_allowance: Any
    legal: Any
    log: Any


@rule
def deepen(search: Search, node_limit: int) -> int:
    """Search ``search.states[0]`` with growing discrepancy limits and return the verdict."""
    for limit in _LIMITS:
        verdict = limited_search(search, node_limit, limit)
        if verdict != _OPEN or search.nodes[0] >= node_limit:
            return verdict
    return _OPEN


@rule
def limited_search(search: Search, node_limit: int, limit: int) -> int:
    """Return the verdict on ``search.states[0]`` with a discrepancy limit.

    The search is iterative because Numba doesn't cache recursive functions on disk.
    """
    depth = 0
    search.allowance[0] = limit
    verdict = enter(search, node_limit, 0)
    while depth >= 0 and verdict != _WON:
        if verdict != _PENDING:
            depth -= 1
            if depth >= 0:
                if verdict == _OPEN:
                    search.verdict[depth] = _OPEN
                verdict = _PENDING
        elif try_next(search, depth):
            depth += 1
            verdict = enter(search, node_limit, depth)
        else:
            verdict = conclude(search, node_limit, depth)
    return verdict


@rule
def enter(search: Search, node_limit: int, depth: int) -> int:
    """Return the verdict on ``search.states[depth]`` if it is known without a search; otherwise sort its actions."""
    state = state_at(search.states, depth)
    if depth > 0 and state.reveals != state_at(search.states, depth - 1).reveals:
        return _OPEN  # the action has uncovered an unseen piece
    if state.actor < 0:
        search.length[0] = depth
        return _WON if state.ending == Ending.WON else _LOST
    turn_begins = state.phase == Phase.MOVE
    if is_lost(state) or (turn_begins and is_stranded(state)):
        return _LOST
    if search.nodes[0] >= node_limit:
        return _OPEN
    if turn_begins:
        key = key_of(state)
        slot = slot_of(search, key)
        search.key[depth] = key
        if search.table_key[slot] == key and search.table_allowance[slot] >= search.allowance[depth]:
            return _LOST if search.table_allowance[slot] == _UNLIMITED else _OPEN
    search.nodes[0] += 1
    search.action_count[depth] = sort_actions(search, depth)
    search.next_action[depth] = 0
    search.verdict[depth] = _LOST
    return _PENDING


@rule
def try_next(search: Search, depth: int) -> bool:
    """Play the next action into ``search.states[depth + 1]``; return False if no action is left within the allowance."""
    rank, allowance = search.next_action[depth], search.allowance[depth]
    if rank == search.action_count[depth]:
        return False
    cost = discrepancies_of(rank)
    if cost > allowance:
        search.verdict[depth] = _OPEN
        return False
    search.next_action[depth] += 1
    search.allowance[depth + 1] = allowance if allowance == _UNLIMITED else allowance - cost
    search.variation[depth] = search.actions[depth, rank]
    copy_state(state_at(search.states, depth), search.states, depth + 1)
    play(state_at(search.states, depth + 1), search.variation[depth], search.log)
    return True


@rule
def conclude(search: Search, node_limit: int, depth: int) -> int:
    """Return the verdict after all affordable actions were tried, and store it in the transposition table."""
    state = state_at(search.states, depth)
    verdict: int = search.verdict[depth]
    if state.phase == Phase.MOVE and (verdict == _LOST or search.nodes[0] < node_limit):
        slot = slot_of(search, search.key[depth])
        search.table_key[slot] = search.key[depth]
        search.table_allowance[slot] = _UNLIMITED if verdict == _LOST else search.allowance[depth]
    return verdict


@rule
def slot_of(search: Search, key: int) -> int:
    """Return the slot of the transposition table for a key."""
    return int(key & u64(len(search.table_key) - 1))


@rule
def discrepancies_of(rank: int) -> int:
    """Return the cost of an action by its rank: 0, 1, 1, 2, 2, 2, 2, 3 and so on."""
    cost = 0
    while rank + 1 >> cost + 1:
        cost += 1
    return cost


@rule
def sort_actions(search: Search, depth: int) -> int:
    """Write the actions to ``search.actions[depth]``, best first, without payments that lose at once; return their number."""
    state = state_at(search.states, depth)
    copy_state(state, search.scratch, 0)
    order = search.actions[depth]
    count = 0
    for k in range(legal(state, search.legal)):
        action = search.legal[k]
        if action < Act.PAY or is_spare(state, top(state, state.stack_at[action - Act.PAY])):
            rated = action_value(search.scratch, action, search.log) * ACTIONS + action
            rank = count
            while rank > 0 and order[rank - 1] < rated:
                order[rank] = order[rank - 1]
                rank -= 1
            order[rank] = rated
            count += 1
    for k in range(count):
        order[k] %= ACTIONS
    return count


@rule
def is_spare(state: State, number: int) -> bool:
    """AX-6.2: A piece can be paid without losing at once if enough of its number remain."""
    return on_board(state, number) > (TRIPLET_SIZE if number >= state.current else 0)


@rule
def is_stranded(state: State) -> bool:
    """Tell whether no piece can be paid without losing and no triplet is in reach this turn, whatever is turned over."""
    for number in range(1, NUMBERS + 1):
        if is_spare(state, number):
            return False
    for stack in range(STACKS):
        second = state.height[stack] - 2
        if second >= 0 and not state.seen[stack, second]:
            return False
    return not can_complete(state)


# ---------------------------------------------------------------------------------------------------------------- hash keys


def _symmetries() -> np.ndarray[Any, np.dtype[np.int8]]:
    """[symmetry, space]: where each space goes when the board is rotated or mirrored."""
    last = SQUARE - 1
    images = []
    for row_of, column_of in ((0, 1), (1, 0)):
        for flip_row in (False, True):
            for flip_column in (False, True):
                image = []
                for position in POSITIONS:
                    row, column = position[row_of], position[column_of]
                    image.append(SPACE_AT[last - row if flip_row else row, last - column if flip_column else column])
                images.append(image)
    return np.array(images, np.int8)


SYMMETRY = _symmetries()
_rng = np.random.default_rng(0)
_PIECE_KEY: Any = _rng.integers(1 << 64, size=(SPACES, HEIGHT, NUMBERS + 1), dtype=np.uint64)
_CURRENT_KEY: Any = _rng.integers(1 << 64, size=NUMBERS + 2, dtype=np.uint64)


@rule
def key_of(state: State) -> int:
    """Return the key of a state at the start of a turn, the same for all symmetries of the board."""
    key = key_of_symmetry(state, 0)
    for symmetry in range(1, len(SYMMETRY)):
        key = min(key, key_of_symmetry(state, symmetry))
    return key


@rule
def key_of_symmetry(state: State, symmetry: int) -> int:
    """Return the Zobrist key of one image of the board. It depends on where the pieces are, not on the numbers of the stacks."""
    key: int = _CURRENT_KEY[state.current]
    for stack in range(STACKS):
        for k in range(state.height[stack]):
            key ^= _PIECE_KEY[SYMMETRY[symmetry, state.space[stack]], k, state.piece[stack, k]]
    return key
