"""AxxA: the rules. Ids are those of the rulebook beside this file."""

from __future__ import annotations

from typing import Any

import numpy as np

from meadhall.engine.chance import below, shuffle
from meadhall.engine.events import append_argument, emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.games.axxa.board import (
    BIT,
    FIRST_MOVE,
    FIRST_START,
    MOVE_ACTION,
    ONE,
    OTHER_ROUTE,
    ROUTE,
    SPACES,
    TOUCHING,
    TRIPLE_MASK,
    TRIPLE_SPACES,
    TRIPLE_TOUCHES,
    TRIPLES,
)
from meadhall.games.axxa.hidden import conceal as conceal
from meadhall.games.axxa.hidden import redeal as redeal
from meadhall.games.axxa.state import (
    EMPTY,
    HEIGHT,
    LEAVE,
    MOVE,
    NONE,
    NOWHERE,
    NUMBERS,
    OF_EACH,
    PAY,
    PIECES,
    REMOVE,
    SEVERAL,
    STACKS,
    THREE,
    TOGETHER,
    TURN,
    UNKNOWN,
    VERSUS,
    Ending,
    Event,
    Phase,
    State,
    occupied,
    on_board,
    showing,
    side_of,
    top,
    triplets_of,
)

# ---------------------------------------------------------------------------------------------------------------- the deal


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """AX-1.2: twelve stacks of three. AX-1.3: the first seat begins; against each other a random one."""
    state.mode = options[0]
    state.orthogonal = options[1]
    state.current = 1
    deal(state, log)
    if state.mode == VERSUS:
        state.actor = below(state.rng, players)
        emit(log, Event.STARTS, state.actor)


@rule
def deal(state: State, log: Grid) -> None:
    """AX-1.2: shuffled, three by three onto the starting spaces, the first of each three on top."""
    pieces = np.zeros(PIECES, np.int8)
    for k in range(PIECES):
        pieces[k] = 1 + k // OF_EACH
    state.reveals += 1
    shuffle(state.rng, pieces, PIECES)
    state.stack_at[:] = EMPTY
    for stack in range(STACKS):
        state.space[stack] = FIRST_START + stack
        state.stack_at[FIRST_START + stack] = stack
        state.height[stack] = HEIGHT
        for below_top in range(HEIGHT):
            state.piece[stack, HEIGHT - 1 - below_top] = pieces[HEIGHT * stack + below_top]
        state.seen[stack, HEIGHT - 1] = True
        emit(log, Event.STACKS, FIRST_START + stack, top(state, stack))


# ------------------------------------------------------------------------------------------------------------------ actions


@rule(inline=True)
def legal(state: State, out: Row) -> int:
    """What the actor can do, by what is to be decided."""
    if state.phase == Phase.MOVE:
        return list_moves(state, out)
    if state.phase == Phase.TURN:
        out[0] = LEAVE
        out[1] = TURN
        return 2
    if state.phase == Phase.REMOVE:
        return list_triplets(state, out)
    return list_payments(state, out)


@rule
def list_moves(state: State, out: Row) -> int:
    """AX-2.1: any stack. AX-2.2: as far as its top piece shows. AX-2.3: over empty spaces. AX-2.4: starting spaces too."""
    blocked = occupied(state)
    count = 0
    for start in range(SPACES):
        stack = state.stack_at[start]
        if stack != EMPTY:
            length = top(state, stack)
            for move in range(FIRST_MOVE[start, length], FIRST_MOVE[start, length + 1]):
                if is_free(move, blocked):
                    out[count] = MOVE + MOVE_ACTION[move]
                    count += 1
    return count


@rule
def is_free(move: int, blocked: int) -> bool:
    """AX-2.3, AX-2.5: whether one of the routes is free; which of two doesn't matter."""
    return not blocked & ROUTE[move] or not blocked & OTHER_ROUTE[move]


@rule
def can_move(state: State) -> bool:
    """Whether any stack can."""
    blocked = occupied(state)
    for stack in range(STACKS):
        if state.height[stack] > 0:
            start, length = state.space[stack], top(state, stack)
            for move in range(FIRST_MOVE[start, length], FIRST_MOVE[start, length + 1]):
                if is_free(move, blocked):
                    return True
    return False


