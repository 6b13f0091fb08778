"""Leases: which tables this process drives. Of all processes of a hall, one drives a table: it plays for the bots there.

The usual hall is a single process on SQLite. It drives every table, without a write to the database (``SoleLeases``). Processes
that share a PostgreSQL database have one lease each, and every running table names the process that drives it
(``SharedLeases``; docs/decisions/0015-leases.md).
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

from sqlalchemy.exc import SQLAlchemyError

from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.ops.log_limit import OncePerInterval
from meadhall.server.store.models import ClaimedTable, LeaseLost, new_id
from meadhall.server.store.queries import leases, tables
from meadhall.server.store.store import Store

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

RENEWAL_INTERVAL: Final = 0.8
"""Seconds between two renewals of a lease."""

_MARGIN: Final = 0.2
"""Seconds before its end in which a lease is not used any more: an action that is under way may take so long."""

_BATCH: Final = 50
"""Number of tables that a process takes over at a time. Those that remain go to whichever process is ready for more first."""

_LEAVE_TIMEOUT: Final = 1.0
"""Seconds that a clean stop waits for the database. If it doesn't answer, the lease expires by itself."""


class Leases(Protocol):
    """Which tables this process drives.

    Attributes:
        process: the id under which this process claims tables and jobs; None if it is the only one.
        tables_free: set when running tables may need a driver: ``acquire`` returns them.
        jobs_due: set when jobs may be due that no process works on.
    """

    process: str | None
    tables_free: asyncio.Event
    jobs_due: asyncio.Event

    def holds(self, table: str) -> bool:
        """Return whether this process drives the table now. Only then may it act for the table by itself."""

    def held(self) -> frozenset[str]:
        """Return the tables for which this process must follow the moves at other processes."""

    async def claim(self, table: str) -> None:
        """Drive a table whose match has just begun, unless another process was faster."""

    def add_game(self, name: str, rules: int) -> None:
        """Drive tables of this game, with this version of its rules, from now on."""

    async def acquire(self) -> Sequence[ClaimedTable]:
        """Drive running tables that no process drives, a number of them at a time. Raises DatabaseUnavailable."""

    def forget(self, table: str) -> None:
        """Forget a table whose match is over."""

    async def renew_lease(self) -> None:
        """Renew the lease again and again, until the task is cancelled."""

    async def leave(self) -> None:
        """Let other processes take over at once. Call it last, when nothing acts for a table any more."""


def open_leases(store: Store) -> Leases:
    """Return the leases of this process."""
    return SharedLeases(store) if store.shared else SoleLeases(store)


class SoleLeases(Leases):
    """The leases of the only process of a hall, which drives all tables."""

    def __init__(self, store: Store) -> None:
        self.process = None
        self.tables_free = asyncio.Event()
        self.jobs_due = asyncio.Event()
        self._store = store
        self._new_games: list[str] = []

    def holds(self, _table: str) -> bool:
        return True

    def held(self) -> frozenset[str]:
        return frozenset()

    async def claim(self, table: str) -> None:
        pass

    def add_game(self, name: str, _rules: int) -> None:
        self._new_games.append(name)

    async def acquire(self) -> Sequence[ClaimedTable]:
        """Return the tables of the new games where a bot may be the seat to move."""
        found: list[ClaimedTable] = []
        for name in tuple(self._new_games):
            found += [ClaimedTable(table, has_bots=True) for table in await self._store.transact(tables.running_with_bots, name)]
            self._new_games.remove(name)
        return found

    def forget(self, table: str) -> None:
        pass

    async def renew_lease(self) -> None:
        pass

    async def leave(self) -> None:
        pass


class SharedLeases(Leases):
    """The leases of one of several processes, which share a PostgreSQL database.

    A process renews its lease every ``RENEWAL_INTERVAL``. While it can't, for example because it was frozen or the network is
    cut, it stops acting before the lease expires, and another process takes over. It finds out when it comes back, and joins
    again under a new id.
    """

    def __init__(self, store: Store) -> None:
        self.process = new_id()
        self.tables_free = asyncio.Event()
        self.jobs_due = asyncio.Event()
        self._store = store
        self._time = store.time
        self._name = f"{socket.gethostname()}, process {os.getpid()}"
        self._games: dict[str, int] = {}
        self._held: set[str] = set()
        self._is_member = False
        self._valid_until = 0.0  # by the monotonic clock, which goes on while a process is frozen

    @property
    def is_valid(self) -> bool:
        """Whether the lease of this process is valid."""
        return self._is_member and self._time.seconds() < self._valid_until - _MARGIN

    def holds(self, table: str) -> bool:
        return table in self._held and self.is_valid

    def held(self) -> frozenset[str]:
        return frozenset(self._held)

    async def claim(self, table: str) -> None:
        process = self.process
        assert process is not None
        with suppress(DatabaseUnavailable, LeaseLost):  # then the next renewal finds the table
            claimed = await self._store.transact(partial(leases.claim_table, id=process, table=table))
            if claimed and process == self.process:
                self._held.add(table)

    def add_game(self, name: str, rules: int) -> None:
        self._games[name] = rules

    async def acquire(self) -> Sequence[ClaimedTable]:
        process = self.process
        assert process is not None
        work = partial(leases.claim_tables, id=process, games=dict(self._games), limit=_BATCH)
        try:
            tables = await self._store.transact(work)
        except LeaseLost:
            return ()
        if process != self.process:
            return ()
        self._held.update(table.id for table in tables)
        return tables

    def forget(self, table: str) -> None:
        self._held.discard(table)

    async def renew_lease(self) -> None:
        while True:
            began = self._time.seconds()
            try:
                await self._renew(began)
            except (DatabaseUnavailable, SQLAlchemyError) as error:
                log.warning("the lease of this process could not be renewed: %s", error)
            await self._time.sleep(began + RENEWAL_INTERVAL - self._time.seconds())

    async def _renew(self, began: float) -> None:
        """Renew the lease. It is valid for a while from ``began``, a moment before the database was asked."""
        process, was_valid = self.process, self.is_valid
        assert process is not None
        if not self._is_member:
            await self._store.transact_apart(partial(leases.join, id=process, name=self._name))
            self._is_member = True
        # A process that could not renew in time can't judge the others either: perhaps the database was away for all of them.
        work = partial(leases.renew, id=process, games=dict(self._games), ends_others=was_valid)
        renewal = await self._store.transact_apart(work)
        if not renewal.is_valid:
            log.warning("this process did not renew its lease in time; others drive its %d tables now", len(self._held))
            self._held.clear()
            self._is_member, self.process = False, new_id()
            return await self._renew(self._time.seconds())
        self._valid_until = began + leases.LEASE_SECONDS
        if renewal.has_free_tables or not was_valid:
            self.tables_free.set()
        if renewal.has_overdue_jobs or not was_valid:
            self.jobs_due.set()
        await self._store.transact_apart(leases.end_frozen)
        return None

    async def leave(self) -> None:
        self._held.clear()
        if not self._is_member:
            return
        self._is_member = False
        assert self.process is not None
        with suppress(DatabaseUnavailable, SQLAlchemyError, TimeoutError):
            async with asyncio.timeout(_LEAVE_TIMEOUT):
                await self._store.transact_apart(partial(leases.leave, id=self.process, notice=self._store.payload("lease")))
