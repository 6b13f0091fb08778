"""The numbers of guests in the hall and of matches that are played, at all processes together.

A guest is here for a minute after each request of a page, and as long as a page of theirs has a stream. Processes tell each other
of the guests and matches that they have seen. Nothing of it is stored, and to count asks no database.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from meadhall.server.ops.time import Time
from meadhall.server.store.store import Store

_LASTING: Final = 60.0
"""Seconds until a guest has left who isn't seen again. The home page loads itself again, and streams beat, more often."""

_TOLD_EVERY: Final = 20.0
"""Seconds after which the other processes are told again of the same guest."""


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
        return len(self) > 0 and id in self._seen

    def note(self, id: str) -> None:
        """Note that an id is seen now."""
        self._seen[id] = self._time.seconds()
        self._seen.move_to_end(id)


class Attendance:
    """The guests and running matches that any process of the hall has seen a moment ago."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._guests, self._matches = _Recent(store.time, _LASTING), _Recent(store.time, _LASTING)
        self._told = _Recent(store.time, _TOLD_EVERY)  # what the other processes know from this one
        if store.listener is not None:
            store.listener.on("here", lambda notice: self._see(*notice.words))

    def note(self, guest: str, match: str = "") -> None:
        """Note that a guest is here. ``match``: the id of the table where this guest plays now."""
        self._see(guest, match)
        if f"{guest} {match}" not in self._told:
            self._told.note(f"{guest} {match}")
            self._store.announce("here", guest, *([match] if match else []))

    def _see(self, guest: str, match: str = "") -> None:
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
