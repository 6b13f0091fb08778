"""The rules of AxxA. The ids are those of the rulebook beside this file."""

from __future__ import annotations

from typing import Any

import numpy as np

from meadhall.games.axxa.state import (
    BIT,
    EMPTY,
    FIRST_MOVE,
    FIRST_START,
    HEIGHT,
    LAST_ROUTE,
    MOVE_ACTION,
    NO_SIDE,
    NOWHERE,
    NUMBERS,
    OF_EACH,
    ONE,
    OTHER_ROUTE,
    PIECES,
    ROUTE,
    SIDES,
    SPACES,
    STACKS,
    TOUCHING,
    TRIPLE_MASK,
    TRIPLE_SPACES,
    TRIPLE_TOUCHES,
    TRIPLES,
    TRIPLET_SIZE,
    UNKNOWN,
    Act,
    Ending,
    Event,
    Mode,
    Order,
    Phase,
    State,
    conceal as conceal,
    fresh_spaces,
    leading_side,
    occupied,
    on_board,
    points_of,
    redeal as redeal,
    removable,
    showing,
    side_of,
    top,
    triplets_left,
    triplets_of_number,
)
from meadhall.sdk import Grid, Row, append_argument, below, emit, rule, shuffle

NO_TRIPLET, SEVERAL_TRIPLETS = -1, -2
"""Results of ``only_triplet`` other than the index of a triple."""

# ---------------------------------------------------------------------------------------------------------------- the deal


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """AX-1.2: Deal twelve stacks of three. AX-1.3: The first seat starts; in mode versus, a random seat."""
    state.mode = options[0]
    state.orthogonal = options[1]
    state.order = options[2]
    state.diagonals = options[3]
    state.with_moved = options[4]
    state.by_number = options[5]
    state.price = options[6]
    state.current = 1
    deal(state, log)
    if state.mode == Mode.VERSUS:
        state.actor = below(state.rng, players)
        state.upcoming[side_of(state.actor)] = state.actor
        state.upcoming[1 - side_of(state.actor)] = first_of_other_side(state)
        emit(log, Event.STARTS, state.actor)


@rule
def first_of_other_side(state: State) -> int:
    """AX-7.1: The other side begins with its first seat clockwise of the one that starts."""
    seat = state.actor
    while side_of(seat) == side_of(state.actor):
        seat = (seat + 1) % state.players
    return seat


@rule
def deal(state: State, log: Grid) -> None:
    """AX-1.2: Shuffle the pieces and deal three to each starting space, the first of the three on top."""
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
        for depth in range(HEIGHT):
            state.piece[stack, HEIGHT - 1 - depth] = pieces[HEIGHT * stack + depth]
        state.seen[stack, HEIGHT - 1] = True
        emit(log, Event.STACKS, FIRST_START + stack, top(state, stack))


# ------------------------------------------------------------------------------------------------------------------ actions


@rule(inline=True)
def legal(state: State, out: Row) -> int:
    """List the legal actions of the seat to move into ``out``, in ascending order, and return their number."""
    if state.phase == Phase.MOVE:
        return list_moves(state, out)
    if state.phase == Phase.TURN:
        out[0] = Act.LEAVE
        out[1] = Act.TURN
        return 2
    if state.phase == Phase.REMOVE:
        return list_triplets(state, out)
    return list_payments(state, out)


@rule
def list_moves(state: State, out: Row) -> int:
    """AX-2.1: Any stack can be moved.

    AX-2.2: It moves as far as its top piece shows. AX-2.3: It needs empty spaces. AX-2.4: Starting spaces are ordinary spaces.
    AX-8.1: The table has moves along diagonals, too.
    """
    blocked = occupied(state)
    moves: Any = FIRST_MOVE[state.diagonals]
    count = 0
    for start in range(SPACES):
        stack = state.stack_at[start]
        if stack != EMPTY:
            length = top(state, stack)
            for move in range(moves[start, length], moves[start, length + 1]):
                if is_free(move, blocked):
                    out[count] = Act.MOVE + MOVE_ACTION[move]
                    count += 1
    return count


