"""Heuristics for AxxA: the greedy policy, which looks at every action up to the end of the turn, and the values behind it."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from meadhall.games.axxa.rules import has_triplet, is_free, legal, list_triplets, play, score
from meadhall.games.axxa.state import (
    ACTIONS,
    BIT,
    FIRST_MOVE,
    HEIGHT,
    LONGEST,
    MOVE_ACTION,
    NO_SIDE,
    NUMBERS,
    ONE,
    SPACES,
    STACKS,
    TOUCHING,
    TRIPLES,
    TRIPLET_SIZE,
    UNKNOWN,
    Act,
    Ending,
    Mode,
    Order,
    Phase,
    State,
    leading_side,
    occupied,
    on_board,
    points_left,
    points_of,
    redeal,
    showing,
    side_of,
    top,
    touches,
)
from meadhall.sdk import NO_LOG_SHAPE, Advice, Grid, Row, States, below, copy_state, draw, rule, state_at

_STATE = State.dtype

# Units of the value of a state.
TRIPLET = 10_000
WON = 1_000_000
DRAWN = -9_000  # better than to leave a triplet to the other side, worse than to play on
TURN_AWAY = 100  # for every turn that a triplet is away
SCARCITY = np.array([900, 300, 100, 0])  # of a number with 0, 1, 2, or 3 pieces more on the board than a triplet needs

UNREACHABLE = 9  # number of moves to a space that a piece can't reach
NUMBERS_AHEAD = 4  # numbers whose distance counts, beginning with the current one
UNSEEN_TURNS = 4  # assumed number of turns to bring an unseen piece to a triplet


def _moves_between(diagonals: int) -> np.ndarray[Any, np.dtype[np.int8]]:
    """Return [number, from, to]: the moves a piece with that number needs on an empty board, or UNREACHABLE."""
    steps = np.zeros((LONGEST + 1, SPACES * SPACES), dtype=bool)
    for start in range(SPACES):
        for number in range(1, LONGEST + 1):
            steps[number, MOVE_ACTION[FIRST_MOVE[diagonals, start, number] : FIRST_MOVE[diagonals, start, number + 1]]] = True
    between = np.full((LONGEST + 1, SPACES, SPACES), UNREACHABLE, np.int8)
    for number in range(1, LONGEST + 1):
        reached = np.eye(SPACES, dtype=bool)
        between[number][reached] = 0
        for moves in range(1, UNREACHABLE):
            reached = reached @ steps[number].reshape(SPACES, SPACES)
            between[number][reached & (between[number] == UNREACHABLE)] = moves
    return between


def _moves_to_touch() -> np.ndarray[Any, np.dtype[np.int8]]:
    """[diagonals, orthogonal, number, from, to]: the moves a piece needs on an empty board to touch a space, or UNREACHABLE."""
    found = np.full((2, 2, LONGEST + 1, SPACES, SPACES), UNREACHABLE, np.int8)
    for diagonals in (0, 1):
        between = _moves_between(diagonals)
        for orthogonal in (0, 1):
            for space in range(SPACES):
                beside = [other for other in range(SPACES) if touches(space, other, bool(orthogonal))]
                found[diagonals, orthogonal, :, :, space] = between[:, :, beside].min(axis=2)
    return found


MOVES_TO_TOUCH = _moves_to_touch()


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Return the action with the highest value in one random determinization; ties are broken at random."""
    states = np.zeros(2, _STATE)
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    copy_state(state, states, 0)
    assumed = state_at(states, 0)
    assumed.rng[0] = draw(rng)
    assumed.rng[1] = draw(rng)
    redeal(assumed, state.actor)
    best = chosen = tied = 0
    for k in range(count):
        value = action_value(states, legal[k], log)
        if tied == 0 or value > best:
            best = value
            tied = 0
        if value == best:
            tied += 1
            if below(rng, tied) == 0:
                chosen = legal[k]
    return chosen


