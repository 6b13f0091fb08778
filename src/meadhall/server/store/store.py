"""The store: everything that must survive a restart, in one SQLite file."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Concatenate, ParamSpec

from sqlalchemy import Connection
from sqlalchemy.exc import DataError, ProgrammingError, SQLAlchemyError

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.ops.log_limit import OncePerInterval
from meadhall.server.ops.metrics import TRANSACTION_SECONDS, TRANSACTIONS
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import migrations
from meadhall.server.store.backups import back_up_before_migration
from meadhall.server.store.database import Database, Locked, NoAnswer, NotStored, T, first_line
from meadhall.server.store.file_lock import StoreUnusable, lock_database
from meadhall.server.store.models import Entry, Guest, RequestKey, TableRow
from meadhall.server.store.queries import (
    counters,
    entries,
    guests,
    health,
    idempotency,
    secrets,
    tables,
)
from meadhall.server.worker.threads import run_in_thread

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

P = ParamSpec("P")

HEALTH_INTERVAL = 1.0
"""Seconds between two health checks: each writes to the database, and anyone may ask for one."""

LOCK_TIMEOUT = 5.0
"""Seconds that a request waits while another program holds the lock of the file."""

_LOCK_PAUSE = 0.02
"""Seconds between two looks at the lock then."""

_STAMP_BITS = 36
"""Bits of a version stamp that count the milliseconds since a start: two years. The bits above count 100,000 starts.

