"""Where transactions run: on an SQLite file in this process, or on a pool of PostgreSQL connections."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, Final, Protocol, TypeVar

from sqlalchemy import URL, Connection, Insert, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from meadhall.server.ops.log_limit import OncePerInterval
from meadhall.server.ops.time import Time
from meadhall.server.store.connections import Connections
from meadhall.server.store.queries.present import timed
from meadhall.server.store.schema import GUEST_COLUMNS

T = TypeVar("T")

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

_PRAGMAS: Final = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "secure_delete=ON", "busy_timeout=0")

_LOCK_TIMEOUT: Final = 5.0
"""Seconds that a transaction waits while another program holds the lock of the SQLite file."""

_LOCK_PAUSE: Final = 0.02
"""Seconds between two attempts at a transaction then."""

_CHECKPOINT_INTERVAL: Final = 500
"""Number of transactions that write, after which SQLite's write-ahead log is copied into the database."""

_SYNC_INTERVAL: Final = 1.0
"""Seconds after a transaction within which it is safe from a power cut: then the write-ahead log is flushed to the disk."""

_PATIENCE: Final = 10
"""Attempts at emptying the log at a moment when nothing of it has still to be copied. The next one copies what remains."""

_PERSONAL: Final = {each.column.table.name for each in GUEST_COLUMNS if (each.delete, each.export) == ("delete", "rows")}
_ERASING: Final = ("UPDATE chat_lines ", *(f"DELETE FROM {table} " for table in sorted(_PERSONAL)))  # noqa: S608 - never run
"""Beginnings of the statements that delete personal content: lines of chat, guests, sessions and so on."""

_LARGEST_LOG: Final = 20_000
"""Pages of 4 KB after which SQLite copies the log by itself, within the transaction that exceeds this size.

That happens only if every checkpoint overlaps with a write: then the log never starts again from its beginning.
"""

TIMEOUT: Final = 60.0
"""Seconds after which a query to PostgreSQL fails: a table stands still while it waits for one."""


_STORAGE_STATES: Final = ("25006", "53100", "58")
"""PostgreSQL's error codes for a read-only server and a full disk, and the beginning of those for a disk that fails."""

_STORAGE_ERRORS: Final = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
)
"""SQLite's error codes for files that can't be written or read. The lower byte of an extended code is such a code."""


class NoAnswer(Exception):
    """The database does not answer. The same transaction may succeed later."""


class NotStored(NoAnswer):
    """The database can't write or read its files: the disk is full, read-only or broken. Nothing has been changed."""