@rule
def action_value(states: States, action: int, log: Grid) -> int:
    """Return the value of an action in ``states[0]``, after a move with the better choice of turning the stack over or not."""
    left = value_after(states, action, Act.LEAVE, log)
    return max(left, value_after(states, action, Act.TURN, log)) if action < Act.LEAVE else left


@rule
def value_after(states: States, action: int, then: int, log: Grid) -> int:
    """Return the value of ``states[0]`` after an action; ``then`` decides about turning over after a move. Use ``states[1]``."""
    before = state_at(states, 0)
    copy_state(before, states, 1)
    after = state_at(states, 1)
    play_on(after, action, then, log)
    return state_value(after, before.actor)


@rule
def play_on(state: State, action: int, then: int, log: Grid) -> None:
    """Play an action and go on to the payment or the end of the turn; of several triplets, remove the first."""
    play(state, action, log)
    if state.phase == Phase.TURN:
        play(state, then, log)
    while state.phase == Phase.REMOVE:
        found = np.zeros(len(TRIPLES), np.int32)
        list_triplets(state, found)
        play(state, found[0], log)


@rule
def state_value(state: State, seat: int) -> int:
    """Return the value of a state for a seat whose turn is over, except perhaps for a payment."""
    if state.mode == Mode.TOGETHER:
        value = (state.current - 1) * TRIPLET
        if state.ending == Ending.WON:
            return value + WON
        if state.ending != Ending.NONE:
            return value - WON
        return value - difficulty(state) + (TURN_AWAY if can_complete(state) else 0)
    return value_for_side(state, side_of(seat))


@rule
def value_for_side(state: State, side: int) -> int:
    """Return the value of a state for a side that has just moved."""
    value = lead_of(state, side) * TRIPLET
    if is_decided(state):
        leader = leading_side(state)
        return value + (DRAWN if leader == NO_SIDE else WON if leader == side else -WON)
    return value - difficulty(state) - (TRIPLET if can_complete(state) else 0)  # the other side moves next


@rule
def lead_of(state: State, side: int) -> int:
    """Return how many triplets a side is ahead; AX-8.3: or points."""
    return points_of(state, side) - points_of(state, 1 - side)


@rule
def is_decided(state: State) -> bool:
    """AX-7.2: Tell whether the result of mode versus is certain: the match is over, or too few triplets are left to change it."""
    left = points_left(state)
    return state.ending != Ending.NONE or left == 0 or abs(lead_of(state, 0)) > left


@rule
def difficulty(state: State) -> int:
    """Return how far away the next triplets are and how scarce their pieces; later numbers count less."""
    if state.order == Order.ANY:
        return difficulty_of_any(state)
    total = 0
    for number in range(state.current, NUMBERS + 1):
        later = number - state.current
        if later < NUMBERS_AHEAD:
            total += TURN_AWAY * turns_away(state, number) >> 2 * later
        total += scarcity(state, number)
    return total


@rule
def difficulty_of_any(state: State) -> int:
    """AX-7.3: Return how far away the nearest triplet of any number is, and how scarce the pieces are."""
    nearest = TRIPLET_SIZE * UNSEEN_TURNS
    total = 0
    for number in range(1, NUMBERS + 1):
        if on_board(state, number) >= TRIPLET_SIZE:
            nearest = min(nearest, turns_away(state, number))
        total += scarcity(state, number)
    return TURN_AWAY * nearest + total


@rule
def scarcity(state: State, number: int) -> int:
    """Return how scarce the pieces of a number are for a triplet."""
    return int(SCARCITY[min(max(on_board(state, number) - TRIPLET_SIZE, 0), len(SCARCITY) - 1)])


@rule
def can_complete(state: State) -> bool:
    """Tell whether some move is known to complete a triplet that can be removed, with or without turning the stack over."""
    if state.order != Order.ANY:
        return can_complete_number(state, state.current)
    for number in range(1, NUMBERS + 1):
        if on_board(state, number) >= TRIPLET_SIZE and can_complete_number(state, number):
            return True
    return False