Browsers calculate with 53 bits.
"""


class Store:
    """The hall's database. Open it with ``Store.open``.

    Every method runs one transaction, in the thread of the event loop and without waiting. It raises ``DatabaseUnavailable``
    while nothing can be stored, and while another program holds the lock of the file: ``unlocked`` waits for that.

    Attributes:
        time: the time of the hall.
    """

    def __init__(self, database: Database, starts: int, time: Time) -> None:
        self.time = time
        self._database = database
        self._first_stamp = starts << _STAMP_BITS
        self._began = time.seconds()
        self._checked_at = -math.inf
        self._is_alive = False

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings, time: Time | None = None) -> AsyncIterator[Store]:
        """Open the database of these settings, and upgrade it to the current schema. Raises StoreBusy, StoreUnusable.

        ``time``: None is that of this machine.
        """
        time = time or Time()
        with lock_database(settings.database, settings.data, patience=1):  # a command of the host may have it for a moment
            await _upgrade(settings.database)
            database = Database(settings.database, time)
            try:
                yield cls(database, database.transact(lambda connection: counters.next_value(connection, "starts")), time)
            finally:
                await database.close()

    def stamp(self) -> int:
        """Return a version stamp: a number that rises with time, and over restarts, whatever the date of the machine is.

        By it a page knows which of two versions of a table is newer.
        """
        return self._first_stamp + int(1000 * (self.time.seconds() - self._began))

    @contextmanager
    def change(self) -> Iterator[Connection]:
        """Run one transaction during the block. Commit it, or roll it back if the block raises. Raises DatabaseUnavailable."""
        with self._answered(), self._database.change() as connection:
            yield connection

    def transact(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``work``, for example a query with its arguments, in one transaction. Raises DatabaseUnavailable."""
        with self._answered():
            return self._database.transact(lambda connection: work(connection, *args, **kwargs))

    def append(self, table: str, entry: Entry) -> None:
        """Append one entry to a match, in a third of the time that ``change`` takes. Raises DatabaseUnavailable."""
        with self._answered():
            self._database.insert(entries.INSERT, entries.row(table, entry))

    async def read(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a slow query in a thread, on another connection that only reads. Raises DatabaseUnavailable."""

        def answer() -> T:
            with self._answered():
                return self._database.read(lambda connection: work(connection, *args, **kwargs))

        return await run_in_thread(answer)

    async def unlocked(self) -> None:
        """Wait while another program holds the lock of the file, but only for some seconds. Raises DatabaseUnavailable then.

        A request that may change something does so before it begins. Nothing else waits for the lock.
        """
        until = self.time.seconds() + LOCK_TIMEOUT
        while True:
            try:
                self._database.check_lock()
            except Locked:
                if self.time.seconds() >= until:
                    with self._answered():
                        raise
                await asyncio.sleep(_LOCK_PAUSE)
            except NoAnswer:  # the request finds it out, if it stores something
                return
            else:
                return

    @contextmanager
    def _answered(self) -> Iterator[None]:
        """Measure a transaction, and convert the errors of the database. Raises DatabaseUnavailable."""
        began, outcome = self.time.seconds(), "rolled back"
        try:
            yield
            outcome = "committed"
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
                await self.unlocked()
                self.transact(health.check)
            except DatabaseUnavailable:
                self._is_alive = False
            else:
                self._is_alive = True
        return self._is_alive

    def secret(self, name: str) -> str:
        """Return the secret of that name. The first call creates it. It changes only in ``rotate_secret``."""
        found = self.transact(secrets.find, name)
        if found is None:
            found = self.transact(secrets.create, name)
        return found

    def rotate_secret(self, name: str, valid_until: datetime | None) -> None:
        """Replace a secret. The old one is accepted until then; None: no old one is accepted any more."""

        def rotate(connection: Connection) -> None:
            secrets.rotate(connection, name, valid_until or self.time.now())
            if valid_until is None:
                secrets.drop_retired(connection, name)

        self.transact(rotate)

    # ------------------------------------------------------------------------------------------------------------- guests

    def save_guest(self, guest: Guest, is_chosen: bool = False) -> Guest:
        """Store a guest's name and settings, and return the guest as stored. ``is_chosen``: whether the name is a new choice.

        Raises NameTaken, see ``queries.guests.save``.
        """
        return self.transact(guests.save, guest, is_chosen)

    # ------------------------------------------------------------------------------------------------------------- tables

    def add_table(self, table: TableRow, request: RequestKey | None = None) -> None:
        """Store a new table with its seats, and the key of the request for it."""

        def add(connection: Connection) -> None:
            tables.add(connection, table)
            if request is not None:
                idempotency.add(connection, table.host, request, table.id)

        self.transact(add)


async def _upgrade(file: Path) -> None:
    """Check the database, and upgrade it to the current schema. Raises StoreUnusable."""
    database = Database(file, Time())
    try:
        database.transact(_check)
        database.transact(lambda connection: _migrate(connection, file))
        database.transact(health.check)
    except migrations.UnknownRevision as error:
        raise StoreUnusable(
            f"the database {file} was written by a newer or another Meadhall ({first_line(error)}); "
            "update this one, restore a backup from before with meadhall restore --replace, or choose another folder with "
            "MEADHALL_DATA"
        ) from None
    except NotStored as error:
        raise StoreUnusable(
            f"the database {file} can't be read and written: {first_line(error)}; make room on its disk, give this user the "
            "right to write there, put a backup in its place, or choose another folder with MEADHALL_DATA"
        ) from None
    except (NoAnswer, SQLAlchemyError, OSError) as error:
        raise StoreUnusable(f"the database {file} can't be used: {first_line(error)}") from None
    finally:
        await database.close()


def _migrate(connection: Connection, file: Path) -> None:
    """Upgrade a database to the current schema, after a backup. Raises StoreUnusable, migrations.UnknownRevision."""
    migrations.begin(connection)
    revision = migrations.known_revision(connection)
    if revision not in (None, migrations.newest_revision()):
        back_up_before_migration(file, str(revision))
    if revision != migrations.newest_revision():
        migrations.upgrade(connection)
    migrations.note_writer(connection)


def _check(connection: Connection) -> None:
    """Refuse a file that is damaged. Raises StoreUnusable."""
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        raise StoreUnusable(
            f"the database {connection.engine.url.database} is damaged ({found}); put a backup in its place, "
            "or save what can be read with: sqlite3 meadhall.db .recover"
        )
