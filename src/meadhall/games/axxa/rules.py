"""AxxA: the rules. Ids are those of the rulebook beside this file."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any

import numpy as np

from meadhall.engine.chance import below, shuffle
from meadhall.engine.events import append_argument, emit
from meadhall.engine.rule import rule, u64
from meadhall.engine.schema import I8, Grid, Row, State, record
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

SEATS = 6
NUMBERS = 6
OF_EACH = 6  # pieces of each number
PIECES = NUMBERS * OF_EACH
STACKS = 12
HEIGHT = 3
THREE = 3  # pieces in a triplet

TOGETHER, VERSUS = 0, 1  # option ``mode``
SIDES = 2

UNKNOWN = 0  # a piece that nobody has seen, where it is concealed
NOWHERE = -1  # the space of a stack that is gone
EMPTY = -1  # the stack on a space where there is none
NONE, SEVERAL = -1, -2  # instead of the only triplet

# Actions: move from * 37 + to; leave the stack as it is; turn it over; remove a triple of spaces; pay from a space.
MOVE = 0
LEAVE = MOVE + SPACES * SPACES
TURN = LEAVE + 1
REMOVE = TURN + 1
PAY = REMOVE + len(TRIPLES)
ACTIONS = PAY + SPACES


class Phase(IntEnum):
    """What the actor is to decide."""

    MOVE = 0
    TURN = 1
    REMOVE = 2
    PAY = 3


class Ending(IntEnum):
    """How a match ended."""

    NONE = 0
    WON = 1  # together, as are the next two
    PIECES = 2
    STUCK = 3
    NO_FULL_STACK = 4  # against each other, as are the next two
    NO_NUMBER = 5
    NO_MOVE = 6


class Event(IntEnum):
    """What can happen."""

    STACKS = 1
    STARTS = 2
    MOVED = 3
    TURNED = 4
    REMOVED = 5
    EXPOSED = 6
    PAID = 7
    STACK_GONE = 8
    SKIPPED = 9
    PRAISE = 10
    WON = 11
    LOST = 12
    SIDE_WON = 13
    DRAWN = 14


@record
class Table(State):
    """The state of a match. Hidden, from everybody, are the pieces that were never visible."""

    mode: I8
    orthogonal: I8  # whether only side by side is touching
    phase: I8
    ending: I8
    current: I8  # the number that can be removed, 7 when there is none left
    moved: I8  # the stack that the actor has moved this turn
    triplets: I8  # removed this turn
    taker: Annotated[Row, np.int8, NUMBERS + 1]  # number -> 1 + the seat that removed its triplet, 0: nobody did
    paid: Annotated[Row, np.int8, NUMBERS + 1]  # number -> its pieces that were paid
    stack_at: Annotated[Row, np.int8, SPACES]  # space -> the stack on it, or EMPTY
    space: Annotated[Row, np.int8, STACKS]  # stack -> the space that it is on, or NOWHERE
    height: Annotated[Row, np.int8, STACKS]
    piece: Annotated[Grid, np.int8, STACKS, HEIGHT]  # from the bottom; the visible one is piece[stack, height[stack] - 1]
    seen: Annotated[Grid, np.int8, STACKS, HEIGHT]  # whether that piece has ever been visible


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


# ----------------------------------------------------------------------------------------------------------- what lies there


@rule
def top(table: Table, stack: int) -> int:
    """The visible piece of a stack that is there."""
    return table.piece[stack, table.height[stack] - 1]


@rule
def occupied(table: Table) -> int:
    """The spaces with a stack, as a mask."""
    spaces = u64(0)
    for stack in range(STACKS):
        if table.height[stack] > 0:
            spaces |= BIT[table.space[stack]]
    return spaces


@rule
def showing(table: Table, number: int) -> int:
    """The spaces whose visible piece is ``number``, as a mask."""
    spaces = u64(0)
    for stack in range(STACKS):
        if table.height[stack] > 0 and top(table, stack) == number:
            spaces |= BIT[table.space[stack]]
    return spaces


@rule
def on_board(table: Table, number: int) -> int:
    """How many pieces of a number are on the board, seen or not."""
    removed = THREE if table.taker[number] else 0
    return OF_EACH - table.paid[number] - removed


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
def side_of(seat: int) -> int:
    """AX-7.1: seats alternate between the sides."""
    return seat % SIDES


@rule
def triplets_of(table: Table, side: int) -> int:
    """AX-7.1: how many triplets the players of a side have removed."""
    count = 0
    for number in range(1, NUMBERS + 1):
        if table.taker[number] and side_of(table.taker[number] - 1) == side:
            count += 1
    return count


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


# ------------------------------------------------------------------------------------------------------------ what is hidden


@rule
def conceal(table: Table, seat: int) -> None:
    """AX-1.2: covered pieces, from everybody, AX-3.2: but for those that were visible once."""
    for stack in range(STACKS):
        for k in range(table.height[stack]):
            if not table.seen[stack, k]:
                table.piece[stack, k] = UNKNOWN


@rule
def redeal(table: Table, seat: int) -> None:
    """All that has not been seen lies in any order under what has been."""
    unseen = np.zeros(PIECES, np.int8)
    shuffle(table.rng, unseen, list_unseen(table, unseen))
    count = 0
    for stack in range(STACKS):
        for k in range(table.height[stack]):
            if not table.seen[stack, k]:
                table.piece[stack, k] = unseen[count]
                count += 1


@rule
def list_unseen(table: Table, out: Row) -> int:
    """The numbers of the pieces on the board that nobody has seen, ascending, into ``out``; how many."""
    count = 0
    for number in range(1, NUMBERS + 1):
        left = on_board(table, number)
        for stack in range(STACKS):
            for k in range(table.height[stack]):
                left -= table.seen[stack, k] and table.piece[stack, k] == number
        for _ in range(left):
            out[count] = number
            count += 1
    return count
