"""What the bots know about AxxA: they look at what each action leads to, to the end of the turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from meadhall.engine.chance import below, draw
from meadhall.engine.events import NO_LOG_SHAPE
from meadhall.engine.rule import rule
from meadhall.engine.schema import Row, Tables, copy_state, state_at
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
    Table,
    occupied,
    on_board,
    showing,
    side_of,
    top,
    triplets_of,
)

_STATE = Table.dtype
SAMPLES = 6  # ways in which what is unseen may lie

# What a position is worth.
TRIPLET = 10_000
WON = 1_000_000
TURN_AWAY = 100  # that a triplet is a turn further away
NEVER = 9  # turns to where a piece can't get
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
def greedy(table: Table, legal: Row, count: int, rng: Row) -> int:
    """The action with the best prospects; ties are drawn."""
    room = np.zeros(SAMPLES + 1, _STATE)
    for sample in range(SAMPLES):
        copy_state(table, room, sample)
        supposed = state_at(room, sample)
        supposed.rng[0] = draw(rng)
        supposed.rng[1] = draw(rng)
        redeal(supposed, table.actor)
    best = chosen = tied = 0
    for k in range(count):
        value = prospects(room, legal[k])
        if tied == 0 or value > best:
            best = value
            tied = 0
        if value == best:
            tied += 1
            if below(rng, tied) == 0:
                chosen = legal[k]
    return chosen


@rule
def prospects(room: Tables, action: int) -> int:
    """What an action is worth; of a move, with the better of leaving the stack as it is and turning it over."""
    left = mean_worth(room, action, LEAVE)
    return max(left, mean_worth(room, action, TURN)) if action < LEAVE else left


@rule
def mean_worth(room: Tables, action: int, then: int) -> int:
    """The sum of what the positions after an action are worth, over all samples; after a move ``then`` follows."""
    total = 0
    for sample in range(SAMPLES):
        before = state_at(room, sample)
        copy_state(before, room, SAMPLES)
        after = state_at(room, SAMPLES)
        play_on(after, action, then)
        value = worth(after, before.actor)
        if after.reveals == before.reveals:
            return SAMPLES * value  # nothing was revealed: so it is in every sample
        total += value
    return total


@rule
def play_on(table: Table, action: int, then: int) -> None:
    """Play an action and what belongs to it, up to the payment or to the end of the turn."""
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    play(table, action, log)
    if table.phase == Phase.TURN:
        play(table, then, log)
    while table.phase == Phase.REMOVE:
        found = np.zeros(len(TRIPLES), np.int32)
        list_triplets(table, found)
        play(table, found[0], log)


@rule
def worth(table: Table, seat: int) -> int:
    """What a position is worth to a seat that has done its turn, or has but to pay."""
    if table.mode == TOGETHER:
        value = (table.current - 1) * TRIPLET
        if table.ending == Ending.WON:
            return value + WON
        if table.ending != Ending.NONE:
            return value - WON
        return value - trouble(table) + (TURN_AWAY if can_complete(table) else 0)
    ahead = triplets_of(table, side_of(seat)) - triplets_of(table, 1 - side_of(seat))
    value = ahead * TRIPLET
    if table.ending != Ending.NONE:
        return value + (WON if ahead > 0 else -WON if ahead < 0 else 0)
    return value - trouble(table) - (TRIPLET if can_complete(table) else 0)  # the others are next


@rule
def trouble(table: Table) -> int:
    """How far away the triplets to come are, and how short their pieces; those to come later count less."""
    found = 0
    for number in range(table.current, NUMBERS + 1):
        found += TURN_AWAY * turns_away(table, number) >> 2 * (number - table.current)
        found += SCARCE[min(max(on_board(table, number) - THREE, 0), THREE)]
    return found


@rule
def can_complete(table: Table) -> bool:
    """Whether a move, with the stack turned over or not, is known to bring a triplet of the current number together."""
    shown = showing(table, table.current)
    blocked = occupied(table)
    if has_triplet(table, shown):
        return True
    for stack in range(STACKS):
        if table.height[stack] > 0 and can_show(table, stack, table.current):
            start, length = table.space[stack], top(table, stack)
            others = shown & ~BIT[start]
            for move in range(FIRST_MOVE[start, length], FIRST_MOVE[start, length + 1]):
                if is_free(move, blocked) and completes(table, others, MOVE_ACTION[move] - start * SPACES):
                    return True
    return False


@rule
def can_show(table: Table, stack: int, number: int) -> bool:
    """Whether a stack is known to show a number after its next move."""
    second = table.height[stack] - 2
    if top(table, stack) == number:
        return True
    return second >= 0 and table.seen[stack, second] == 1 and table.piece[stack, second] == number


@rule
def completes(table: Table, others: int, space: int) -> bool:
    """Whether a space makes a triplet with two of these: both touch it, or one touches it and the other."""
    beside = others & TOUCHING[table.orthogonal, space]
    if beside != 0 and (beside & (beside - ONE)) != 0:
        return True
    for stack in range(STACKS):
        if table.height[stack] > 0 and (beside & BIT[table.space[stack]]) != 0:
            return bool(others & TOUCHING[table.orthogonal, table.space[stack]])
    return False


@rule
def turns_away(table: Table, number: int) -> int:
    """How many turns a triplet of a number seems to be away: two of the pieces that were seen join a third."""
    known = 0
    stacks = np.zeros(STACKS, np.int64)
    depths = np.zeros(STACKS, np.int64)
    for stack in range(STACKS):
        depth = depth_of(table, stack, number)
        if depth < HEIGHT:
            stacks[known] = stack
            depths[known] = depth
            known += 1
    best = THREE * STRANGER
    for middle in range(known):
        first = second = STRANGER
        for k in range(known):
            if k != middle:
                away = max(moves_away(table, stacks[k], stacks[middle]), min(depths[k], 1)) + max(depths[k] - 1, 0)
                first, second = min(first, away), min(second, max(first, away))
        best = min(best, first + second + depths[middle])
    return best


@rule
def depth_of(table: Table, stack: int, number: int) -> int:
    """How deep in a stack a number is known to lie, 0: on top; HEIGHT, if it is not known to."""
    for depth in range(table.height[stack]):
        k = table.height[stack] - 1 - depth
        if table.seen[stack, k] and table.piece[stack, k] == number:
            return depth
    return HEIGHT


@rule
def moves_away(table: Table, stack: int, other: int) -> int:
    """How many moves, were the board empty, until a stack touches another."""
    return int(JOIN[table.orthogonal, top(table, stack), table.space[stack], table.space[other]])
