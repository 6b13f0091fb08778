"""The store: everything that must survive a restart, in one SQLite file."""

from __future__ import annotations

import asyncio
import logging
import math
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Concatenate, Final, ParamSpec

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.ops.logs import OncePerInterval
from meadhall.server.ops.metrics import TRANSACTION_SECONDS, TRANSACTIONS
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import guests, schema, secrets, tables, uptime
from meadhall.server.store.backups import back_up_before_migration
from meadhall.server.store.database import Database, Db, Locked, NoAnswer, NotStored, T, reason_of
from meadhall.server.store.files import StoreUnusable, lock_database
from meadhall.server.store.models import Guest, TableRow
from meadhall.server.store.tables import RequestKey
from meadhall.server.worker.threads import run_in_thread

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

P = ParamSpec("P")

HEALTH_INTERVAL: Final = 1.0
"""Seconds between two health checks: each writes to the database, and anyone may ask for one."""

LOCK_TIMEOUT: Final = 5.0
"""Seconds that a request waits while another program holds the lock of the file."""

_LOCK_PAUSE: Final = 0.02
"""Seconds between two looks at the lock then."""

_STAMP_BITS: Final = 36
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
                with database.change() as db:
                    starts = uptime.count_start(db)
                yield cls(database, starts, time)
            finally:
                await database.close()

    def stamp(self) -> int:
        """Return a version stamp: a number that rises with time, and over restarts, whatever the date of the machine is.

        By it a page knows which of two versions of a table is newer.
        """
        return self._first_stamp + int(1000 * (self.time.seconds() - self._began))

    def change(self) -> Change:
        """Return one transaction, for ``with``. The block gets its ``Db``. It is committed, or rolled back if the block raises.

        Raises DatabaseUnavailable.
        """
        return Change(self._database, self.time)

    def transact(self, work: Callable[Concatenate[Db, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``work``, for example a query with its arguments, in one transaction. Raises DatabaseUnavailable."""
        with Change(self._database, self.time) as db:
            return work(db, *args, **kwargs)

    async def read(self, work: Callable[Concatenate[Db, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a slow query in a thread, on another connection that only reads. Raises DatabaseUnavailable."""
        began = self.time.seconds()
        try:
            found = await run_in_thread(self._database.read, lambda db: work(db, *args, **kwargs))
        except NoAnswer as error:
            raise _unavailable(error, self.time.seconds() - began) from None
        _note("committed", self.time.seconds() - began)
        return found

    async def unlocked(self) -> None:
        """Wait while another program holds the lock of the file, but only for some seconds. Raises DatabaseUnavailable then.

        A request that may change something does so before it begins. Nothing else waits for the lock.
        """
        until = self.time.seconds() + LOCK_TIMEOUT
        while True:
            try:
                self._database.check_lock()
            except Locked as error:
                if self.time.seconds() >= until:
                    raise _unavailable(error, LOCK_TIMEOUT) from None
                await asyncio.sleep(_LOCK_PAUSE)
            except NoAnswer:  # the request finds it out, if it stores something
                return
            else:
                return

    async def alive(self) -> bool:
        """Return whether the database stores something; at most once a second it is tried."""
        if self.time.seconds() - self._checked_at >= HEALTH_INTERVAL:
            self._checked_at = self.time.seconds()
            try:
                await self.unlocked()
                self.transact(uptime.check_health)
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
        with self.change() as db:
            secrets.rotate(db, name, valid_until or self.time.now())
            if valid_until is None:
                secrets.drop_retired(db, name)

    # ------------------------------------------------------------------------------------------------------------- guests

    def save_guest(self, guest: Guest, is_chosen: bool = False) -> Guest:
        """Store a guest's name and settings, and return the guest as stored. ``is_chosen``: whether the name is a new choice.

        Raises NameTaken, see ``guests.save``.
        """
        return self.transact(guests.save, guest, is_chosen)

    # ------------------------------------------------------------------------------------------------------------- tables

    def add_table(self, table: TableRow, request: RequestKey | None = None) -> None:
        """Store a new table with its seats, and the key of the request for it."""
        with self.change() as db:
            tables.add(db, table)
            if request is not None:
                tables.add_request(db, table.host, request, table.id)


class Change:
    """One transaction of the hall, for ``with``. Every action is one, and a generator would cost twice its time."""

    __slots__ = ("_began", "_database", "_time")

    def __init__(self, database: Database, time: Time) -> None:
        self._database = database
        self._time = time
        self._began = time.seconds()

    def __enter__(self) -> Db:
        try:
            return self._database.begin()
        except NoAnswer as error:
            raise _unavailable(error, self._time.seconds() - self._began) from None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        try:
            self._database.end(error)
        except NoAnswer as found:
            raise _unavailable(found, self._time.seconds() - self._began) from None
        _OUTCOMES["committed" if error is None else "rolled back"].inc()
        TRANSACTION_SECONDS.observe(self._time.seconds() - self._began)


_OUTCOMES: Final = {outcome: TRANSACTIONS.labels(outcome) for outcome in ("committed", "rolled back", "no database")}


def _note(outcome: str, seconds: float) -> None:
    """Count a transaction."""
    _OUTCOMES[outcome].inc()
    TRANSACTION_SECONDS.observe(seconds)


def _unavailable(error: NoAnswer, seconds: float) -> DatabaseUnavailable:
    """Return what a person is told of a transaction that the database hasn't answered. Log the reason, and count it."""
    _note("no database", seconds)
    if isinstance(error, NotStored):
        log.warning("the database can't store anything: %s", error)
        return DatabaseUnavailable(
            _(
                "The hall can't save anything at the moment: its disk is full or fails. Nothing that was saved is lost. "
                "Please try again in a while."
            )
        )
    is_fault = getattr(error.__cause__, "sqlite_errorcode", sqlite3.SQLITE_ERROR) == sqlite3.SQLITE_ERROR  # of this program
    log.warning("the database does not answer: %s", error, exc_info=error if is_fault else None)
    return DatabaseUnavailable(_("The hall's database doesn't answer at the moment. Please try again in a while."))


async def _upgrade(file: Path) -> None:
    """Check the database, and upgrade it to the current schema. Raises StoreUnusable."""
    database = Database(file, Time())
    try:
        with database.change() as db:
            _check(db, file)
        with database.change() as db:
            _migrate(db, file)
        with database.change() as db:
            uptime.check_health(db)
    except schema.UnknownVersion as error:
        raise StoreUnusable(
            f"the database {file} was written by a newer or another Meadhall ({error}); "
            "update this one, restore a backup from before with meadhall restore --replace, or choose another folder with "
            "MEADHALL_DATA"
        ) from None
    except NotStored as error:
        raise StoreUnusable(
            f"the database {file} can't be read and written: {error}; make room on its disk, give this user the "
            "right to write there, put a backup in its place, or choose another folder with MEADHALL_DATA"
        ) from None
    except (NoAnswer, sqlite3.Error, OSError) as error:
        raise StoreUnusable(f"the database {file} can't be used: {reason_of(error)}") from None
    finally:
        await database.close()


def _migrate(db: Db, file: Path) -> None:
    """Upgrade a database to the current schema, after a backup. Raises StoreUnusable, UnknownVersion."""
    found = schema.known_version(db)
    if found not in (None, schema.newest_version()):
        db.begin()
        back_up_before_migration(file, found)
    schema.upgrade(db)
    schema.note_writer(db)


def _check(db: Db, file: Path) -> None:
    """Refuse a file that is damaged. Raises StoreUnusable."""
    found = db.value("PRAGMA quick_check(1)")
    if found != "ok":
        raise StoreUnusable(
            f"the database {file} is damaged ({found}); put a backup in its place, "
            "or save what can be read with: sqlite3 meadhall.db .recover"
        )
