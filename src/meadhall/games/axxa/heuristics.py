"""What the bots know about AxxA: they look at what each action leads to, to the end of the turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from meadhall.engine.chance import below, draw
from meadhall.engine.events import NO_LOG_SHAPE
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row, States, copy_state, state_at
from meadhall.games.axxa.board import (
    BIT,
    FIRST_MOVE,
    LONGEST,
    MOVE_ACTION,
    ONE,
    SPACES,
    TOUCHING,
    TRIPLES,
    distance,
    touches,
)
from meadhall.games.axxa.hidden import redeal
from meadhall.games.axxa.rules import has_triplet, is_free, list_triplets, play
from meadhall.games.axxa.state import (
    HEIGHT,
    LEAVE,
    NUMBERS,
    STACKS,
    THREE,
    TOGETHER,
    TURN,
    Ending,
    Phase,
    State,
    occupied,
    on_board,
    showing,
    side_of,
    top,
    triplets_of,
)

_STATE = State.dtype

# What a position is worth.
TRIPLET = 10_000
WON = 1_000_000
TURN_AWAY = 100  # that a triplet is a turn further away
NEVER = 9  # turns to where a piece can't get
AHEAD = 4  # numbers, the current one too, for which the distances count
STRANGER = 4  # turns that a piece nobody has seen seems to be away
SCARCE = np.array([900, 300, 100, 0])  # that of a number only so many pieces more than needed are left


def _moves_away() -> np.ndarray[Any, np.dtype[np.int8]]:
    """[number, from, to]: how many moves of a piece with that number it takes on an empty board; NEVER, if it can't get there."""
    steps = np.array([[distance(one, other) for other in range(SPACES)] for one in range(SPACES)])
    away = np.full((LONGEST + 1, SPACES, SPACES), NEVER, np.int8)
    for number in range(1, LONGEST + 1):
        reached = np.eye(SPACES, dtype=bool)
        away[number][reached] = 0
        for moves in range(1, NEVER):
            reached = reached @ (steps == number)
            away[number][reached & (away[number] == NEVER)] = moves
    return away


def _joins() -> np.ndarray[Any, np.dtype[np.int8]]:
    """[touching, number, from, to]: how many moves until it touches the other space."""
    away = _moves_away()
    joins = np.full((2, LONGEST + 1, SPACES, SPACES), NEVER, np.int8)
    for orthogonal in (0, 1):
        for space in range(SPACES):
            beside = [other for other in range(SPACES) if touches(space, other, bool(orthogonal))]
            joins[orthogonal, :, :, space] = away[:, :, beside].min(axis=2)
    return joins


JOIN = _joins()


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """The action with the best prospects, however what is unseen may happen to lie; ties are drawn."""
    room = np.zeros(2, _STATE)
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    copy_state(state, room, 0)
    supposed = state_at(room, 0)
    supposed.rng[0] = draw(rng)
    supposed.rng[1] = draw(rng)
    redeal(supposed, state.actor)
    best = chosen = tied = 0
    for k in range(count):
        value = prospects(room, legal[k], log)
        if tied == 0 or value > best:
            best = value
            tied = 0
        if value == best:
            tied += 1
            if below(rng, tied) == 0:
                chosen = legal[k]
    return chosen


@rule
def prospects(room: States, action: int, log: Grid) -> int:
    """What an action is worth; of a move, with the better of leaving the stack as it is and turning it over."""
    left = worth_after(room, action, LEAVE, log)
    return max(left, worth_after(room, action, TURN, log)) if action < LEAVE else left


@rule
def worth_after(room: States, action: int, then: int, log: Grid) -> int:
    """What the position after an action is worth; after a move ``then`` follows."""
    supposed = state_at(room, 0)
    copy_state(supposed, room, 1)
    after = state_at(room, 1)
    play_on(after, action, then, log)
    return worth(after, supposed.actor)


@rule
def play_on(state: State, action: int, then: int, log: Grid) -> None:
    """Play an action and what belongs to it, up to the payment or to the end of the turn."""
    play(state, action, log)
    if state.phase == Phase.TURN:
        play(state, then, log)
    while state.phase == Phase.REMOVE:
        found = np.zeros(len(TRIPLES), np.int32)
        list_triplets(state, found)
        play(state, found[0], log)


