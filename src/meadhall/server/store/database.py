"""Where transactions run: on the SQLite file of the hall, in the thread of the event loop."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import URL, Connection, Engine, Insert, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, IntegrityError

from meadhall.server.ops.log_limit import OncePerInterval
from meadhall.server.ops.time import Time
from meadhall.server.store.queries.present import timed
from meadhall.server.store.schema import GUEST_COLUMNS

T = TypeVar("T")

Effect = Callable[[Connection], None]
"""A part of a transaction."""

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

_PRAGMAS: Final = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "secure_delete=ON", "busy_timeout=0")

_READERS: Final = 4
"""Largest number of threads that read at the same time."""

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


class Locked(NoAnswer):
    """Another program holds the lock of the SQLite file. Nothing has been changed."""


class Database:
    """An SQLite file that only this process writes to, in the thread of the event loop.

    A transaction takes about 0.05 ms, because its connection stays open and no write waits for the disk. Handing it to another
    thread would take longer (docs/decisions/0003). Nothing waits in the event loop: work that waits for the disk, and slow
    queries, run in a thread, and a transaction that meets the lock of another program fails at once.
    """

    def __init__(self, file: Path, time: Time) -> None:
        url = URL.create("sqlite", database=str(file))
        # errors must not show seeds
        self._engine = create_engine(url, pool_size=2, max_overflow=0, hide_parameters=True, execution_options=timed(time))
        self._time = time
        self._connection: Connection | None = None
        self._raw: Any = None  # the driver's own connection
        self._changes = 0  # rows that the connection had changed after the last transaction
        self._writes = 0  # transactions that have written
        self._flushed = 0  # how many of them are safe from a power cut
        self._copied = 0  # and how many were in the log when it was copied last
        self._erases = False  # whether the log still has deleted content
        self._upkeep: asyncio.Task[None] | None = None
        self._in_thread: asyncio.Future[Any] | None = None
        self._log_file = f"{file}-wal"
        self._readers = create_engine(
            url, pool_size=_READERS, max_overflow=0, hide_parameters=True, execution_options=timed(time)
        )
        _prepare(self._engine, *_PRAGMAS, f"wal_autocheckpoint={_LARGEST_LOG}")
        _prepare(self._readers, "query_only=ON")

        @event.listens_for(self._engine, "before_cursor_execute")
        def note_deletions(_connection: Connection, _cursor: Any, statement: str, *_: Any) -> None:
            if statement.startswith(_ERASING):
                self._erases = True

    def transact(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one transaction and return its result. Commit it, or roll it back if it raises.

        Raises NoAnswer, NotStored, Locked.
        """
        with self.change() as connection:
            return work(connection)

    @contextmanager
    def change(self) -> Iterator[Connection]:
        """Run one transaction during the block. Commit it, or roll it back if the block raises. Raises as ``transact``."""
        try:
            connection = self._connected()
            with connection.begin():
                yield connection
        except IntegrityError:
            raise
        except DBAPIError as error:
            raise self._explained(error) from error
        self._note_transaction()

    def insert(self, statement: Insert, row: Mapping[str, Any]) -> None:
        """Insert a row in one transaction. Every action does this, and nothing else.

        SQLAlchemy would take three times as long as SQLite itself for preparing and ending the transaction. Raises as
        ``transact``, and IntegrityError if there is such a row.
        """
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

    def check_lock(self) -> None:
        """Raise Locked if another program holds the lock of the file."""
        try:
            self._connected()
            self._raw.execute("BEGIN IMMEDIATE")
            self._raw.execute("ROLLBACK")
        except (sqlite3.Error, DBAPIError) as error:
            raise self._explained(error) from error

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run ``work``, which only reads, on another connection: call it in a thread. Raises NoAnswer."""
        try:
            with self._readers.connect() as connection:
                connection.exec_driver_sql("BEGIN")
                return work(connection)
        except DBAPIError as error:
            raise NoAnswer(first_line(error)) from error

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
            return Locked("another program holds its lock")
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

        While another program reads an older state, for example for a backup, that is impossible.
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
        self._readers.dispose()


def _prepare(engine: Engine, *pragmas: str) -> None:
    """Let each new connection begin with these pragmas."""

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()


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


def first_line(error: Exception) -> str:
    """Return the message of an error without the advice that the driver adds to it."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return str(cause).partition("\n")[0].strip() or type(error).__name__