@rule
def list_triplets(state: State, out: Row) -> int:
    """AX-4.1, AX-4.2: every triple of spaces that touch and show the current number."""
    shown = showing(state, state.current)
    count = 0
    for triple in range(len(TRIPLES)):
        if is_triplet(state, triple, shown):
            out[count] = REMOVE + triple
            count += 1
    return count


@rule
def only_triplet(state: State) -> int:
    """The triple on which there is a triplet of the current number, if there is exactly one; NONE or SEVERAL if not."""
    shown = showing(state, state.current)
    found = NONE
    if has_triplet(state, shown):
        for triple in range(len(TRIPLES)):
            if is_triplet(state, triple, shown):
                if found != NONE:
                    return SEVERAL
                found = triple
    return found


@rule
def is_triplet(state: State, triple: int, shown: int) -> bool:
    """AX-4.1: whether the triple lies in these spaces, and touches as the option says."""
    return not TRIPLE_MASK[triple] & ~shown and bool(TRIPLE_TOUCHES[state.orthogonal, triple])


@rule
def has_triplet(state: State, shown: int) -> bool:
    """AX-4.1: whether three of these spaces touch: then one of them touches two others."""
    for stack in range(STACKS):
        if state.height[stack] > 0 and shown & BIT[state.space[stack]]:
            beside = shown & TOUCHING[state.orthogonal, state.space[stack]]
            if beside and beside & (beside - ONE):
                return True
    return False


@rule
def list_payments(state: State, out: Row) -> int:
    """AX-5.2: the visible piece of any stack."""
    count = 0
    for space in range(SPACES):
        if state.stack_at[space] != EMPTY:
            out[count] = PAY + space
            count += 1
    return count