@rule
def is_free(move: int, blocked: int) -> bool:
    """AX-2.3, AX-2.5: A move needs one free route; if there are more, any will do."""
    return not blocked & ROUTE[move] or not blocked & OTHER_ROUTE[move] or not blocked & LAST_ROUTE[move]


@rule
def can_move(state: State) -> bool:
    """Tell whether any stack can move."""
    blocked = occupied(state)
    moves: Any = FIRST_MOVE[state.diagonals]
    for stack in range(STACKS):
        if state.height[stack] > 0:
            start, length = state.space[stack], top(state, stack)
            for move in range(moves[start, length], moves[start, length + 1]):
                if is_free(move, blocked):
                    return True
    return False


@rule
def list_triplets(state: State, out: Row) -> int:
    """AX-4.1, AX-4.2, AX-7.3: Any triple of touching spaces that show one number can be removed, if that number can."""
    shown = removable(state)
    count = 0
    for triple in range(len(TRIPLES)):
        if is_triplet(state, triple, shown):
            out[count] = Act.REMOVE + triple
            count += 1
    return count


@rule
def only_triplet(state: State) -> int:
    """Return the index of the only triplet that can be removed, or NO_TRIPLET, or SEVERAL_TRIPLETS."""
    shown = removable(state)
    found = NO_TRIPLET
    if any_triplet(state):
        for triple in range(len(TRIPLES)):
            if is_triplet(state, triple, shown):
                if found != NO_TRIPLET:
                    return SEVERAL_TRIPLETS
                found = triple
    return found


@rule
def is_triplet(state: State, triple: int, shown: int) -> bool:
    """AX-4.1: A triple is a triplet if it is among the spaces ``shown``, shows one number and touches as the option requires.

    AX-8.2: With this house rule it includes a stack that this turn has moved or uncovered.
    """
    if TRIPLE_MASK[triple] & ~shown or not TRIPLE_TOUCHES[state.orthogonal, triple]:
        return False
    if state.with_moved and not TRIPLE_MASK[triple] & fresh_spaces(state):
        return False
    return state.order != Order.ANY or shows_one_number(state, triple)


@rule
def shows_one_number(state: State, triple: int) -> bool:
    """Tell whether the three stacks on a triple of spaces show the same number."""
    number = number_on(state, TRIPLE_SPACES[triple, 0])
    return number == number_on(state, TRIPLE_SPACES[triple, 1]) and number == number_on(state, TRIPLE_SPACES[triple, 2])


@rule
def number_on(state: State, space: int) -> int:
    """Return the visible piece on a space, which must hold a stack."""
    return top(state, state.stack_at[space])


@rule
def any_triplet(state: State) -> bool:
    """Tell whether a triplet that can be removed is on the board: AX-4.2, of the current number; AX-7.3, of any number."""
    if state.order != Order.ANY:
        return has_triplet(state, showing(state, state.current))
    for number in range(1, NUMBERS + 1):
        if has_triplet(state, showing(state, number)):
            return True
    return False


@rule
def has_triplet(state: State, shown: int) -> bool:
    """AX-4.1: There is a triplet among the spaces ``shown`` if one of them touches two others."""
    for stack in range(STACKS):
        if state.height[stack] > 0 and shown & BIT[state.space[stack]]:
            beside = shown & TOUCHING[state.orthogonal, state.space[stack]]
            if beside and beside & (beside - ONE):
                return True
    return False


@rule
def list_payments(state: State, out: Row) -> int:
    """AX-5.2: The visible piece of any stack can be paid."""
    count = 0
    for space in range(SPACES):
        if state.stack_at[space] != EMPTY:
            out[count] = Act.PAY + space
            count += 1
    return count