@rule
def worth(state: State, seat: int) -> int:
    """What a position is worth to a seat that has done its turn, or has but to pay."""
    if state.mode == TOGETHER:
        value = (state.current - 1) * TRIPLET
        if state.ending == Ending.WON:
            return value + WON
        if state.ending != Ending.NONE:
            return value - WON
        return value - trouble(state) + (TURN_AWAY if can_complete(state) else 0)
    ahead = triplets_of(state, side_of(seat)) - triplets_of(state, 1 - side_of(seat))
    value = ahead * TRIPLET
    if state.ending != Ending.NONE:
        return value + (WON if ahead > 0 else -WON if ahead < 0 else 0)
    return value - trouble(state) - (TRIPLET if can_complete(state) else 0)  # the others are next


@rule
def trouble(state: State) -> int:
    """How far away the triplets to come are, and how short their pieces; those to come later count less."""
    found = 0
    for number in range(state.current, NUMBERS + 1):
        later = number - state.current
        if later < AHEAD:
            found += TURN_AWAY * turns_away(state, number) >> 2 * later
        found += SCARCE[min(max(on_board(state, number) - THREE, 0), THREE)]
    return found


@rule
def can_complete(state: State) -> bool:
    """Whether a move, with the stack turned over or not, is known to bring a triplet of the current number together."""
    shown = showing(state, state.current)
    blocked = occupied(state)
    if has_triplet(state, shown):
        return True
    for stack in range(STACKS):
        if state.height[stack] > 0 and can_show(state, stack, state.current):
            start, length = state.space[stack], top(state, stack)
            others = shown & ~BIT[start]
            if others != 0 and (others & (others - ONE)) != 0:
                for move in range(FIRST_MOVE[start, length], FIRST_MOVE[start, length + 1]):
                    if is_free(move, blocked) and completes(state, others, MOVE_ACTION[move] - start * SPACES):
                        return True
    return False


@rule
def can_show(state: State, stack: int, number: int) -> bool:
    """Whether a stack is known to show a number after its next move."""
    second = state.height[stack] - 2
    if top(state, stack) == number:
        return True
    return second >= 0 and state.seen[stack, second] == 1 and state.piece[stack, second] == number


@rule
def completes(state: State, others: int, space: int) -> bool:
    """Whether a space makes a triplet with two of these: both touch it, or one touches it and the other."""
    beside = others & TOUCHING[state.orthogonal, space]
    if beside != 0 and (beside & (beside - ONE)) != 0:
        return True
    for stack in range(STACKS):
        if state.height[stack] > 0 and (beside & BIT[state.space[stack]]) != 0:
            return bool(others & TOUCHING[state.orthogonal, state.space[stack]])
    return False


@rule
def turns_away(state: State, number: int) -> int:
    """How many turns a triplet of a number seems to be away: two of the pieces that were seen join a third."""
    depths = depths_of(state, number)
    best = THREE * STRANGER
    for middle in range(STACKS):
        if depth_in(depths, middle) < HEIGHT:
            first = second = STRANGER
            for k in range(STACKS):
                depth = depth_in(depths, k)
                if k != middle and depth < HEIGHT:
                    away = max(moves_away(state, k, middle), min(depth, 1)) + max(depth - 1, 0)
                    first, second = min(first, away), min(second, max(first, away))
            best = min(best, first + second + depth_in(depths, middle))
    return best


@rule
def depths_of(state: State, number: int) -> int:
    """How deep in each stack a number is known to lie, 0: on top; HEIGHT, where it is not. Two bits a stack."""
    depths = 0
    for stack in range(STACKS):
        found = HEIGHT
        for k in range(state.height[stack]):
            if state.seen[stack, k] and state.piece[stack, k] == number:
                found = state.height[stack] - 1 - k
        depths |= found << 2 * stack
    return depths


@rule
def depth_in(depths: int, stack: int) -> int:
    """One of these depths."""
    return depths >> 2 * stack & 3


@rule
def moves_away(state: State, stack: int, other: int) -> int:
    """How many moves, were the board empty, until a stack touches another."""
    return int(JOIN[state.orthogonal, top(state, stack), state.space[stack], state.space[other]])
