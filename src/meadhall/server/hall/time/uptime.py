"""The downtimes of the hall. While no process of it ran, no clock ran.

Every few seconds a process notes in the database that it is alive. If no process did so for a while, because none ran, all were
frozen, or the database was away, the time between is stored as a downtime.

A process alone, on SQLite, knows by itself how long it runs. It writes only while a clock waits.

If the date of the machine is set while the hall runs, no clock jumps, because the time of the hall goes on as before
(``ops/time.py``). The notes carry that time over restarts and to new processes. The hall follows the new date when it is started
again, or, on SQLite, as soon as no match with a clock is running.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.hall.time.clocks import Outage, outages
from meadhall.server.store.models import Downtime
from meadhall.server.store.queries import uptime
from meadhall.server.store.store import Store

log = logging.getLogger(__name__)

CLOCK_JOB: Final = "clock"
"""The kind of the jobs that wait for the deadlines of clocks."""

INTERVAL: Final = 5.0
"""Seconds between two notes that a process is alive."""

GAP: Final = timedelta(seconds=3 * INTERVAL)
"""A pause that is longer than this was a downtime. A busy machine can be late."""


_JUMP: Final = 2.0
"""Seconds by which the date of the machine must change at once to count as set. A leap second is less."""

_APART: Final = timedelta(minutes=1)
"""By how much the time of a process may differ from that of the others. The notes don't tell it more exactly than by seconds."""

_FARTHEST: Final = timedelta(days=1)
"""By how much the time of the hall may stay ahead of the machine's date after a restart. Beyond it, that time was wrong."""


class Uptime:
    """The downtimes of the hall, as far as this process knows them.

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
        self._last: datetime | None = None  # when the last known downtime ended
        self._ahead = 0.0  # by how many seconds the time of the hall was ahead of the machine's date

    async def begin(self) -> None:
        """Note that this process has started, and the downtime that ended with it. Raises DatabaseUnavailable."""

        def start(connection: Connection) -> list[Downtime]:
            alone = not self._store.shared or not uptime.others_run(connection)
            if self._store.shared or uptime.has_clocks(connection):
                self._join(connection, alone)
                self._beat(connection, timedelta(0) if alone else GAP)
            return uptime.downtimes(connection)

        self._keep(await self._store.transact(start))

    async def beat_regularly(self) -> None:
        """Note every few seconds that this process is alive, until cancelled."""
        while True:
            await self._time.sleep(INTERVAL)
            try:
                await self.beat()
            except DatabaseUnavailable as error:
                log.warning("could not note that this process is alive: %s", error)

    async def beat(self) -> None:
        """Note that this process is alive, and learn of all downtimes. Raises DatabaseUnavailable."""
        ran_at, self._ran_at = self._ran_at, self._time.now()
        self._has_run = self._has_run and ran_at is not None and self._ran_at - ran_at <= GAP

        def note(connection: Connection) -> list[Downtime] | None:
            self._compare_dates(connection)
            if self._store.shared:
                self._join(connection, alone=False, back=False)
                self._beat(connection, GAP)
            elif uptime.is_waiting(connection, CLOCK_JOB):
                self._beat(connection, GAP, self._seen_at)
            return None if uptime.last_downtime(connection) == self._last else uptime.downtimes(connection)

        found = await self._store.transact(note)
        self._seen_at, self._has_run = self._time.now(), True
        if found is not None:
            self._keep(found)
            self.on_change()

    def _join(self, connection: Connection, alone: bool, back: bool = True) -> None:
        """Let the time of this process be that of the hall, if they differ: the time of the hall must not go back.

        Args:
            alone: whether no other process runs. Then a time without notes was a downtime.
            back: whether the time of this process may go back.
        """
        last = uptime.last_beat(connection)
        if last is None:
            return
        ahead = last - self._time.now()
        is_behind = (timedelta(0) if alone else _APART) < ahead <= _FARTHEST
        if is_behind or (back and not alone and ahead < -_APART):
            self._time.shift(ahead.total_seconds())
            self._ahead = self._time.ahead()
            if abs(self._ahead) > _JUMP:
                log.warning("the hall goes on in its own time, %.1f s ahead of the clock of this machine", self._ahead)

    def _compare_dates(self, connection: Connection) -> None:
        """Log that the date of the machine was set, and follow it if no clock can be wrong then."""
        ahead = self._time.ahead()
        if abs(ahead - self._ahead) > _JUMP:
            how = "back" if ahead > self._ahead else "forward"
            by = abs(ahead - self._ahead)
            log.warning("the clock of this machine was set %s by %.1f s; no clock of a match jumps", how, by)
            self._ahead = ahead
        if abs(ahead) > _JUMP and not self._store.shared and not uptime.has_clocks(connection):
            self._time.shift(-ahead)
            self._seen_at, self._ahead = self._time.now(), 0.0

    def _beat(self, connection: Connection, gap: timedelta, seen_at: datetime | None = None) -> None:
        downtime = uptime.beat(connection, gap, seen_at)
        if downtime is not None:
            by = downtime.ended_at - downtime.began_at
            uptime.postpone(connection, CLOCK_JOB, downtime.began_at, by)
            why = "the database did not answer" if self._has_run else "no process of the hall ran"
            log.info("%s for %.1f s before %s; no clock ran", why, by.total_seconds(), downtime.ended_at)

    def _keep(self, downtimes: list[Downtime]) -> None:
        self._seen_at = self._ran_at = self._time.now()
        self._has_run = True
        self._last = max((downtime.ended_at for downtime in downtimes), default=None)
        self.outages = outages(downtimes)