@rule(inline=True)
def play(state: State, action: int, log: Grid) -> None:
    """Play one action of a turn: a move, turning the stack over or not, the choice of a triplet, a payment."""
    if action < Act.LEAVE:
        move_stack(state, action // SPACES, action % SPACES, log)
        if state.height[state.moved] > 1:
            state.phase = Phase.TURN
        else:
            end_move(state, log)
    elif action < Act.REMOVE:
        if action == Act.TURN:
            turn_over(state, state.moved, log)
        end_move(state, log)
    elif action < Act.PAY:
        remove_triplet(state, action - Act.REMOVE, log)
        end_move(state, log)
    else:
        pay(state, action - Act.PAY, log)
        state.debt -= 1
        if state.debt <= 0 or not occupied(state):
            end_turn(state, log)


@rule
def move_stack(state: State, start: int, end: int, log: Grid) -> None:
    """AX-2.1, AX-2.5: A move is defined by its first and last space."""
    stack = state.stack_at[start]
    state.stack_at[start] = EMPTY
    state.stack_at[end] = stack
    state.space[stack] = end
    state.moved = stack
    state.fresh |= state.with_moved << stack
    emit(log, Event.MOVED, state.actor, start, end)


@rule
def turn_over(state: State, stack: int, log: Grid) -> None:
    """AX-3.1: The top piece goes to the bottom, once. AX-3.2: The new top piece is now known."""
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
    """AX-3.2: The visible piece is known from now on. Count a revelation if it wasn't known before."""
    last = state.height[stack] - 1
    if not state.seen[stack, last]:
        state.seen[stack, last] = True
        state.reveals += 1


@rule
def end_move(state: State, log: Grid) -> None:
    """AX-4.3, AX-4.4: Remove triplets, one after another, while there is only one to remove. AX-5.1: Without any, ask to pay.

    AX-8.4: A move may cost more than one piece.
    """
    triple = only_triplet(state)
    while triple >= 0:
        remove_triplet(state, triple, log)
        triple = only_triplet(state)
    if triple == SEVERAL_TRIPLETS:
        state.phase = Phase.REMOVE
    elif state.triplets > 0:
        end_turn(state, log)
    else:
        state.phase = Phase.PAY
        state.debt = state.price


@rule
def remove_triplet(state: State, triple: int, log: Grid) -> None:
    """AX-4.3: Take off three top pieces. AX-4.2: The next number becomes current. AX-7.1: Record the seat that removed them."""
    a, b, c = TRIPLE_SPACES[triple, 0], TRIPLE_SPACES[triple, 1], TRIPLE_SPACES[triple, 2]
    number = number_on(state, a)
    state.taker[number, triplets_of_number(state, number)] = 1 + state.actor
    state.last_taker = 1 + state.actor
    state.triplets += 1
    emit(log, Event.REMOVED, state.actor, number, a, b)
    append_argument(log, c)
    for k in range(TRIPLET_SIZE):
        take_top(state, TRIPLE_SPACES[triple, k], log)
    if state.order != Order.ANY:
        state.current += 1
    skip_numbers(state, log)


@rule
def take_top(state: State, space: int, log: Grid) -> None:
    """Take the visible piece off a stack. This exposes the next piece; AX-5.2: after the last piece, the stack is gone."""
    stack = state.stack_at[space]
    last = state.height[stack] - 1
    state.piece[stack, last] = UNKNOWN
    state.seen[stack, last] = False
    state.height[stack] = last
    if last > 0:
        state.fresh |= state.with_moved << stack
        see_top(state, stack)
        emit(log, Event.EXPOSED, space, top(state, stack))
    else:
        state.stack_at[space] = EMPTY
        state.space[stack] = NOWHERE
        emit(log, Event.STACK_GONE, space)


@rule
def skip_numbers(state: State, log: Grid) -> None:
    """AX-7.3: In mode versus with order "skip", skip the current number while fewer than three of its pieces are on the board."""
    if state.mode == Mode.VERSUS and state.order == Order.SKIP:
        while state.current <= NUMBERS and on_board(state, state.current) < TRIPLET_SIZE:
            emit(log, Event.SKIPPED, state.current)
            state.current += 1


@rule
def pay(state: State, space: int, log: Grid) -> None:
    """AX-5.1, AX-5.2: Set one visible piece aside. AX-5.3: A triplet that this exposes waits for the end of the next move."""
    number = top(state, state.stack_at[space])
    state.paid[number] += 1
    emit(log, Event.PAID, state.actor, space, number)
    take_top(state, space, log)
    skip_numbers(state, log)


# ------------------------------------------------------------------------------------------------------------ turn and match


@rule
def end_turn(state: State, log: Grid) -> None:
    """AX-4.5: Praise two or more triplets. Then end the match or pass the turn."""
    if state.triplets > 1:
        emit(log, Event.PRAISE, state.actor, state.triplets)
    state.triplets = 0
    state.moved = 0
    state.fresh = 0
    state.debt = 0
    state.phase = Phase.MOVE
    state.ending = ending_of_turn(state)
    if state.ending != Ending.NONE:
        end_match(state, log)
        return
    pass_turn(state)


@rule
def pass_turn(state: State) -> None:
    """AX-1.3: The next seat moves. AX-7.1: Two sides alternate, and within a side its seats take turns."""
    if state.mode == Mode.TOGETHER:
        state.actor = (state.actor + 1) % state.players
        return
    side = side_of(state.actor)
    following = state.actor + SIDES
    state.upcoming[side] = following if following < state.players else side
    state.actor = state.upcoming[1 - side]


@rule
def ending_of_turn(state: State) -> int:
    """Return the first ending that applies: AX-6.1, AX-6.2 in mode together; AX-7.2, AX-7.3 in mode versus."""
    if state.mode == Mode.TOGETHER:
        if state.current > NUMBERS:
            return Ending.WON
        for number in range(state.current, NUMBERS + 1):
            if on_board(state, number) < TRIPLET_SIZE:
                return Ending.PIECES
        return Ending.NONE if can_move(state) else Ending.STUCK
    if not has_full_stack(state):
        return Ending.NO_FULL_STACK
    if no_number_left(state):
        return Ending.NO_NUMBER
    return Ending.NONE if can_move(state) else Ending.NO_MOVE


@rule
def no_number_left(state: State) -> bool:
    """AX-7.3: With order "skip", all numbers are removed or skipped; with "any", none has three pieces; "strict" doesn't ask."""
    if state.order == Order.ANY:
        return triplets_left(state) == 0
    return state.order == Order.SKIP and state.current > NUMBERS


@rule
def has_full_stack(state: State) -> bool:
    """AX-7.2: The match goes on while a stack of three is left."""
    for stack in range(STACKS):
        if state.height[stack] == HEIGHT:
            return True
    return False


@rule
def end_match(state: State, log: Grid) -> None:
    """Leave no seat to move and report the result."""
    state.actor = -1
    if state.mode == Mode.VERSUS:
        ours, theirs = points_of(state, 0), points_of(state, 1)
        winner = leading_side(state)
        if winner == NO_SIDE:
            emit(log, Event.DRAWN, ours, theirs)
        else:
            emit(log, Event.SIDE_WON, winner, ours, theirs)
    elif state.ending == Ending.WON:
        emit(log, Event.WON)
    else:
        emit(log, Event.LOST, state.ending - Ending.PIECES)


@rule
def score(state: State, out: Any) -> None:
    """AX-6.1, AX-6.2: All win or all lose. AX-7.2: The side with more triplets wins; equal numbers are half a win for each."""
    winner = leading_side(state)
    for seat in range(state.players):
        if state.mode == Mode.TOGETHER:
            out[seat] = 1.0 if state.ending == Ending.WON else 0.0
        elif winner == NO_SIDE:
            out[seat] = 0.5
        else:
            out[seat] = 1.0 if side_of(seat) == winner else 0.0