@rule
def can_complete_number(state: State, number: int) -> bool:
    """Tell whether some move is known to complete a triplet of a number."""
    shown = showing(state, number)
    blocked = occupied(state)
    if has_triplet(state, shown) and not state.with_moved:
        return True
    moves: Any = FIRST_MOVE[state.diagonals]
    for stack in range(STACKS):
        if state.height[stack] > 0 and can_show(state, stack, number):
            start, length = state.space[stack], top(state, stack)
            others = shown & ~BIT[start]
            if others != 0 and (others & (others - ONE)) != 0:
                for move in range(moves[start, length], moves[start, length + 1]):
                    if is_free(move, blocked) and completes(state, others, MOVE_ACTION[move] - start * SPACES):
                        return True
    return False


@rule
def can_show(state: State, stack: int, number: int) -> bool:
    """Tell whether a stack is known to be able to show a number after its next move."""
    second = state.height[stack] - 2
    if top(state, stack) == number:
        return True
    return second >= 0 and state.seen[stack, second] == 1 and state.piece[stack, second] == number


@rule
def completes(state: State, others: int, space: int) -> bool:
    """Tell whether a space makes a triplet with two of ``others``: both touch it, or one touches it and also the second."""
    beside = others & TOUCHING[state.orthogonal, space]
    if beside != 0 and (beside & (beside - ONE)) != 0:
        return True
    for stack in range(STACKS):
        if state.height[stack] > 0 and (beside & BIT[state.space[stack]]) != 0:
            return bool(others & TOUCHING[state.orthogonal, state.space[stack]])
    return False


@rule
def turns_away(state: State, number: int) -> int:
    """Estimate how many turns it takes until two pieces of a number have joined a third; only pieces that were seen count."""
    depths = depths_of(state, number)
    best = TRIPLET_SIZE * UNSEEN_TURNS
    for middle in range(STACKS):
        if depth_in(depths, middle) < HEIGHT:
            first = second = UNSEEN_TURNS
            for k in range(STACKS):
                depth = depth_in(depths, k)
                if k != middle and depth < HEIGHT:
                    away = max(moves_away(state, k, middle), min(depth, 1)) + max(depth - 1, 0)
                    first, second = min(first, away), min(second, max(first, away))
            best = min(best, first + second + depth_in(depths, middle))
    return best


@rule
def depths_of(state: State, number: int) -> int:
    """Return how deep a number is known to lie in each stack (0 on top, HEIGHT where it isn't), two bits for each stack."""
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
    """Return the depth of one stack from the result of ``depths_of``."""
    return depths >> 2 * stack & 3


@rule
def moves_away(state: State, stack: int, other: int) -> int:
    """Return how many moves a stack would need on an empty board to touch another stack."""
    return int(MOVES_TO_TOUCH[state.diagonals, state.orthogonal, top(state, stack), state.space[stack], state.space[other]])


# Mode together: log odds of a win by [orthogonal, current number].
BASE = np.array([[0.0, 1.96, 2.57, 3.30, 3.40, 4.69, 5.16], [0.0, 1.29, 1.99, 2.79, 2.98, 3.45, 4.16]])
PER_DIFFICULTY = np.array([[0.0, 1.66, 1.58, 1.68, 2.00, 2.96, 4.69], [0.0, 2.29, 2.09, 2.18, 2.22, 2.66, 4.34]]) / 1000
IN_REACH = np.array([[0.0, 0.77, 0.98, 0.94, 1.55, 1.61, 4.64], [0.0, 0.54, 0.76, 0.71, 0.95, 1.00, 6.28]])

