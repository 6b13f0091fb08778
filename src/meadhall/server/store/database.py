"""Where transactions run: on an SQLite file in this process, or on a pool of PostgreSQL connections."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, Protocol, TypeVar

from sqlalchemy import URL, Connection, Insert, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import create_async_engine

from meadhall.server.ops.log_limit import OncePerInterval
from meadhall.server.ops.time import Time
from meadhall.server.store.queries.present import timed

T = TypeVar("T")

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

_PRAGMAS: Final = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=5000")

_CHECKPOINT_INTERVAL: Final = 500
"""Number of transactions after which SQLite's write-ahead log is copied into the database."""

_SYNC_INTERVAL: Final = 1.0
"""Seconds after a transaction within which it is safe from a power cut: then the write-ahead log is flushed to the disk."""

_LARGEST_LOG: Final = 20_000
"""Pages of 4 KB after which SQLite copies the log by itself, within the transaction that exceeds this size.

That happens only if every checkpoint overlaps with a write: then the log never starts again from its beginning.
"""

TIMEOUT: Final = 60.0
"""Seconds after which a query to PostgreSQL fails: a table stands still while it waits for one."""

POOL_SIZE: Final = 10
"""Connections that a process may have open to PostgreSQL."""

APPLICATION: Final = "meadhall"
"""How the connections of a hall are called in PostgreSQL, e.g. in pg_stat_activity."""

_CONNECT_TIMEOUT: Final = 10.0
"""Seconds after which a connection to PostgreSQL fails."""

_IDLE_TIMEOUT: Final = 4.0
"""Seconds after which PostgreSQL rolls back a transaction that waits for the next query.

A process that is frozen in the middle of a transaction keeps its locks. This is how long it can hold up the others.
"""

_NO_ANSWER_STATES: Final = ("08", "25P03", "53", "57P")
"""First characters of PostgreSQL's error codes (SQLSTATE) for: no connection, a transaction that waited too long, too few
resources, shutting down or starting."""


_STORAGE_STATES: Final = ("25006", "53100", "58")
"""PostgreSQL's error codes for a read-only server and a full disk, and the beginning of those for a disk that fails."""

_STORAGE_ERRORS: Final = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
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

    async def close(self) -> None:
        """Close all connections."""


def open_database(url: URL, time: Time, timeout: float | None = TIMEOUT, connections: int = POOL_SIZE) -> Database:
    """Return the database at ``url``.

    Args:
        time: the time of the hall.
        timeout: limits each query to PostgreSQL, in seconds; None: no limit.
        connections: the largest number of connections to PostgreSQL.
    """
    return SqliteDatabase(url, time) if url.get_backend_name() == "sqlite" else PostgresDatabase(url, time, timeout, connections)