@rule(inline=True)
def play(state: State, action: int, log: Grid) -> None:
    """A turn: move, turn over or not, remove what can be removed, or pay."""
    if action < LEAVE:
        move_stack(state, action // SPACES, action % SPACES, log)
        if state.height[state.moved] > 1:
            state.phase = Phase.TURN
        else:
            end_move(state, log)
    elif action < REMOVE:
        if action == TURN:
            turn_over(state, state.moved, log)
        end_move(state, log)
    elif action < PAY:
        remove_triplet(state, action - REMOVE, log)
        end_move(state, log)
    else:
        pay(state, action - PAY, log)
        end_turn(state, log)


@rule
def move_stack(state: State, start: int, end: int, log: Grid) -> None:
    """AX-2.1, AX-2.5: a move is its first and its last space."""
    stack = state.stack_at[start]
    state.stack_at[start] = EMPTY
    state.stack_at[end] = stack
    state.space[stack] = end
    state.moved = stack
    emit(log, Event.MOVED, state.actor, start, end)


@rule
def turn_over(state: State, stack: int, log: Grid) -> None:
    """AX-3.1: the top piece goes to the bottom, once. AX-3.2: the new one is seen."""
    last = state.height[stack] - 1
    piece = state.piece[stack, last]
    for k in range(last, 0, -1):
        state.piece[stack, k] = state.piece[stack, k - 1]
        state.seen[stack, k] = state.seen[stack, k - 1]
    state.piece[stack, 0] = piece
    state.seen[stack, 0] = True
    see_top(state, stack)
    emit(log, Event.TURNED, state.actor, state.space[stack], top(state, stack))


@rule
def see_top(state: State, stack: int) -> None:
    """AX-3.2: what is visible is known from now on. It is a revelation only if it was not known before."""
    last = state.height[stack] - 1
    if not state.seen[stack, last]:
        state.seen[stack, last] = True
        state.reveals += 1


@rule
def end_move(state: State, log: Grid) -> None:
    """AX-4.3, AX-4.4: triplets of the current number leave, one number after the other. AX-5.1: if there was none, a payment."""
    triple = only_triplet(state)
    while triple >= 0:
        remove_triplet(state, triple, log)
        triple = only_triplet(state)
    if triple == SEVERAL:
        state.phase = Phase.REMOVE
    elif state.triplets > 0:
        end_turn(state, log)
    else:
        state.phase = Phase.PAY


@rule
def remove_triplet(state: State, triple: int, log: Grid) -> None:
    """AX-4.3: its three top pieces leave; AX-4.2: the next number is current. AX-7.1: who removed it keeps it."""
    a, b, c = TRIPLE_SPACES[triple, 0], TRIPLE_SPACES[triple, 1], TRIPLE_SPACES[triple, 2]
    state.taker[state.current] = 1 + state.actor
    state.triplets += 1
    emit(log, Event.REMOVED, state.actor, state.current, a, b)
    append_argument(log, c)
    for k in range(THREE):
        take_top(state, TRIPLE_SPACES[triple, k], log)
    state.current += 1
    skip_numbers(state, log)


@rule
def take_top(state: State, space: int, log: Grid) -> None:
    """The visible piece of a stack leaves; the next one is exposed, or, AX-5.2, the stack is gone."""
    stack = state.stack_at[space]
    last = state.height[stack] - 1
    state.piece[stack, last] = UNKNOWN
    state.seen[stack, last] = False
    state.height[stack] = last
    if last > 0:
        see_top(state, stack)
        emit(log, Event.EXPOSED, space, top(state, stack))
    else:
        state.stack_at[space] = EMPTY
        state.space[stack] = NOWHERE
        emit(log, Event.STACK_GONE, space)


@rule
def skip_numbers(state: State, log: Grid) -> None:
    """AX-7.3: against each other a current number that can't make a triplet any more is skipped."""
    if state.mode == VERSUS:
        while state.current <= NUMBERS and on_board(state, state.current) < THREE:
            emit(log, Event.SKIPPED, state.current)
            state.current += 1


@rule
def pay(state: State, space: int, log: Grid) -> None:
    """AX-5.1, AX-5.2: one visible piece is set aside. AX-5.3: a triplet that this exposes waits for the end of the next move."""
    number = top(state, state.stack_at[space])
    state.paid[number] += 1
    emit(log, Event.PAID, state.actor, space, number)
    take_top(state, space, log)
    skip_numbers(state, log)


# ------------------------------------------------------------------------------------------------------------ turn and match


@rule
def end_turn(state: State, log: Grid) -> None:
    """AX-4.5: a good move is praised. Then the end, or AX-1.3: the next seat."""
    if state.triplets > 1:
        emit(log, Event.PRAISE, state.actor, state.triplets)
    state.triplets = 0
    state.moved = 0
    state.phase = Phase.MOVE
    state.ending = ending_of_turn(state)
    if state.ending != Ending.NONE:
        end_match(state, log)
        return
    state.actor += 1
    if state.actor == state.players:
        state.actor = 0


@rule
def ending_of_turn(state: State) -> int:
    """AX-6.1, AX-6.2 together; AX-7.2, AX-7.3 against each other. The first that holds counts."""
    if state.mode == TOGETHER:
        if state.current > NUMBERS:
            return Ending.WON
        for number in range(state.current, NUMBERS + 1):
            if on_board(state, number) < THREE:
                return Ending.PIECES
        return Ending.NONE if can_move(state) else Ending.STUCK
    if not has_full_stack(state):
        return Ending.NO_FULL_STACK
    if state.current > NUMBERS:
        return Ending.NO_NUMBER
    return Ending.NONE if can_move(state) else Ending.NO_MOVE


@rule
def has_full_stack(state: State) -> bool:
    """AX-7.2: whether a stack of three is left."""
    for stack in range(STACKS):
        if state.height[stack] == HEIGHT:
            return True
    return False


@rule
def end_match(state: State, log: Grid) -> None:
    """Tell how it ended."""
    state.actor = -1
    if state.mode == VERSUS:
        ours, theirs = triplets_of(state, 0), triplets_of(state, 1)
        if ours == theirs:
            emit(log, Event.DRAWN, ours, theirs)
        else:
            emit(log, Event.SIDE_WON, 0 if ours > theirs else 1, ours, theirs)
    elif state.ending == Ending.WON:
        emit(log, Event.WON)
    else:
        emit(log, Event.LOST, state.ending - Ending.PIECES)


@rule
def score(state: State, out: Any) -> None:
    """AX-6.1: all have won, or AX-6.2 nobody. AX-7.2: the side with more triplets; as many each: half a win each."""
    ahead = triplets_of(state, 0) - triplets_of(state, 1)
    for seat in range(state.players):
        if state.mode == TOGETHER:
            out[seat] = 1.0 if state.ending == Ending.WON else 0.0
        elif ahead == 0:
            out[seat] = 0.5
        else:
            out[seat] = 1.0 if (ahead > 0) == (side_of(seat) == 0) else 0.0
