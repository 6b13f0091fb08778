"""When a match calls a player: it is their turn, or their time is short.

A match with a slow clock, or with none, tells a player of their turn. While a live clock runs, players are expected to stay. The
time is short at the end of each decision with a clock.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection

from meadhall.engine.match import Match
from meadhall.server.hall.clocks import Clocks
from meadhall.server.hall.notifications import Notification, notify
from meadhall.server.store.clock import Clock
from meadhall.server.store.models import TableRow, now
from meadhall.server.store.store import Effect

if TYPE_CHECKING:
    from meadhall.server.hall.room import Room

_LIVE_MARGIN: Final = timedelta(seconds=20)
_SLOW_PART: Final = 8
"""The last eighth of a slow decision is short: three hours of a day."""

_EXTRA: Final = timedelta(days=1)
"""How long after its deadline a message may still be sent: downtimes of the hall move the deadline."""


def margin(clock: Clock) -> timedelta:
    """Return how long before its deadline the time of a decision is short."""
    return _LIVE_MARGIN if clock.is_live else timedelta(seconds=clock.seconds) / _SLOW_PART


def calls_after(
    table: TableRow, before: Match | None, match: Match, clocks_before: Clocks | None, clocks: Clocks | None, is_looking: bool
) -> Effect | None:
    """Return what calls the player to move, in the transaction that begins the decision; None if no player needs a call.

    Args:
        table: the table of the match.
        before: the match before the change; None at its start.
        match: the match after it.
        clocks_before: the clocks before it.
        clocks: the clocks after it.
        is_looking: whether the player to move has a page of the table in front of them. In a match without a clock such a player
            isn't called.
    """
    seat = match.actor
    if match.ended or seat is None or table.seats[seat].kind != "human" or seat in match.stand_ins or table.daily is not None:
        return None
    guests = table.seats[seat].guests
    deadline = None if clocks is None else clocks.deadline
    calls: list[tuple[Notification, datetime | None]] = []
    until = None if deadline is None else max(deadline, now()) + _EXTRA
    is_new = before is None or before.actor != seat or (before.stand_ins.keys() != match.stand_ins.keys())
    if is_new and (not is_looking if clocks is None else deadline is not None and not clocks.clock.is_live):
        calls.append((Notification("turn", table.id, match.next_number, until=until), None))
    if clocks is not None and deadline is not None and deadline != (clocks_before and clocks_before.deadline):
        short_at = deadline - margin(clocks.clock)
        if short_at > now() + _LIVE_MARGIN:
            calls.append((Notification("short", table.id, match.next_number, until=until), short_at))
    if not calls:
        return None

    def call(connection: Connection) -> None:
        for notification, at in calls:
            notify(connection, notification, guests, at)

    return call


def turn_due(room: Room, note: Notification, guest: str) -> bool | datetime:
    """Return whether a player still has the decision that they are told of, or from when on their time is short."""
    match, seat = room.match, room.table.seat_of(guest)
    if match is None or seat is None or room.table.status != "running" or seat in match.stand_ins:
        return False
    if (match.actor, match.next_number) != (seat, note.number):
        return False
    if note.kind == "turn":
        return True
    deadline = room.deadline
    return False if deadline is None or room.clocks is None else deadline - margin(room.clocks.clock)
