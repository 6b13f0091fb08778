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
    Table,
    occupied,
    on_board,
    showing,
    side_of,
    top,
    triplets_of,
)

# ---------------------------------------------------------------------------------------------------------------- the deal


@rule
def setup(table: Table, players: int, options: Any, log: Grid) -> None:
    """AX-1.2: twelve stacks of three. AX-1.3: the first seat begins; against each other a random one."""
    table.mode = options[0]
    table.orthogonal = options[1]
    table.current = 1
    deal(table, log)
    if table.mode == VERSUS:
        table.actor = below(table.rng, players)
        emit(log, Event.STARTS, table.actor)


@rule
def deal(table: Table, log: Grid) -> None:
    """AX-1.2: shuffled, three by three onto the starting spaces, the first of each three on top."""
    pieces = np.zeros(PIECES, np.int8)
    for k in range(PIECES):
        pieces[k] = 1 + k // OF_EACH
    table.reveals += 1
    shuffle(table.rng, pieces, PIECES)
    table.stack_at[:] = EMPTY
    for stack in range(STACKS):
        table.space[stack] = FIRST_START + stack
        table.stack_at[FIRST_START + stack] = stack
        table.height[stack] = HEIGHT
        for below_top in range(HEIGHT):
            table.piece[stack, HEIGHT - 1 - below_top] = pieces[HEIGHT * stack + below_top]
        table.seen[stack, HEIGHT - 1] = True
        emit(log, Event.STACKS, FIRST_START + stack, top(table, stack))


# ------------------------------------------------------------------------------------------------------------------ actions


@rule(inline=True)
def legal(table: Table, out: Row) -> int:
    """What the actor can do, by what is to be decided."""
    if table.phase == Phase.MOVE:
        return list_moves(table, out)
    if table.phase == Phase.TURN:
        out[0] = LEAVE
        out[1] = TURN
        return 2
    if table.phase == Phase.REMOVE:
        return list_triplets(table, out)
    return list_payments(table, out)


@rule
def list_moves(table: Table, out: Row) -> int:
    """AX-2.1: any stack. AX-2.2: as far as its top piece shows. AX-2.3: over empty spaces. AX-2.4: starting spaces too."""
    blocked = occupied(table)
    count = 0
    for start in range(SPACES):
        stack = table.stack_at[start]
        if stack != EMPTY:
            length = top(table, stack)
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
def can_move(table: Table) -> bool:
    """Whether any stack can."""
    blocked = occupied(table)
    for stack in range(STACKS):
        if table.height[stack] > 0:
            start, length = table.space[stack], top(table, stack)
            for move in range(FIRST_MOVE[start, length], FIRST_MOVE[start, length + 1]):
                if is_free(move, blocked):
                    return True
    return False


@rule
def list_triplets(table: Table, out: Row) -> int:
    """AX-4.1, AX-4.2: every triple of spaces that touch and show the current number."""
    shown = showing(table, table.current)
    count = 0
    for triple in range(len(TRIPLES)):
        if is_triplet(table, triple, shown):
            out[count] = REMOVE + triple
            count += 1
    return count


@rule
def only_triplet(table: Table) -> int:
    """The triple on which there is a triplet of the current number, if there is exactly one; NONE or SEVERAL if not."""
    shown = showing(table, table.current)
    found = NONE
    if has_triplet(table, shown):
        for triple in range(len(TRIPLES)):
            if is_triplet(table, triple, shown):
                if found != NONE:
                    return SEVERAL
                found = triple
    return found


@rule
def is_triplet(table: Table, triple: int, shown: int) -> bool:
    """AX-4.1: whether the triple lies in these spaces, and touches as the option says."""
    return not TRIPLE_MASK[triple] & ~shown and bool(TRIPLE_TOUCHES[table.orthogonal, triple])


@rule
def has_triplet(table: Table, shown: int) -> bool:
    """AX-4.1: whether three of these spaces touch: then one of them touches two others."""
    for stack in range(STACKS):
        if table.height[stack] > 0 and shown & BIT[table.space[stack]]:
            beside = shown & TOUCHING[table.orthogonal, table.space[stack]]
            if beside and beside & (beside - ONE):
                return True
    return False


@rule
def list_payments(table: Table, out: Row) -> int:
    """AX-5.2: the visible piece of any stack."""
    count = 0
    for space in range(SPACES):
        if table.stack_at[space] != EMPTY:
            out[count] = PAY + space
            count += 1
    return count


