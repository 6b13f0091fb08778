"""The store: everything that must survive a restart, on SQLite or PostgreSQL."""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from functools import partial
from typing import Concatenate, ParamSpec

from alembic.util import CommandError
from filelock import FileLock
from sqlalchemy import URL, Connection
from sqlalchemy.exc import DataError, IntegrityError, ProgrammingError, SQLAlchemyError

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.ops.log_limit import OncePerInterval
from meadhall.server.ops.metrics import TRANSACTION_SECONDS, TRANSACTIONS
from meadhall.server.ops.time import Time
from meadhall.server.ops.tracing import TRACES
from meadhall.server.settings import Settings
from meadhall.server.store import migrations
from meadhall.server.store.before_migration import ensure_backup
from meadhall.server.store.connections import refuse_shared_connections
from meadhall.server.store.database import Database, NoAnswer, NotStored, T, first_line, open_database
from meadhall.server.store.file_lock import StoreUnusable, lock_database
from meadhall.server.store.listener import Listener
from meadhall.server.store.models import (
    Changes,
    Conflict,
    Guest,
    RequestKey,
    TableRow,
    new_id,
)
from meadhall.server.store.notices import Announce, Notice, NoticeKind, in_parts, send
from meadhall.server.store.queries import (
    counters,
    entries,
    guests,
    health,
    idempotency,
    secrets,
    tables,
)
from meadhall.server.store.unit import Unit
from meadhall.server.store.version_stamps import VersionStamps

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

P = ParamSpec("P")

HEALTH_INTERVAL = 1.0
"""Seconds between two health checks: each writes to the database, and anyone may ask for one."""

_LEASE_TIMEOUT = 1.5
"""Seconds after which a query about this process's lease fails. The next one may still come in time."""

_TRIES = 3
"""Number of attempts at a change of several tables when other processes change them at the same time."""


