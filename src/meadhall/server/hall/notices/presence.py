"""The guests at each table at the other processes of this hall. Processes tell each other; nothing of it is stored.

A process tells who of a table's players is there, and how many spectators, when it changes, and tells everything when another
process has begun to listen. Of a process that was killed nothing is heard any more, and after a while its guests count as gone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from meadhall.server.store.notices import Notice
from meadhall.server.store.store import Store

ALIVE_INTERVAL: Final = 5.0
"""Seconds between two messages of a process that it is alive."""

SILENCE: Final = 3 * ALIVE_INTERVAL
"""Seconds without a message after which the guests of a process count as gone."""

_MAX_GUESTS: Final = 200
"""Number of a table's players that one message names: a notice has at most 8000 bytes. A player may have many devices."""


@dataclass(frozen=True)
class Present:
    """The guests at a table at one process.

    Attributes:
        pages: the number of open pages of each player who is there; 0 if the player only sends requests.
        spectators: the number of open pages of others.
    """

    pages: Mapping[str, int] = field(default_factory=dict)
    spectators: int = 0

    def __bool__(self) -> bool:
        return bool(self.pages or self.spectators)

    def words(self) -> tuple[str, ...]:
        """Return it as words of a notice."""
        return str(self.spectators), *(f"{guest}={pages}" for guest, pages in list(self.pages.items())[:_MAX_GUESTS])

    @classmethod
    def of_words(cls, spectators: str, *guests: str) -> Present:
        """Return what the words of a notice say."""
        pairs = (guest.partition("=") for guest in guests)
        return cls({guest: int(pages) for guest, _, pages in pairs}, int(spectators))


_EMPTY: Final = Present()


class Presence:
    """The guests at other processes, and the guests here that other processes know of.

    Args:
        changed: called with the id of a table when its players at other processes come or go.
        recount: called with the id of a table to call ``tell`` with who is there now.
    """

    def __init__(self, store: Store, changed: Callable[[str], None], recount: Callable[[str], None]) -> None:
        self._store = store
        self._time = store.time
        self._changed = changed
        self._recount = recount
        self._told: dict[str, Present] = {}  # by table
        self._elsewhere: defaultdict[str, dict[str, Present]] = defaultdict(dict)  # by process and table
        self._heard_at: dict[str, float] = {}  # by process, in seconds of the monotonic clock
        if store.listener is not None:
            store.listener.on("presence", self._hear)
            store.listener.on("hello", self._hear_hello)
            store.listener.on("alive", self._hear_alive)
            store.listener.on("bye", self._hear_bye)
            store.listener.on_gap(self._begin)

    # ------------------------------------------------------------------------------------------------------------ elsewhere

    def has(self, table: str, guest: str) -> bool:
        """Return whether a player is at a table at another process."""
        return any(guest in tables[table].pages for tables in self._elsewhere.values() if table in tables)

    def pages(self, table: str) -> Counter[str]:
        """Return the number of open pages at other processes, by player of the table."""
        counts: Counter[str] = Counter()
        for tables in self._elsewhere.values():
            counts.update(tables.get(table, _EMPTY).pages)
        return counts

    def spectators(self, table: str) -> int:
        """Return the number of open pages of spectators at other processes."""
        return sum(tables.get(table, _EMPTY).spectators for tables in self._elsewhere.values())

    def tables(self) -> set[str]:
        """Return the ids of the tables that have players at any process."""
        return {table for tables in (self._told, *self._elsewhere.values()) for table, who in tables.items() if who.pages}

    # -------------------------------------------------------------------------------------------------------------- telling

    def announce(self, table: str, present: Present) -> bool:
        """Tell the other processes which guests are at a table at this one, if it has changed. Return whether it has."""
        if self._store.listener is None or self._told.get(table, _EMPTY) == present:
            return False
        if present:
            self._told[table] = present
        else:
            self._told.pop(table, None)
        self._store.announce("presence", table, *present.words())
        return True

    async def keep_alive(self) -> None:
        """Tell the others that this process is alive, and notice when they are not, until cancelled."""
        while True:
            self._store.announce("alive")
            await self._time.sleep(ALIVE_INTERVAL)
            silent = [process for process, heard in self._heard_at.items() if heard < self._time.seconds() - SILENCE]
            for process in silent:
                self._drop(process)
            for table in tuple(self._told):  # of a page without a stream, no request says that it was closed
                self._recount(table)

    async def leave(self) -> None:
        """Tell the others that this process ends."""
        self._store.announce("bye")
        await self._store.synced()  # then it has been sent

    def _begin(self) -> None:
        self._store.announce("hello")
        self._tell_everything()

    def _tell_everything(self) -> None:
        for table, present in self._told.items():
            self._store.announce("presence", table, *present.words())

    # -------------------------------------------------------------------------------------------------------------- hearing

    def _hear(self, notice: Notice) -> None:
        self._hear_alive(notice)
        table, *words = notice.words
        tables, present = self._elsewhere[notice.sender], Present.of_words(*words)
        before = tables.get(table, _EMPTY)
        if present:
            tables[table] = present
        else:
            tables.pop(table, None)
        if before.pages.keys() != present.pages.keys():
            self._changed(table)

    def _hear_alive(self, notice: Notice) -> None:
        self._heard_at[notice.sender] = self._time.seconds()

    def _hear_hello(self, notice: Notice) -> None:
        self._drop(notice.sender)  # it tells everything again
        self._hear_alive(notice)
        self._tell_everything()

    def _hear_bye(self, notice: Notice) -> None:
        self._drop(notice.sender)

    def _drop(self, process: str) -> None:
        self._heard_at.pop(process, None)
        for table, present in self._elsewhere.pop(process, {}).items():
            if present.pages:
                self._changed(table)
