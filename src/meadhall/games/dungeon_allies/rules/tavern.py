"""Step 5, the tavern (§Tavern): who leads the bidding gains the follower on top. Bids are part of the placement."""

from __future__ import annotations

from meadhall.engine.events import emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.games.dungeon_allies.state import D4, D6, FOLLOWER_DIE, NONE, SIDES, Event, Phase, State, lowest_die


@rule
def resolve_tavern(state: State, log: Grid) -> bool:
    """DA-8.3: the follower takes a smaller die than all others. DA-8.4: if there is none, all was in vain. True if one is to be
    chosen.
    """
    seat = state.bidder
    if seat == NONE:
        return False
    lowest = lowest_die(state, seat)
    if lowest > D6:
        state.actor = seat
        state.phase = Phase.FOLLOWER_DIE
        return True
    if lowest == D6:
        welcome_follower(state, D4, log)
    else:
        state.bidder = NONE
        emit(log, Event.TAVERN_FORFEIT, seat)
    return False


@rule
def list_follower_dice(state: State, out: Row) -> int:
    """DA-8.3: every size below the lowest."""
    lowest = lowest_die(state, state.actor)
    for die in range(lowest):
        out[die] = FOLLOWER_DIE + die
    return lowest


@rule
def welcome_follower(state: State, die: int, log: Grid) -> None:
    """DA-8.3: the follower on top joins, DA-1.2: with that die."""
    state.followers -= 1
    follower = state.stack[state.followers]
    state.stack[state.followers] = NONE
    state.ally[state.bidder, die] = follower
    emit(log, Event.FOLLOWER_JOINS, state.bidder, follower, SIDES[die])
    state.bidder = NONE
    show_follower(state, log)


@rule
def show_follower(state: State, log: Grid) -> None:
    """DA-2.2: only the one on top is seen."""
    if state.followers > 0:
        state.reveals += 1
        emit(log, Event.FOLLOWER_TOP, state.stack[state.followers - 1])
