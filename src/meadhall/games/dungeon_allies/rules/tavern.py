"""Step 5, the tavern (§Tavern): who leads the bidding gains the follower on top. Bids are part of the placement."""

from __future__ import annotations

from meadhall.engine.events import emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.games.dungeon_allies.state import D4, D6, FOLLOWER_DIE, NONE, SIDES, Event, Phase, Table, lowest_die


@rule
def resolve_tavern(table: Table, log: Grid) -> bool:
    """DA-8.3: the follower takes a smaller die than all others. DA-8.4: if there is none, all was in vain. True if one is to be
    chosen.
    """
    seat = table.bidder
    if seat == NONE:
        return False
    lowest = lowest_die(table, seat)
    if lowest > D6:
        table.actor = seat
        table.phase = Phase.FOLLOWER_DIE
        return True
    if lowest == D6:
        welcome_follower(table, D4, log)
    else:
        table.bidder = NONE
        emit(log, Event.TAVERN_FORFEIT, seat)
    return False


@rule
def list_follower_dice(table: Table, out: Row) -> int:
    """DA-8.3: every size below the lowest."""
    lowest = lowest_die(table, table.actor)
    for die in range(lowest):
        out[die] = FOLLOWER_DIE + die
    return lowest


@rule
def welcome_follower(table: Table, die: int, log: Grid) -> None:
    """DA-8.3: the follower on top joins, DA-1.2: with that die."""
    table.followers -= 1
    follower = table.stack[table.followers]
    table.stack[table.followers] = NONE
    table.ally[table.bidder, die] = follower
    emit(log, Event.FOLLOWER_JOINS, table.bidder, follower, SIDES[die])
    table.bidder = NONE
    show_follower(table, log)


@rule
def show_follower(table: Table, log: Grid) -> None:
    """DA-2.2: only the one on top is seen."""
    if table.followers > 0:
        table.reveals += 1
        emit(log, Event.FOLLOWER_TOP, table.stack[table.followers - 1])