# Mode versus, by [order]: log odds of a win for each triplet that a side is ahead, which counts more near the end, and for a
# triplet that the side can complete in its next turn.
AHEAD = np.array([1.08, 1.08, 0.61])
NEAR_THE_END = np.array([5.12, 5.12, 6.44])
MEAN_NUMBER = 3.5  # AX-8.3: points of a triplet
LAST_TRIPLET = 0.5  # AX-8.3: its worth while both sides have the same points, in triplets
IN_REACH_OF_SIDE = np.array([2.40, 2.40, 0.98])

# Sets of stacks per number are counted in fields of four bits, one for each number.
_FIELD = 4
_ALL_NUMBERS = sum(1 << _FIELD * number for number in range(1, NUMBERS + 1))


@rule
def solved_value(state: State, out: Any) -> bool:
    """AX-6.1: In mode together, a state is certainly lost when a triplet has become impossible, although play goes on.

    AX-7.2: In mode versus, the result is certain when too few triplets are left to change it.
    """
    if state.mode == Mode.VERSUS:
        if not is_decided(state):
            return False
        score(state, out)
        return True
    if not is_lost(state):
        return False
    for seat in range(state.players):
        out[seat] = 0.0
    return True


@rule
def is_lost(state: State) -> bool:
    """Tell whether some remaining number is in fewer than three stacks.

    A triplet takes three stacks, and no piece ever changes its stack. An unknown piece may have any number.
    """
    stacks = 0  # for each number, how many stacks may contain it
    for stack in range(STACKS):
        inside = 0
        for k in range(state.height[stack]):
            if state.piece[stack, k] == UNKNOWN:
                inside = _ALL_NUMBERS
            else:
                inside |= 1 << _FIELD * state.piece[stack, k]
        stacks += inside
    for number in range(state.current, NUMBERS + 1):
        if stacks >> _FIELD * number & (1 << _FIELD) - 1 < TRIPLET_SIZE:
            return True
    return False


@rule
def evaluate(state: State, out: Any) -> None:
    """AX-6.1, AX-7.2: Finish the turn greedily, then write every seat's expected payoff to ``out``."""
    found = np.zeros(ACTIONS, np.int64)
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    while state.actor >= 0 and state.phase != Phase.MOVE:
        play(state, greedy(state, found, legal(state, found), state.rng), log)
    if state.actor < 0:
        score(state, out)
        return
    for seat in range(state.players):
        if state.mode == Mode.TOGETHER:
            out[seat] = chance_together(state)
        else:
            out[seat] = chance_of_side(state, side_of(seat))


@rule
def chance_together(state: State) -> float:
    """Return the probability that all players win, at the start of a turn."""
    touching, number = state.orthogonal, state.current
    reach = IN_REACH[touching, number] if can_complete(state) else 0.0
    return _probability(BASE[touching, number] - PER_DIFFICULTY[touching, number] * difficulty(state) + reach)


@rule
def chance_of_side(state: State, side: int) -> float:
    """Return the expected payoff of a side, at the start of a turn; a draw counts as half a win."""
    order = state.order
    full = 0
    for stack in range(STACKS):
        full += state.height[stack] == HEIGHT
    lead = lead_of(state, side) / MEAN_NUMBER if state.by_number else float(lead_of(state, side))
    if lead == 0 and leading_side(state) != NO_SIDE:
        lead = LAST_TRIPLET if leading_side(state) == side else -LAST_TRIPLET
    log_odds = lead * (AHEAD[order] + NEAR_THE_END[order] / (1 + full))
    if can_complete(state):
        log_odds += IN_REACH_OF_SIDE[order] if side_of(state.actor) == side else -IN_REACH_OF_SIDE[order]
    return _probability(log_odds)


@rule
def _probability(log_odds: float) -> float:
    return 1.0 / (1.0 + exp(-log_odds))


ADVICE = Advice(
    rollout=greedy,
    cutoff=0,
    evaluate=evaluate,
    solved_value=solved_value,
    guide=greedy,
    exploration=0.3,
    widening=(2.0, 0.4),
    minimum_advantage=0.0,
)
