"""The numbers of guests in the hall and of matches that are played.

A guest is here for a minute after each request of a page, and as long as a page of theirs has a stream. Nothing of it is stored.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from meadhall.server.ops.time import Time

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

    @property
    def guests(self) -> int:
        """The number of guests who are here."""
        return len(self._guests)

    @property
    def matches(self) -> int:
        """The number of matches whose players are here."""
        return len(self._matches)
