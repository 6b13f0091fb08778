"""When a match calls a player: it is their turn, or their time is short.

A match with a slow clock, or with none, tells a player of their turn. While a live clock runs, players are expected to stay. The
time is short at the end of each decision with a clock.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection

from meadhall.engine.match.match import Match
from meadhall.server.hall.action_numbers import is_current
from meadhall.server.hall.notices.notifications import PAUSE, Notification, notify
from meadhall.server.hall.time.clocks import Clocks
from meadhall.server.store.clock import Clock
from meadhall.server.store.models import TableRow

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


@dataclass(frozen=True)
class TurnCalls:
    """Calls of the players to move, an effect of the transaction that begins their decision.

    Attributes:
        of_seats: for each seat its notifications, each with the time at which it is due, and the guests who hold the seat.
    """

    of_seats: Sequence[tuple[Sequence[tuple[Notification, datetime]], Collection[str]]]

    def __call__(self, connection: Connection) -> None:
        """Store the notifications."""
        for calls, guests in self.of_seats:
            for notification, at in calls:
                notify(connection, notification, guests, at)

    @property
    def due_at(self) -> datetime:
        """When the first of them is due."""
        return min(at for calls, _guests in self.of_seats for _notification, at in calls)


def calls_after(
    table: TableRow,
    before: Match | None,
    match: Match,
    clocks_before: Clocks | None,
    clocks: Clocks | None,
    looking: Collection[int],
    at: datetime,
) -> TurnCalls | None:
    """Return the calls of the players to move; None if no player needs a call.

    Args:
        table: the table of the match.
        before: the match before the change; None at its start.
        match: the match after it.
        clocks_before: the clocks before it.
        clocks: the clocks after it.
        looking: the seats to move whose players have a page of the table in front of them. In a match without a clock such
            players aren't called.
        at: the time of the change.
    """
    if match.ended or table.daily is not None:
        return None
    calls = [
        (guest_calls, table.seats[seat].guests)
        for seat in match.deciders
        if table.seats[seat].kind == "human" and seat not in match.stand_ins
        for guest_calls in [_calls_of(seat, table, before, match, clocks_before, clocks, seat in looking, at)]
        if guest_calls
    ]
    return TurnCalls(calls) if calls else None


def _calls_of(
    seat: int,
    table: TableRow,
    before: Match | None,
    match: Match,
    clocks_before: Clocks | None,
    clocks: Clocks | None,
    is_looking: bool,
    at: datetime,
) -> list[tuple[Notification, datetime]]:
    """Return the calls of one seat, and when they are due."""
    deadline = None if clocks is None else clocks.deadline_of(seat)
    calls: list[tuple[Notification, datetime]] = []
    until = None if deadline is None else max(deadline, at) + _EXTRA
    is_new = before is None or seat not in before.deciders or (before.stand_ins.keys() != match.stand_ins.keys())
    if is_new and (not is_looking if clocks is None else deadline is not None and not clocks.clock.is_live):
        calls.append((Notification("turn", table.id, match.next_number, until=until), at + PAUSE))
    if clocks is not None and deadline is not None and deadline != (clocks_before and clocks_before.deadline_of(seat)):
        short_at = deadline - margin(clocks.clock)
        if short_at > at + _LIVE_MARGIN:
            calls.append((Notification("short", table.id, match.next_number, until=until), short_at))
    return calls


def turn_due(room: Room, note: Notification, guest: str) -> bool | datetime:
    """Return whether a player still has the decision that they are told of, or from when on their time is short."""
    match, seat = room.match, room.table.seat_of(guest)
    if match is None or seat is None or room.table.status != "running" or seat in match.stand_ins:
        return False
    if seat not in match.deciders or not is_current(match, seat, note.number):
        return False
    if note.kind == "turn":
        return True
    deadline = None if room.running_clocks is None else room.running_clocks.deadline_of(seat)
    return False if deadline is None or room.clocks is None else deadline - margin(room.clocks.clock)