class Store:
    """The hall's database. Open it with ``Store.open``.

    Every method runs one transaction. It raises ``DatabaseUnavailable`` while PostgreSQL does not answer, or while nothing can be
    stored. On PostgreSQL the transaction also tells other processes what it has changed.

    Attributes:
        time: the time of the hall.
        listener: hears of the changes that other processes make; None on SQLite, which only one process uses.
    """

    def __init__(
        self,
        database: Database,
        lock: FileLock | None,
        stamps: VersionStamps,
        time: Time,
        listening_to: URL | None = None,
        apart: Database | None = None,
    ) -> None:
        self.time = time
        self._database = database
        self._apart = database if apart is None else apart
        self._lock = lock
        self._checked_at = -math.inf
        self._is_alive = False
        self._stamps = stamps
        self._name = new_id()
        self.listener = None if listening_to is None else Listener(listening_to, self._name, stamps.witness)

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings, time: Time | None = None, *, upgrades: bool = True) -> AsyncIterator[Store]:
        """Open the database of these settings, and upgrade it to the current schema. Raises StoreBusy, StoreUnusable.

        Args:
            settings: the settings of the hall.
            time: None is that of this machine.
            upgrades: whether it may upgrade the database. Another process may use it with an older schema.
        """
        time = time or Time()
        lock = lock_database(settings.url, settings.data) if settings.embedded else None
        database = open_database(settings.url, time, connections=settings.database_connections)
        apart = None if settings.embedded else open_database(settings.url, time, timeout=_LEASE_TIMEOUT)
        try:
            await _upgrade(settings.url, upgrades)
            starts = await database.transact(lambda connection: counters.next_value(connection, "starts"))
            if settings.embedded:
                yield cls(database, lock, VersionStamps.of_start(time, starts), time)
            else:
                yield cls(
                    database, lock, VersionStamps.shared(time, await database.transact(health.clock)), time, settings.url, apart
                )
        finally:
            await database.close()
            if apart is not None:
                await apart.close()
            if lock is not None:
                lock.release()

    def stamp(self) -> int:
        """Return a number that rises with time, and over restarts; at processes that share a database, see ``VersionStamps``."""
        return self._stamps.now()

    @property
    def shared(self) -> bool:
        """Whether other processes may write to the same database."""
        return self._lock is None

    @property
    def is_informed(self) -> bool:
        """Whether this process hears of every change that another one makes."""
        return self.listener is None or self.listener.connected

    async def synced(self) -> bool:
        """Wait until every change that was acknowledged before this call is known here. Return False if that can't be told."""
        return self.listener is None or await self.listener.synced()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Hear of the changes that other processes make, during the block."""
        if self.listener is None:
            yield
        else:
            async with self.listener.listening():
                yield

    def payload(self, kind: NoticeKind, *words: str) -> str:
        """Return a notice of this process as a payload."""
        return Notice(kind, self._name, self.stamp(), words).encode()

    def announce(self, kind: NoticeKind, *words: str) -> None:
        """Tell the other processes something that is not stored."""
        if self.listener is not None:
            self.listener.send(self.payload(kind, *words))

    @asynccontextmanager
    async def unit(self) -> AsyncIterator[Unit]:
        """Collect the parts of a change of one table in the block, and store all of them in one transaction at its end.

        Raises:
            Conflict: another process has changed the table, or has appended entries. Nothing is stored.
            JobTaken: another process has claimed or done the job. Nothing is stored.
            DatabaseUnavailable: nothing is stored.
        """
        unit = Unit()
        yield unit
        if not self.shared and unit.only_entry is not None and unit.known is not None:  # three times as fast
            row = entries.row(unit.known.id, unit.only_entry)
            try:
                await self._answered(self._database.insert(entries.INSERT, row))
            except IntegrityError:
                raise Conflict from None
        elif not unit.is_empty:
            await self.transact(partial(unit.run, payload=self.payload if self.shared else None))
        for act in unit.after:
            act()

    async def change(self, work: Callable[Concatenate[Connection, Announce, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``work`` in one transaction and return its result. The other processes hear after the commit what it announces.

        It is tried again if another process has changed one of its tables at the same time. Raises Conflict if that goes on, and
        DatabaseUnavailable.
        """

        def attempt(connection: Connection) -> T:
            def announce(kind: NoticeKind, *words: str) -> None:
                for part in in_parts(words) if self.shared else ():
                    send(connection, self.payload(kind, *part))

            return work(connection, announce, *args, **kwargs)

        for _attempt in range(_TRIES - 1):
            with suppress(Conflict):
                return await self.transact(attempt)
        return await self.transact(attempt)

    async def transact(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``work``, for example a query with its arguments, in one transaction. Raises DatabaseUnavailable."""
        return await self._answered(self._database.transact(lambda connection: work(connection, *args, **kwargs)))

    async def transact_apart(self, work: Callable[[Connection], T]) -> T:
        """Do the same on a connection that requests don't use, with a short time limit: it never waits for one of theirs."""
        return await self._answered(self._apart.transact(work))

    def connections(self) -> tuple[int, int] | None:
        """Return the number of connections that requests use now, and the largest one; None on SQLite."""
        return self._database.connections()

    async def changed_outside(self) -> bool:
        """Return whether a command has changed the SQLite file since the last call. Raises DatabaseUnavailable."""
        return await self._answered(self._database.changed_outside())

    async def _answered(self, transaction: Awaitable[T]) -> T:
        """Return the result of a transaction. Raises DatabaseUnavailable."""
        began, outcome = self.time.seconds(), "rolled back"
        try:
            with TRACES.span("transaction"):
                result = await transaction
            outcome = "committed"
            return result
        except NotStored as error:
            outcome = "no database"
            log.warning("the database can't store anything: %s", error)
            raise DatabaseUnavailable(
                _(
                    "The hall can't save anything at the moment: its disk is full or fails. Nothing that was saved is lost. "
                    "Please try again in a while."
                )
            ) from None
        except NoAnswer as error:
            outcome = "no database"
            is_fault = isinstance(error.__cause__, DataError | ProgrammingError)  # of this program, probably
            log.warning("the database does not answer: %s", error, exc_info=error if is_fault else None)
            raise DatabaseUnavailable(
                _("The hall's database doesn't answer at the moment. Please try again in a while.")
            ) from None
        finally:
            TRANSACTIONS.labels(outcome).inc()
            TRANSACTION_SECONDS.observe(self.time.seconds() - began)

    async def alive(self) -> bool:
        """Return whether the database stores something; at most once a second it is tried."""
        if self.time.seconds() - self._checked_at >= HEALTH_INTERVAL:
            self._checked_at = self.time.seconds()
            try:
                await self.transact(health.check)
            except DatabaseUnavailable:
                self._is_alive = False
            else:
                self._is_alive = True
        return self._is_alive

    async def secret(self, name: str) -> str:
        """Return the secret of that name. The first call creates it. It changes only in ``rotate_secret``."""
        found = await self.transact(lambda connection: secrets.find(connection, name))
        if found is not None:
            return found
        with suppress(IntegrityError):  # another process has just created it
            await self.transact(lambda connection: secrets.create(connection, name))
        return await self.secret(name)

    async def rotate_secret(self, name: str, valid_until: datetime | None) -> None:
        """Replace a secret. The old one is accepted until then; None: no old one is accepted any more."""

        def rotate(connection: Connection, announce: Announce) -> None:
            secrets.rotate(connection, name, valid_until or self.time.now())
            if valid_until is None:
                secrets.drop_retired(connection, name)
            announce("secret", name)

        await self.change(rotate)

    # ------------------------------------------------------------------------------------------------------------- guests

    async def save_guest(self, guest: Guest, is_chosen: bool = False) -> Guest:
        """Store a guest's name and settings, and return the guest as stored. ``is_chosen``: whether the name is a new choice.

        Raises NameTaken, see ``queries.guests.save``.
        """

        def save(connection: Connection, announce: Announce) -> Guest:
            announce("guest", guest.id)
            return guests.save(connection, guest, is_chosen)

        try:
            return await self.change(save)
        except IntegrityError:  # another request of the same new guest came first
            return await self.change(save)

    # ------------------------------------------------------------------------------------------------------------- tables

    async def add_table(self, table: TableRow, request: RequestKey | None = None) -> None:
        """Store a new table with its seats, and the key of the request for it.

        Raises Conflict for its host's second attempt at the puzzle of a day, and for a key that the host has used already.
        """

        def add(connection: Connection) -> None:
            tables.add(connection, table)
            if request is not None:
                idempotency.add(connection, table.host, request, table.id)

        try:
            await self.transact(add)
        except IntegrityError:
            if table.daily is None and request is None:
                raise
            raise Conflict from None

    # ------------------------------------------------------------------------------------------------------------ matches

    async def changes_since(self, table: str, version: int, entry_count: int) -> Changes:
        """Return the changes of a table since this version and number of entries."""
        if self.listener is not None:
            with suppress(ConnectionError):
                rows = await self.listener.fetch(entries.CHANGES, entry_count, table)
                if rows and rows[0][0] == version:
                    return Changes(None, entries.of_rows(rows))
        return await self.transact(lambda connection: entries.changes_since(connection, table, version, entry_count))


async def _upgrade(url: URL, upgrades: bool) -> None:
    """Check the database, and upgrade it to the current schema if allowed, without a time limit. Raises StoreUnusable."""
    database = open_database(url, Time(), timeout=None)
    try:
        if url.get_backend_name() != "sqlite":
            await refuse_shared_connections(url)
        await database.transact(_checked)
        await database.transact(lambda connection: _migrate(connection, url, upgrades))
        await database.transact(health.check)
    except CommandError as error:
        raise StoreUnusable(
            f"the database {url} was written by a newer or another Meadhall ({first_line(error)}); "
            "update this one, restore a backup from before with meadhall restore --replace, or choose another database with "
            "MEADHALL_DATA or MEADHALL_DATABASE_URL"
        ) from None
    except NotStored as error:
        raise StoreUnusable(
            f"the database {url} can't be read and written: {first_line(error)}; make room on its disk, give this user the right "
            "to write there, put a backup in its place, or choose another with MEADHALL_DATA or MEADHALL_DATABASE_URL"
        ) from None
    except (NoAnswer, SQLAlchemyError, OSError, TypeError) as error:  # TypeError: the address has an unknown parameter
        raise StoreUnusable(f"the database {url} can't be used: {first_line(error)}") from None
    finally:
        await database.close()


def _migrate(connection: Connection, url: URL, upgrades: bool) -> None:
    """Upgrade a database to the current schema, after a backup. Raises StoreUnusable, CommandError."""
    migrations.begin(connection)
    revision = migrations.known_revision(connection)
    if revision not in (None, migrations.newest_revision()):
        if not upgrades:
            raise StoreUnusable(
                f"the database {url} has to be upgraded while no hall runs on it; stop the hall, and start it again"
            )
        ensure_backup(connection, url, str(revision))
    if revision != migrations.newest_revision():
        migrations.upgrade(connection)
    migrations.note_writer(connection)


def _checked(connection: Connection) -> None:
    """Refuse an SQLite file that is damaged. Raises StoreUnusable."""
    if connection.dialect.name != "sqlite":
        return
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        raise StoreUnusable(
            f"the database {connection.engine.url.database} is damaged ({found}); put a backup in its place, "
            "or save what can be read with: sqlite3 meadhall.db .recover"
        )
