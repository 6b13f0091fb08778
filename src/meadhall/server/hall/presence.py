"""Keep track of the people in the hall, the people at each table, and the players away from a running match."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from math import inf
from typing import Final

from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.hall.clocks import Outage, deadline_after
from meadhall.server.hall.notices.pubsub import Subscriber
from meadhall.server.hall.services import TableRoom
from meadhall.server.hall.state import TableState
from meadhall.server.ops.time import Time, Timer
from meadhall.server.store import matches
from meadhall.server.store.database import Db
from meadhall.server.store.models import SeatRow
from meadhall.server.store.store import Store

# -------------------------------------------------------------------------------------------------------------------- in the hall

# The numbers of guests in the hall and of matches that are played.
#
# A guest is here for a minute after each request of a page in front of them, and as long as a page of theirs has a stream, which
# a page in the background hasn't. Nothing of it is stored.


_LASTING: Final = 60.0
"""Seconds until a guest has left who isn't seen again. The home page loads itself again, and streams beat, more often."""


class _Recent:
    """Ids and when each was seen last, the oldest first."""

    def __init__(self, time: Time, lasting: float) -> None:
        self._time = time
        self._lasting = lasting
        self._seen: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of ids that were seen a moment ago."""
        while self._seen and next(iter(self._seen.values())) <= self._time.seconds() - self._lasting:
            self._seen.popitem(last=False)
        return len(self._seen)

    def __contains__(self, id: str) -> bool:
        """Return whether an id was seen a moment ago."""
        return self._seen.get(id, -inf) > self._time.seconds() - self._lasting

    def note(self, id: str) -> None:
        """Note that an id is seen now."""
        self._seen[id] = self._time.seconds()
        self._seen.move_to_end(id)


class Attendance:
    """The guests and running matches that the hall has seen a moment ago."""

    def __init__(self, time: Time) -> None:
        self._guests, self._matches = _Recent(time, _LASTING), _Recent(time, _LASTING)

    def note(self, guest: str, match: str = "") -> None:
        """Note that a guest is here. ``match``: the id of the table where this guest plays now."""
        self._guests.note(guest)
        if match:
            self._matches.note(match)

    def is_here(self, guest: str) -> bool:
        """Return whether a guest is here."""
        return guest in self._guests

    @property
    def guests(self) -> int:
        """The number of guests who are here."""
        return len(self._guests)

    @property
    def matches(self) -> int:
        """The number of matches whose players are here."""
        return len(self._matches)


# --------------------------------------------------------------------------------------------------------------------- at a table

# The guests at the table of one room: open pages, and requests of pages without a stream.


VISIT_SECONDS = 20.0
"""How long after a request a guest counts as present. Pages without JavaScript, and hidden ones, reload more often."""

CLOSING_SECONDS = 2.0
"""How long after the end of a page's stream its guest counts as present: a page that is loaded again has a new stream by then."""

HIDDEN_SECONDS = 75.0
"""How long it is after a request of a hidden page: browsers let such a page wake once a minute."""

_MAX_VISITS = 200
"""Number of guests whose last request is remembered; beyond it those are forgotten who have left."""


