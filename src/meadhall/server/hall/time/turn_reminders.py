"""When a match reminds a player: it is their turn, or their time is short.

A match with a slow clock, or with none, tells a player of their turn. While a live clock runs, players are expected to stay. The
time is short at the end of each decision with a clock.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from meadhall.engine.match.match import Match
from meadhall.server.hall.action_numbers import is_current
from meadhall.server.hall.notices.notifications import PAUSE, Notification, notify
from meadhall.server.store.database import Db
from meadhall.server.store.models import Clock

if TYPE_CHECKING:
    from meadhall.server.hall.room import Room
    from meadhall.server.hall.state import TableState

_LIVE_MARGIN: Final = timedelta(seconds=20)
_SLOW_PART: Final = 8
"""The last eighth of a slow clock is short, three hours of a day, but never more than a day."""

_EXTRA: Final = timedelta(days=1)
"""How long after its deadline a message may still be sent: downtimes of the hall move the deadline."""


def margin(clock: Clock) -> timedelta:
    """Return how long before its deadline the time of a decision is short."""
    return _LIVE_MARGIN if clock.is_live else min(timedelta(days=1), timedelta(seconds=clock.seconds) / _SLOW_PART)


@dataclass(frozen=True)
class TurnReminders:
    """Reminders of the players to move, an effect of the transaction that begins their decision.

    Attributes:
        of_seats: for each seat its notifications, each with the time at which it is due, and the guests who hold the seat.
    """

    of_seats: Sequence[tuple[Sequence[tuple[Notification, datetime]], Collection[str]]]

    def __call__(self, db: Db) -> None:
        """Store the notifications."""
        for reminders, guests in self.of_seats:
            for notification, at in reminders:
                notify(db, notification, guests, at)

    @property
    def due_at(self) -> datetime:
        """When the first of them is due."""
        return min(at for reminders, _guests in self.of_seats for _notification, at in reminders)


def reminders_after(before: TableState, after: TableState, looking: Collection[int]) -> TurnReminders | None:
    """Return the reminders of the players to move that a change stores; None if no player needs one.

    ``looking``: the seats to move whose players have a page of the table in front of them. In a match without a clock such
    players aren't reminded.
    """
    match, table = after.match, after.table
    if match is None or match.ended or table.daily is not None:
        return None
    people = [seat for seat in match.deciders if table.seats[seat].kind == "human" and seat not in match.stand_ins]
    found = [(_reminders_of(seat, before, after, match, seat in looking), table.seats[seat].guests) for seat in people]
    of_seats = [(reminders, guests) for reminders, guests in found if reminders]
    return TurnReminders(of_seats) if of_seats else None


def _reminders_of(
    seat: int, before: TableState, after: TableState, match: Match, is_looking: bool
) -> list[tuple[Notification, datetime]]:
    """Return the reminders of one seat, and when they are due."""
    clocks, at, known = after.clocks, after.at, before.match
    deadline = None if clocks is None else clocks.deadline_of(seat)
    reminders: list[tuple[Notification, datetime]] = []
    until = None if deadline is None else max(deadline, at) + _EXTRA
    is_new = known is None or seat not in known.deciders or known.stand_ins.keys() != match.stand_ins.keys()
    if is_new and (not is_looking if clocks is None else deadline is not None and not clocks.clock.is_live):
        reminders.append((Notification("turn", after.table.id, match.next_number, until=until), at + PAUSE))
    if clocks is not None and deadline is not None and deadline != (before.clocks and before.clocks.deadline_of(seat)):
        short_at = deadline - margin(clocks.clock)
        if short_at > at + _LIVE_MARGIN:
            reminders.append((Notification("short", after.table.id, match.next_number, until=until), short_at))
    return reminders


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