class Database(Protocol):
    """A database that runs whole transactions."""

    async def transact(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one transaction and return its result. Commit it, or roll it back if it raises.

        Raises NoAnswer, NotStored.
        """

    async def insert(self, statement: Insert, row: Mapping[str, Any]) -> None:
        """Insert a row in one transaction. Every action does this, and nothing else.

        Raises NoAnswer, NotStored; IntegrityError if there is such a row.
        """

    def connections(self) -> tuple[int, int] | None:
        """Return the number of connections in use, and the largest one; None if there is a single one."""

    async def changed_outside(self) -> bool:
        """Return whether another program has changed the database since the last call. On PostgreSQL notices tell it."""

    async def close(self) -> None:
        """Close all connections."""


def open_database(url: URL, time: Time, timeout: float | None = TIMEOUT, connections: int = 1) -> Database:
    """Return the database at ``url``.

    Args:
        time: the time of the hall.
        timeout: limits each query to PostgreSQL, in seconds; None: no limit.
        connections: the largest number of connections to PostgreSQL.
    """
    return SqliteDatabase(url, time) if url.get_backend_name() == "sqlite" else PostgresDatabase(url, time, timeout, connections)


class _Locked(Exception):
    """Another program holds the lock of the SQLite file. Nothing has been changed."""


class SqliteDatabase:
    """An SQLite file that only this process uses, in the event loop's own thread.

    A transaction takes about 0.05 ms, because its connection stays open and no write waits for the disk. Handing it to another
    thread would take longer (docs/decisions/0003). Nothing waits in the event loop: work that waits for the disk runs in a
    thread, and a transaction that meets the lock of another program is tried again later.
    """

    def __init__(self, url: URL, time: Time) -> None:
        # errors must not show seeds
        self._engine = create_engine(url, pool_size=2, max_overflow=0, hide_parameters=True, execution_options=timed(time))
        self._time = time
        self._connection: Connection | None = None
        self._raw: Any = None  # the driver's own connection
        self._locked_out = asyncio.Lock()  # of the transactions that wait for another program, the first one tries
        self._changes = 0  # rows that the connection had changed after the last transaction
        self._writes = 0  # transactions that have written
        self._flushed = 0  # how many of them are safe from a power cut
        self._copied = 0  # and how many were in the log when it was copied last
        self._erases = False  # whether the log still has deleted content
        self._version: int | None = None
        self._upkeep: asyncio.Task[None] | None = None
        self._in_thread: asyncio.Future[Any] | None = None
        self._log_file = f"{url.database}-wal"

        @event.listens_for(self._engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            cursor = connection.cursor()
            for pragma in (*_PRAGMAS, f"wal_autocheckpoint={_LARGEST_LOG}"):
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

        @event.listens_for(self._engine, "before_cursor_execute")
        def note_deletions(_connection: Connection, _cursor: Any, statement: str, *_: Any) -> None:
            if statement.startswith(_ERASING):
                self._erases = True

    async def transact(self, work: Callable[[Connection], T]) -> T:
        return await self._when_unlocked(lambda: self._transact(work))

    async def insert(self, statement: Insert, row: Mapping[str, Any]) -> None:
        """Insert a row. SQLAlchemy would take three times as long as SQLite itself for preparing and ending the transaction."""
        await self._when_unlocked(lambda: self._insert(statement, row))

    def connections(self) -> None:
        return None

    async def changed_outside(self) -> bool:
        """Return whether another program has changed the database since the last call. The first call returns False."""
        version = await self.transact(lambda connection: int(connection.exec_driver_sql("PRAGMA data_version").scalar_one()))
        is_changed = self._version not in (None, version)
        self._version = version
        if is_changed:
            self._erases = True  # a command may have deleted something
            self._keep_up()
        return is_changed

    async def _when_unlocked(self, transaction: Callable[[], T]) -> T:
        """Return the result of a transaction, when no other program holds the lock. Raises NoAnswer if that takes too long."""
        with suppress(_Locked):
            return transaction()
        try:
            async with self._time.timeout(_LOCK_TIMEOUT), self._locked_out:
                while True:
                    with suppress(_Locked):
                        return transaction()
                    await asyncio.sleep(_LOCK_PAUSE)
        except TimeoutError:
            raise NoAnswer(f"for {_LOCK_TIMEOUT:g} seconds another program has kept it locked") from None

    def _transact(self, work: Callable[[Connection], T]) -> T:
        try:
            connection = self._connected()
            with connection.begin():
                result = work(connection)
        except IntegrityError:
            raise
        except DBAPIError as error:
            raise self._explained(error) from error
        self._note_transaction()
        return result

    def _insert(self, statement: Insert, row: Mapping[str, Any]) -> None:
        text, in_order = _written(statement)
        try:
            self._connected()
            with self._raw:  # commits, or rolls back after an error
                self._raw.execute(text, in_order(row))
        except sqlite3.IntegrityError as error:
            raise IntegrityError(text, None, error) from error
        except (sqlite3.Error, DBAPIError) as error:
            raise self._explained(error) from error
        self._note_transaction()

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect()
            self._raw = self._connection.connection.driver_connection
            self._changes = self._raw.total_changes
        return self._connection

    def _explained(self, error: sqlite3.Error | DBAPIError) -> Exception:
        """Return what an error of SQLite means. Every one that isn't known means that the database doesn't answer."""
        code = getattr(getattr(error, "orig", error), "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_BUSY:
            return _Locked()
        self._disconnect()  # SQLite's own view of its files may be wrong
        return (NotStored if code in _STORAGE_ERRORS else NoAnswer)(first_line(error))

    def _note_transaction(self) -> None:
        if self._raw.total_changes != self._changes:
            self._changes = self._raw.total_changes
            self._writes += 1
            self._keep_up()

    def _keep_up(self) -> None:
        """Look after the log soon."""
        if self._upkeep is None or self._upkeep.done():
            self._upkeep = asyncio.ensure_future(self._look_after_log())

    async def _look_after_log(self) -> None:
        """Flush the log to the disk, keep it short, and remove deleted content from it, until all of this is done.

        Work that waits for the disk runs in a thread. Waiting in every transaction would cost a quarter of its time.
        """
        attempts = 0
        while self._erases or self._flushed != self._writes:
            await self._time.sleep(_SYNC_INTERVAL)
            writes = self._writes
            attempts = attempts + 1 if self._erases else 0
            if self._erases or writes - self._copied >= _CHECKPOINT_INTERVAL:
                is_copied = await self._run_in_thread(self._copy_log)
                if self._erases and is_copied and (self._writes == writes or attempts >= _PATIENCE):
                    self._empty_log()
                self._copied = writes
            else:
                await self._run_in_thread(partial(_flush, self._log_file))
            self._flushed = writes

    async def _run_in_thread(self, work: Callable[[], T]) -> T:
        self._in_thread = running = asyncio.get_running_loop().run_in_executor(None, work)
        return await asyncio.shield(running)

    def _copy_log(self) -> bool:
        """Copy the log into the database, and return whether nothing was left to copy. Transactions don't wait for it."""
        try:
            with self._engine.connect() as connection:
                _busy, size, copied = connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)").one()
        except DBAPIError as error:  # the transactions are still in the log, and the next checkpoint copies them
            log.warning("the write-ahead log could not be copied into the database: %s", first_line(error))
            return False
        return bool(size == copied)

    def _empty_log(self) -> None:
        """Truncate the log, of which next to nothing has still to be copied, so that nothing deleted stays in it.

        While another program reads an older state, for example for a backup, that is impossible. On another connection it would
        look like a change from outside.
        """
        try:
            self._connected()
            is_busy, _size, _copied = self._raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except (sqlite3.Error, DBAPIError) as error:
            log.warning("the write-ahead log could not be emptied: %s", first_line(error))
        else:
            self._erases = bool(is_busy)

    def _disconnect(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            with suppress(DBAPIError):
                connection.invalidate()
            connection.close()

    async def close(self) -> None:
        if self._upkeep is not None:
            self._upkeep.cancel()  # closing the last connection copies the log into the database, and removes it
        if self._in_thread is not None:
            await self._in_thread
        self._disconnect()
        self._engine.dispose()


@lru_cache(maxsize=16)
def _written(statement: Insert) -> tuple[str, Callable[[Mapping[str, Any]], list[Any]]]:
    """Return an insert in SQLite's SQL, and a function that puts the values of a row in its order, as SQLite stores them."""
    compiled = statement.compile(dialect=sqlite.dialect())
    converters: Mapping[str, Any] = compiled._bind_processors
    columns = [(name, converters.get(name)) for name in compiled.positiontup or ()]
    return str(compiled), lambda row: [convert(row[name]) if convert else row[name] for name, convert in columns]


def _flush(file: str) -> None:
    """Flush a file to the disk, if it exists."""
    try:
        descriptor = os.open(file, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        pass
    except OSError as error:
        log.warning("the write-ahead log could not be flushed to the disk: %s", error.strerror)


class PostgresDatabase:
    """PostgreSQL, which several processes may share."""

    def __init__(self, url: URL, time: Time, timeout: float | None, connections: int) -> None:
        self._connections = Connections(url, timeout, connections, execution_options=timed(time))

    async def transact(self, work: Callable[[Connection], T]) -> T:
        try:
            async with self._connections.transaction() as connection:
                return await connection.run_sync(work)
        except (OSError, PoolTimeoutError) as error:
            raise NoAnswer(first_line(error)) from error
        except IntegrityError:
            raise
        except DBAPIError as error:
            state = getattr(error.orig, "sqlstate", None) or ""
            raise (NotStored if state.startswith(_STORAGE_STATES) else NoAnswer)(first_line(error)) from error

    async def insert(self, statement: Insert, row: Mapping[str, Any]) -> None:
        await self.transact(lambda connection: connection.execute(statement, row))

    async def changed_outside(self) -> bool:
        return False

    def connections(self) -> tuple[int, int]:
        return self._connections.in_use, self._connections.size

    async def close(self) -> None:
        await self._connections.engine.dispose()


def first_line(error: Exception) -> str:
    """Return the message of an error without the advice that the driver adds to it."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return str(cause).partition("\n")[0].strip() or type(error).__name__
