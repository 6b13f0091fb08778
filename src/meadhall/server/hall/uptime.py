"""The downtimes of the hall. While no process of it ran, no clock ran.

Every few seconds a process notes in the database that it is alive. If no process did so for a while, because none ran, all were
frozen, or the database was away, the time between is stored as a downtime.

A process alone, on SQLite, knows by itself how long it runs. It writes only while a clock waits.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.hall.clocks import Standstill, standstills
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


class Uptime:
    """The downtimes of the hall, as far as this process knows them.

    Attributes:
        standstills: the times in which no clock ran. A new tuple when a downtime was added.
        on_change: called when a downtime was added.
    """

    def __init__(self, store: Store) -> None:
        self.standstills: tuple[Standstill, ...] = ()
        self.on_change: Callable[[], None] = lambda: None
        self._store = store
        self._time = store.time
        self._seen_at: datetime | None = None
        self._last: datetime | None = None  # when the last known downtime ended

    async def begin(self) -> None:
        """Note that this process has started, and the downtime that ended with it. Raises DatabaseUnavailable."""

        def start(connection: Connection) -> list[Downtime]:
            alone = not self._store.shared or not uptime.others_run(connection)
            if self._store.shared or uptime.has_clocks(connection):
                self._beat(connection, timedelta(0) if alone else GAP)
            return uptime.downtimes(connection)

        self._keep(await self._store.transact(start))

    async def keep(self) -> None:
        """Note every few seconds that this process is alive, until cancelled."""
        while True:
            await self._time.sleep(INTERVAL)
            try:
                await self.beat()
            except DatabaseUnavailable as error:
                log.warning("could not note that this process is alive: %s", error)

    async def beat(self) -> None:
        """Note that this process is alive, and learn of all downtimes. Raises DatabaseUnavailable."""

        def note(connection: Connection) -> list[Downtime] | None:
            if self._store.shared:
                self._beat(connection, GAP)
            elif uptime.is_waiting(connection, CLOCK_JOB):
                self._beat(connection, GAP, self._seen_at)
            return None if uptime.last_downtime(connection) == self._last else uptime.downtimes(connection)

        found = await self._store.transact(note)
        self._seen_at = self._time.now()
        if found is not None:
            self._keep(found)
            self.on_change()

    def _beat(self, connection: Connection, gap: timedelta, seen_at: datetime | None = None) -> None:
        downtime = uptime.beat(connection, gap, seen_at)
        if downtime is not None:
            by = downtime.ended_at - downtime.began_at
            uptime.postpone(connection, CLOCK_JOB, downtime.began_at, by)
            log.info("no process of the hall ran for %.1f s before %s", by.total_seconds(), downtime.ended_at)

    def _keep(self, downtimes: list[Downtime]) -> None:
        self._seen_at = self._time.now()
        self._last = max((downtime.ended_at for downtime in downtimes), default=None)
        self.standstills = standstills(downtimes)