class Visits:
    """The guests at one table.

    Attributes:
        last: when guests sent their last requests, in seconds of the monotonic clock.

    Args:
        room: the room of the table.
        on_leaving: called when a page was closed.
    """

    def __init__(self, room: TableRoom, on_leaving: Callable[[], None]) -> None:
        self.last: dict[str, float] = {}
        self._room = room
        self._on_leaving = on_leaving
        self._time = room.time

    def open_pages(self) -> Counter[int | None]:
        """Return the number of open pages by seat; the pages of spectators are counted under None."""
        return Counter(self._room.table.seat_of(guest) for guest in self._room.channel.guests().elements())

    def is_here(self, seat: SeatRow) -> bool:
        """Return whether a seat's player has an open page, or has sent a request a moment ago. A bot is always here."""
        return seat.kind == "bot" or any(self.has_page(guest) for guest in seat.guests)

    def has_page(self, guest: str) -> bool:
        """Return whether a guest is here: a page is open, or one without JavaScript has just sent a request."""
        return self._room.channel.has(guest) or self.last.get(guest, -inf) > self._time.seconds() - VISIT_SECONDS

    def is_looking(self, guest: str) -> bool:
        """Return whether a guest has a page of the table in front of them. A hidden page has no stream."""
        return self._room.channel.has(guest)

    def looking(self, state: TableState) -> set[int]:
        """Return the seats to move whose players have a page of the table in front of them."""
        deciders = () if state.match is None else state.match.deciders
        return {seat for seat in deciders if any(map(self.is_looking, state.table.seats[seat].guests))}

    def note(self, guest: str, is_hidden: bool = False) -> None:
        """Record a request of a guest, and publish that they are here now, and later that they are not."""
        room, longer = self._room, HIDDEN_SECONDS - VISIT_SECONDS if is_hidden else 0.0
        was_here = self.has_page(guest)
        self.last[guest] = self._time.seconds() + longer
        if len(self.last) > _MAX_VISITS:
            for each in [each for each in self.last if not self.has_page(each)]:
                del self.last[each]
        waits = room.table.status in ("gathering", "running") and room.table.seat_of(guest) is not None
        if waits and not room.channel.has(guest):
            if not was_here:
                room.publish()
            self._publish_leaving_later(guest, VISIT_SECONDS + longer)

    def _publish_leaving_later(self, guest: str, seconds: float) -> None:
        later = seconds + 0.1  # timers may come a little early
        self._time.call_later(later, partial(self._publish_leaving, guest))

    def _publish_leaving(self, guest: str) -> None:
        if guest in self.last and not self.has_page(guest):
            del self.last[guest]
            self._room.publish()

    @contextmanager
    def subscribe(self, guest: str, page: str = "") -> Iterator[Subscriber]:
        """Subscribe a page of the guest with that id until the end of the block. The other players see the guest online."""
        room = self._room
        try:
            with room.channel.subscribe(guest, page) as subscriber:
                self.last.pop(guest, None)  # from now on the stream tells
                self._publish_presence(guest)
                try:
                    yield subscriber
                finally:
                    self._publish_presence(guest)
                    if guest in self.last:  # a move made on this page counts as a visit, which ends soon after the page
                        self.last[guest] = min(self.last[guest], self._time.seconds() - VISIT_SECONDS + CLOSING_SECONDS)
                        self._publish_leaving_later(guest, CLOSING_SECONDS)
        finally:
            self._on_leaving()

    def _publish_presence(self, guest: str) -> None:
        """Publish that a seat came online or went offline. Spectators are counted at the next change."""
        seat = self._room.table.seat_of(guest)
        if seat is not None and self.open_pages()[seat] <= 1:
            self._room.publish()


# --------------------------------------------------------------------------------------------------------------------------- away

# Absences: the times since which players of a running match have had no open page.
#
# After a while the other people at the table may let a bot play for an absent player, until that player returns. So no match
# can be frozen by an absence, also without a clock.
#
# Departures are stored, so that an absence lasts over restarts of the hall. They are stored a moment later: a page that is
# loaded again is no absence.


LIVE_LIMIT: Final = timedelta(minutes=2)
"""How long a player of a match with a live clock must be away before a bot may play for them."""

LIMIT: Final = timedelta(days=3)
"""The same in a match with a slow clock or without a clock."""

_STORED_AFTER: Final = 45.0
"""Seconds after which a departure is stored. A hidden page of a browser that saves power still sends a request every minute."""


class Absences:
    """The players of one table who are away. Only tables with several people have absences.

    Attributes:
        since: the times since which they have been away, by seat. A seat whose player is here, or that a bot has, is not in it.
    """

    def __init__(self, room: TableRoom, store: Store, outages: Callable[[], tuple[Outage, ...]]) -> None:
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
            self.since = self._store.transact(partial(matches.departures_of, table=self._room.table.id))
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
        clocks = self._room.state.clocks
        return deadline_after(since, limit, self._outages() if clocks is None else clocks.still(seat))

    def look(self) -> None:
        """Note which players are here now. Call it after every possible change."""
        table = self._room.table
        if not self.since and self._room.channel.has_all([row.guests for row in table.seats if row.kind == "human"]):
            return  # as with most moves
        people = () if self._is_closed else self._people()
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
            self._write(partial(matches.remove_departure, table=self._room.table.id, seat=seat))

    def _keep(self) -> None:
        """Store the departures of players who are still away."""
        self._keeping = None
        for seat in {row.seat for row in self._people()} & self.since.keys() - self._stored:
            self._stored.add(seat)
            self._write(partial(matches.add_departure, table=self._room.table.id, seat=seat, left_at=self.since[seat]))

    def _write(self, work: Callable[[Db], None]) -> None:
        with suppress(DatabaseUnavailable):  # the absence is shorter after a restart
            self._store.transact(work)
