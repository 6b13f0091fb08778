"""Step 5, the tavern (§Tavern): the last bidder gets the follower on top. Bids are part of the placement."""

from __future__ import annotations

from meadhall.games.dungeon_allies.actions import Act, Phase
from meadhall.games.dungeon_allies.pieces import NONE, SIDES, Die
from meadhall.games.dungeon_allies.state import Event, State, lowest_die
from meadhall.sdk import Grid, Row, emit, i64, rule


@rule
def resolve_tavern(state: State, log: Grid) -> bool:
    """DA-8.3: The follower gets a die smaller than all others. DA-8.4: Without such a die the action is forfeit.

    Returns True when the player must choose the die.
    """
    seat = state.bidder
    if seat == NONE:
        return False
    lowest = lowest_die(state, seat)
    if lowest > Die.D6:
        state.actor = seat
        state.phase = Phase.FOLLOWER_DIE
        return True
    if lowest == Die.D6:
        add_follower(state, i64(Die.D4), log)
    else:
        state.bidder = NONE
        emit(log, Event.TAVERN_FORFEIT, seat)
    return False


@rule
def list_follower_dice(state: State, out: Row) -> int:
    """DA-8.3: Every size below the lowest."""
    lowest = lowest_die(state, state.actor)
    for die in range(lowest):
        out[die] = Act.FOLLOWER_DIE + die
    return lowest


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
