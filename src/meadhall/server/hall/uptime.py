"""The downtimes of the hall. While it didn't run, no clock ran.

The hall knows by itself how long it runs. While a clock waits, it notes every few seconds in the database that it is alive. If it
didn't for a while, because it was stopped or frozen, or nothing could be stored, the time between is stored as a downtime.

If the date of the machine is set while the hall runs, no clock jumps, because the time of the hall goes on as before
(``ops/time.py``). The notes carry that time over restarts. The hall follows the new date when it is started again, or as soon as
no match with a clock is running.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.hall.clocks import Outage, outages
from meadhall.server.store import jobs, uptime
from meadhall.server.store.database import Db
from meadhall.server.store.store import Store
from meadhall.server.store.uptime import Downtime

log = logging.getLogger(__name__)

CLOCK_JOB: Final = "clock"
"""The kind of the jobs that wait for the deadlines of clocks."""

INTERVAL: Final = 5.0
"""Seconds between two notes that the hall is alive."""

GAP: Final = timedelta(seconds=3 * INTERVAL)
"""A pause that is longer than this was a downtime. A busy machine can be late."""


_JUMP: Final = 2.0
"""Seconds by which the date of the machine must change at once to count as set. A leap second is less."""

_FARTHEST: Final = timedelta(days=1)
"""By how much the time of the hall may stay ahead of the machine's date after a restart. Beyond it, that time was wrong."""


class Uptime:
    """The downtimes of the hall.

    Attributes:
        outages: the times in which no clock ran. A new tuple when a downtime was added.
        on_change: called when a downtime was added.
    """

    def __init__(self, store: Store) -> None:
        self.outages: tuple[Outage, ...] = ()
        self.on_change: Callable[[], None] = lambda: None
        self._store = store
        self._time = store.time
        self._seen_at: datetime | None = None  # when the database answered last
        self._ran_at: datetime | None = None  # when it was asked last
        self._has_run = False  # whether this process was never frozen since the database answered last
        self._mark: tuple[float, ...] = ()  # of the known downtimes
        self._ahead = 0.0  # by how many seconds the time of the hall was ahead of the machine's date

    def begin(self) -> None:
        """Note that the hall has started, and the downtime that ended with it. Raises DatabaseUnavailable."""

        def start(db: Db) -> list[Downtime]:
            if uptime.has_clocks(db):
                self._go_on(db)
                self._beat(db, timedelta(0))
            return self._read(db)

        self._keep(self._store.transact(start))

    async def beat_regularly(self) -> None:
        """Note every few seconds that the hall is alive, until cancelled."""
        while True:
            await self._time.sleep(INTERVAL)
            try:
                self.beat()
            except DatabaseUnavailable as error:
                log.warning("could not note that the hall is alive: %s", error)

    def beat(self) -> None:
        """Note that the hall is alive, and learn of a downtime. Raises DatabaseUnavailable."""
        ran_at, self._ran_at = self._ran_at, self._time.now()
        self._has_run = self._has_run and ran_at is not None and self._ran_at - ran_at <= GAP

        def note(db: Db) -> list[Downtime] | None:
            self._compare_dates(db)
            if jobs.is_waiting(db, CLOCK_JOB):
                self._beat(db, GAP, self._seen_at)
            return None if uptime.downtimes_mark(db) == self._mark else self._read(db)

        found = self._store.transact(note)
        self._seen_at, self._has_run = self._time.now(), True
        if found is not None:
            self._keep(found)
            self.on_change()

    def _go_on(self, db: Db) -> None:
        """Let the time of the hall go on where it was: it must not go back."""
        last = uptime.last_beat(db)
        ahead = timedelta(0) if last is None else last - self._time.now()
        if timedelta(0) < ahead <= _FARTHEST:
            self._time.shift(ahead.total_seconds())
            self._ahead = self._time.ahead()
            if abs(self._ahead) > _JUMP:
                log.warning("the hall goes on in its own time, %.1f s ahead of the clock of this machine", self._ahead)

    def _compare_dates(self, db: Db) -> None:
        """Log that the date of the machine was set, and follow it if no clock can be wrong then."""
        ahead = self._time.ahead()
        if abs(ahead - self._ahead) > _JUMP:
            how = "back" if ahead > self._ahead else "forward"
            by = abs(ahead - self._ahead)
            log.warning("the clock of this machine was set %s by %.1f s; no clock of a match jumps", how, by)
            self._ahead = ahead
        if abs(ahead) > _JUMP and not uptime.has_clocks(db):
            self._time.shift(-ahead)
            self._seen_at, self._ahead = self._time.now(), 0.0

    def _beat(self, db: Db, gap: timedelta, seen_at: datetime | None = None) -> None:
        downtime = uptime.beat(db, gap, seen_at)
        if downtime is not None:
            by = downtime.ended_at - downtime.began_at
            jobs.postpone_all(db, CLOCK_JOB, downtime.began_at, by)
            why = "the database did not answer" if self._has_run else "the hall did not run"
            log.info("%s for %.1f s before %s; no clock ran", why, by.total_seconds(), downtime.ended_at)

    def _read(self, db: Db) -> list[Downtime]:
        self._mark = uptime.downtimes_mark(db)
        return uptime.downtimes(db)

    def _keep(self, downtimes: list[Downtime]) -> None:
        self._seen_at = self._ran_at = self._time.now()
        self._has_run = True
        self.outages = outages(downtimes)
