"""Absences: the times since which players of a running match have had no open page.

After a while the other people at the table may let a bot play for an absent player, until that player returns. So no match can be
frozen by an absence, also without a clock.

Departures are stored, so that an absence lasts over restarts of the hall. They are stored a moment later: a page that is loaded
again is no absence.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Final, Protocol

from sqlalchemy import Connection

from meadhall.engine.match.match import Match
from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.hall.notices.pubsub import Channel
from meadhall.server.hall.notices.visits import Visits
from meadhall.server.hall.time.clocks import Clocks, Outage, deadline_after
from meadhall.server.ops.time import Timer
from meadhall.server.store.models import SeatRow, TableRow
from meadhall.server.store.queries import departures
from meadhall.server.store.store import Store

LIVE_LIMIT: Final = timedelta(minutes=2)
"""How long a player of a match with a live clock must be away before a bot may play for them."""

LIMIT: Final = timedelta(days=3)
"""The same in a match with a slow clock or without a clock."""

_STORED_AFTER: Final = 45.0
"""Seconds after which a departure is stored. A hidden page of a browser that saves power still sends a request every minute."""


class AbsenceRoom(Protocol):
    """The parts of a room that its absences use."""

    channel: Channel
    visits: Visits

    @property
    def table(self) -> TableRow:
        """The stored table."""

    @property
    def match(self) -> Match | None:
        """Its match; None before the start."""

    @property
    def clocks(self) -> Clocks | None:
        """Its clocks; None without a clock."""


class Absences:
    """The players of one table who are away. Only tables with several people have absences.

    Attributes:
        since: the times since which they have been away, by seat. A seat whose player is here, or that a bot has, is not in it.
    """

    def __init__(self, room: AbsenceRoom, store: Store, outages: Callable[[], tuple[Outage, ...]]) -> None:
        self._room = room
        self._store = store
        self._time = store.time
        self._outages = outages
        self.since: dict[int, datetime] = {}
        self._stored: set[int] = set()
        self._keeping: Timer | None = None
        self._is_closed = False

    def load(self) -> None:
        """Read when players have left, after the match was replayed. A departure that isn't stored begins now."""
        if self._people():
            self.since = self._store.transact(partial(departures.of_table, table=self._room.table.id))
            self._stored = set(self.since)
        self.look()

    def may_be_replaced_at(self, seat: int) -> datetime | None:
        """Return the time from which on a bot may play for a seat; None if its player is here.

        Downtimes and holidays don't count.
        """
        since = self.since.get(seat)
        if since is None:
            return None
        clock = self._room.table.clock
        limit = LIVE_LIMIT if clock is not None and clock.is_live else LIMIT
        clocks = self._room.clocks
        return deadline_after(since, limit, self._outages() if clocks is None else clocks.still(seat))

    def look(self) -> None:
        """Note which players are here now. Call it after every possible change."""
        table = self._room.table
        if not self.since and self._room.channel.has_all([row.guests for row in table.seats if row.kind == "human"]):
            return  # as with most moves
        people = () if self._is_closed else self._people()
        for row in self._room.table.seats:
            if row.kind != "human":  # in development mode a bot may get the seat
                self._note_return(row.seat)
        for row in people:
            if self._room.visits.is_here(row):
                self._note_return(row.seat)
            elif row.seat not in self.since:
                self.since[row.seat] = self._time.now()
        if any(row.seat in self.since and row.seat not in self._stored for row in people) and self._keeping is None:
            self._keeping = self._time.call_later(_STORED_AFTER, self._keep)

    def close(self) -> None:
        """Note nothing any more: the hall stops, and closes all its pages."""
        self._is_closed = True
        if self._keeping is not None:
            self._keeping.cancel()

    def _people(self) -> list[SeatRow]:
        table = self._room.table
        people = [row for row in table.seats if row.kind == "human"]
        return people if table.status == "running" and self._room.match is not None and len(people) > 1 else []

    def _note_return(self, seat: int) -> None:
        left = self.since.pop(seat, None)
        if left is not None and (seat in self._stored or (self._time.now() - left).total_seconds() > _STORED_AFTER / 2):
            self._stored.discard(seat)
            self._write(partial(departures.remove, table=self._room.table.id, seat=seat))

    def _keep(self) -> None:
        """Store the departures of players who are still away."""
        self._keeping = None
        for seat in {row.seat for row in self._people()} & self.since.keys() - self._stored:
            self._stored.add(seat)
            self._write(partial(departures.add, table=self._room.table.id, seat=seat, left_at=self.since[seat]))

    def _write(self, work: Callable[[Connection], None]) -> None:
        with suppress(DatabaseUnavailable):  # the absence is shorter after a restart
            self._store.transact(work)