@rule(inline=True)
def play(table: Table, action: int, log: Grid) -> None:
    """A turn: move, turn over or not, remove what can be removed, or pay."""
    if action < LEAVE:
        move_stack(table, action // SPACES, action % SPACES, log)
        if table.height[table.moved] > 1:
            table.phase = Phase.TURN
        else:
            end_move(table, log)
    elif action < REMOVE:
        if action == TURN:
            turn_over(table, table.moved, log)
        end_move(table, log)
    elif action < PAY:
        remove_triplet(table, action - REMOVE, log)
        end_move(table, log)
    else:
        pay(table, action - PAY, log)
        end_turn(table, log)


@rule
def move_stack(table: Table, start: int, end: int, log: Grid) -> None:
    """AX-2.1, AX-2.5: a move is its first and its last space."""
    stack = table.stack_at[start]
    table.stack_at[start] = EMPTY
    table.stack_at[end] = stack
    table.space[stack] = end
    table.moved = stack
    emit(log, Event.MOVED, table.actor, start, end)


@rule
def turn_over(table: Table, stack: int, log: Grid) -> None:
    """AX-3.1: the top piece goes to the bottom, once. AX-3.2: the new one is seen."""
    last = table.height[stack] - 1
    piece = table.piece[stack, last]
    for k in range(last, 0, -1):
        table.piece[stack, k] = table.piece[stack, k - 1]
        table.seen[stack, k] = table.seen[stack, k - 1]
    table.piece[stack, 0] = piece
    table.seen[stack, 0] = True
    see_top(table, stack)
    emit(log, Event.TURNED, table.actor, table.space[stack], top(table, stack))


@rule
def see_top(table: Table, stack: int) -> None:
    """AX-3.2: what is visible is known from now on. It is a revelation only if it was not known before."""
    last = table.height[stack] - 1
    if not table.seen[stack, last]:
        table.seen[stack, last] = True
        table.reveals += 1


@rule
def end_move(table: Table, log: Grid) -> None:
    """AX-4.3, AX-4.4: triplets of the current number leave, one number after the other. AX-5.1: if there was none, a payment."""
    triple = only_triplet(table)
    while triple >= 0:
        remove_triplet(table, triple, log)
        triple = only_triplet(table)
    if triple == SEVERAL:
        table.phase = Phase.REMOVE
    elif table.triplets > 0:
        end_turn(table, log)
    else:
        table.phase = Phase.PAY


@rule
def remove_triplet(table: Table, triple: int, log: Grid) -> None:
    """AX-4.3: its three top pieces leave; AX-4.2: the next number is current. AX-7.1: who removed it keeps it."""
    a, b, c = TRIPLE_SPACES[triple, 0], TRIPLE_SPACES[triple, 1], TRIPLE_SPACES[triple, 2]
    table.taker[table.current] = 1 + table.actor
    table.triplets += 1
    emit(log, Event.REMOVED, table.actor, table.current, a, b)
    append_argument(log, c)
    for k in range(THREE):
        take_top(table, TRIPLE_SPACES[triple, k], log)
    table.current += 1
    skip_numbers(table, log)


@rule
def take_top(table: Table, space: int, log: Grid) -> None:
    """The visible piece of a stack leaves; the next one is exposed, or, AX-5.2, the stack is gone."""
    stack = table.stack_at[space]
    last = table.height[stack] - 1
    table.piece[stack, last] = UNKNOWN
    table.seen[stack, last] = False
    table.height[stack] = last
    if last > 0:
        see_top(table, stack)
        emit(log, Event.EXPOSED, space, top(table, stack))
    else:
        table.stack_at[space] = EMPTY
        table.space[stack] = NOWHERE
        emit(log, Event.STACK_GONE, space)


@rule
def skip_numbers(table: Table, log: Grid) -> None:
    """AX-7.3: against each other a current number that can't make a triplet any more is skipped."""
    if table.mode == VERSUS:
        while table.current <= NUMBERS and on_board(table, table.current) < THREE:
            emit(log, Event.SKIPPED, table.current)
            table.current += 1


@rule
def pay(table: Table, space: int, log: Grid) -> None:
    """AX-5.1, AX-5.2: one visible piece is set aside. AX-5.3: a triplet that this exposes waits for the end of the next move."""
    number = top(table, table.stack_at[space])
    table.paid[number] += 1
    emit(log, Event.PAID, table.actor, space, number)
    take_top(table, space, log)
    skip_numbers(table, log)


# ------------------------------------------------------------------------------------------------------------ turn and match


@rule
def end_turn(table: Table, log: Grid) -> None:
    """AX-4.5: a good move is praised. Then the end, or AX-1.3: the next seat."""
    if table.triplets > 1:
        emit(log, Event.PRAISE, table.actor, table.triplets)
    table.triplets = 0
    table.moved = 0
    table.phase = Phase.MOVE
    table.ending = ending_of_turn(table)
    if table.ending != Ending.NONE:
        end_match(table, log)
        return
    table.actor += 1
    if table.actor == table.players:
        table.actor = 0


@rule
def ending_of_turn(table: Table) -> int:
    """AX-6.1, AX-6.2 together; AX-7.2, AX-7.3 against each other. The first that holds counts."""
    if table.mode == TOGETHER:
        if table.current > NUMBERS:
            return Ending.WON
        for number in range(table.current, NUMBERS + 1):
            if on_board(table, number) < THREE:
                return Ending.PIECES
        return Ending.NONE if can_move(table) else Ending.STUCK
    if not has_full_stack(table):
        return Ending.NO_FULL_STACK
    if table.current > NUMBERS:
        return Ending.NO_NUMBER
    return Ending.NONE if can_move(table) else Ending.NO_MOVE


@rule
def has_full_stack(table: Table) -> bool:
    """AX-7.2: whether a stack of three is left."""
    for stack in range(STACKS):
        if table.height[stack] == HEIGHT:
            return True
    return False


@rule
def end_match(table: Table, log: Grid) -> None:
    """Tell how it ended."""
    table.actor = -1
    if table.mode == VERSUS:
        ours, theirs = triplets_of(table, 0), triplets_of(table, 1)
        if ours == theirs:
            emit(log, Event.DRAWN, ours, theirs)
        else:
            emit(log, Event.SIDE_WON, 0 if ours > theirs else 1, ours, theirs)
    elif table.ending == Ending.WON:
        emit(log, Event.WON)
    else:
        emit(log, Event.LOST, table.ending - Ending.PIECES)


@rule
def score(table: Table, out: Any) -> None:
    """AX-6.1: all have won, or AX-6.2 nobody. AX-7.2: the side with more triplets; as many each: half a win each."""
    ahead = triplets_of(table, 0) - triplets_of(table, 1)
    for seat in range(table.players):
        if table.mode == TOGETHER:
            out[seat] = 1.0 if table.ending == Ending.WON else 0.0
        elif ahead == 0:
            out[seat] = 0.5
        else:
            out[seat] = 1.0 if (ahead > 0) == (side_of(seat) == 0) else 0.0
