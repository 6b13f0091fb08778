"""Step 5, the tavern (§Tavern): the last bidder gets the follower on top. Bids are part of the placement."""

from __future__ import annotations

from meadhall.games.dungeon_allies.actions import Act, Phase
from meadhall.games.dungeon_allies.pieces import DICE, NONE, SIDES
from meadhall.games.dungeon_allies.state import Event, State, can_take
from meadhall.sdk import Grid, Row, emit, rule


@rule
def resolve_tavern(state: State, log: Grid) -> bool:
    """DA-8.3: The follower gets a die smaller than all others. DA-8.4: Without such a die the action is forfeit.

    Returns True when the player must choose the die.
    """
    seat = state.bidder
    if seat == NONE:
        return False
    possible = 0
    only = NONE
    for die in range(DICE):
        if can_take(state, seat, die):
            possible += 1
            only = die
    if possible > 1:
        state.actor = seat
        state.phase = Phase.FOLLOWER_DIE
        return True
    if possible == 1:
        add_follower(state, only, log)
    else:
        state.bidder = NONE
        emit(log, Event.TAVERN_FORFEIT, seat)
    return False


@rule
def list_follower_dice(state: State, out: Row) -> int:
    """DA-8.3: Every size below the lowest. DA-19.3: Of the characters, if no other ally has it."""
    count = 0
    for die in range(DICE):
        if can_take(state, state.actor, die):
            out[count] = Act.FOLLOWER_DIE + die
            count += 1
    return count


@rule
def add_follower(state: State, die: int, log: Grid) -> None:
    """DA-8.3: The follower on top joins the bidder. DA-1.2: The follower's die is this one."""
    state.followers -= 1
    follower = state.stack[state.followers]
    state.stack[state.followers] = NONE
    state.ally[state.bidder, die] = follower
    emit(log, Event.FOLLOWER_JOINS, state.bidder, follower, SIDES[die])
    state.bidder = NONE
    show_follower(state, log)


@rule
def show_follower(state: State, log: Grid) -> None:
    """DA-2.2: Only the follower on top of the stack is visible."""
    if state.followers > 0:
        state.reveals += 1
        emit(log, Event.FOLLOWER_TOP, state.stack[state.followers - 1])
