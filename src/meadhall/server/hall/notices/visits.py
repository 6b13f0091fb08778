"""The guests at the table of one room: open pages, and requests of pages without a stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import inf

from meadhall.server.hall.notices.pubsub import Subscriber
from meadhall.server.hall.services import TableRoom
from meadhall.server.hall.state import TableState
from meadhall.server.store.models import SeatRow

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