class SqliteDatabase:
    """An SQLite file that only this process uses, in the event loop's own thread.

    A transaction takes about 0.05 ms, because its connection stays open and no write waits for the disk. Handing it to another
    thread would take longer (docs/decisions/0003). Only checkpoints, which do wait for the disk, run in a thread.
    """

    def __init__(self, url: URL, time: Time) -> None:
        # errors must not show seeds
        self._engine = create_engine(url, pool_size=2, max_overflow=0, hide_parameters=True, execution_options=timed(time))
        self._time = time
        self._connection: Connection | None = None
        self._transactions = 0
        self._checkpoint: asyncio.Future[None] | None = None
        self._sync: asyncio.Future[None] | None = None
        self._log_file = f"{url.database}-wal"

        @event.listens_for(self._engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            cursor = connection.cursor()
            for pragma in (*_PRAGMAS, f"wal_autocheckpoint={_LARGEST_LOG}"):
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

    async def transact(self, work: Callable[[Connection], T]) -> T:
        try:
            if self._connection is None:
                self._connection = self._engine.connect()
            with self._connection.begin():
                result = work(self._connection)
        except DBAPIError as error:
            if not _is_storage_error(error):
                raise
            self._disconnect()  # after an error of the disk, SQLite's own view of its files may be wrong
            raise NotStored(first_line(error)) from error
        self._note_transaction()
        return result

    async def insert(self, statement: Insert, row: Mapping[str, Any]) -> None:
        """Insert a row. SQLAlchemy would take three times as long as SQLite itself for preparing and ending the transaction."""
        text, in_order = _written(statement)
        try:
            if self._connection is None:
                self._connection = self._engine.connect()
            raw: Any = self._connection.connection.driver_connection
            raw.execute(text, in_order(row))
            raw.commit()
        except (sqlite3.Error, DBAPIError) as error:
            if _is_storage_error(error):
                self._disconnect()
                raise NotStored(first_line(error)) from error
            if isinstance(error, sqlite3.Error):
                raw.rollback()
            if isinstance(error, sqlite3.IntegrityError):
                raise IntegrityError(text, None, error) from error
            raise
        self._note_transaction()

    def _note_transaction(self) -> None:
        """Flush the log to the disk soon, and keep it short."""
        self._transactions += 1
        if self._sync is None or self._sync.done():
            self._sync = asyncio.ensure_future(self._flush_log())
        if self._transactions % _CHECKPOINT_INTERVAL == 0 and (self._checkpoint is None or self._checkpoint.done()):
            self._checkpoint = asyncio.get_running_loop().run_in_executor(None, self._copy_log)

    async def _flush_log(self) -> None:
        """Flush the log to the disk after a while, in a thread. Waiting in every transaction would cost a quarter of its time."""
        await self._time.sleep(_SYNC_INTERVAL)
        await asyncio.get_running_loop().run_in_executor(None, _flush, self._log_file)

    def _copy_log(self) -> None:
        try:
            with self._engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")
        except DBAPIError as error:  # the transactions are still in the log, and the next checkpoint copies them
            log.warning("the write-ahead log could not be copied into the database: %s", first_line(error))

    def _disconnect(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            with suppress(DBAPIError):
                connection.invalidate()
            connection.close()

    async def close(self) -> None:
        if self._sync is not None:
            self._sync.cancel()  # closing the last connection copies the log into the database
        if self._checkpoint is not None:
            await self._checkpoint
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
        settings = {"application_name": APPLICATION}
        limits: dict[str, Any] = {"command_timeout": timeout, "server_settings": settings}
        if timeout is not None:
            limits["timeout"] = min(timeout, _CONNECT_TIMEOUT)
            settings["idle_in_transaction_session_timeout"] = f"{1000 * _IDLE_TIMEOUT:.0f}"
        self._engine = create_async_engine(
            url,
            pool_size=connections,
            max_overflow=0,
            pool_pre_ping=True,
            hide_parameters=True,
            execution_options=timed(time),
            connect_args=limits,
        )

    async def transact(self, work: Callable[[Connection], T]) -> T:
        try:
            async with self._engine.begin() as connection:
                return await connection.run_sync(work)
        except (OSError, PoolTimeoutError) as error:
            raise NoAnswer(first_line(error)) from error
        except DBAPIError as error:
            if _sqlstate(error).startswith(_STORAGE_STATES):
                raise NotStored(first_line(error)) from error
            if _is_no_answer(error):
                raise NoAnswer(first_line(error)) from error
            raise

    async def insert(self, statement: Insert, row: Mapping[str, Any]) -> None:
        await self.transact(lambda connection: connection.execute(statement, row))

    async def close(self) -> None:
        await self._engine.dispose()


def first_line(error: Exception) -> str:
    """Return the message of an error without the advice that the driver adds to it."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return str(cause).partition("\n")[0].strip() or type(error).__name__


def _is_no_answer(error: DBAPIError) -> bool:
    """Return whether the query may be right, but the server is not there to run it."""
    return error.connection_invalidated or _sqlstate(error).startswith(_NO_ANSWER_STATES)


def _sqlstate(error: DBAPIError) -> str:
    return getattr(error.orig, "sqlstate", None) or ""


def _is_storage_error(error: Exception) -> bool:
    """Return whether SQLite can't use its files."""
    return getattr(getattr(error, "orig", error), "sqlite_errorcode", 0) & 0xFF in _STORAGE_ERRORS
