"""Where transactions run: on an SQLite file in this process, or on a pool of PostgreSQL connections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import create_async_engine

T = TypeVar("T")

_PRAGMAS: Final = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=5000")

_CHECKPOINT_INTERVAL: Final = 500
"""Number of transactions after which SQLite's write-ahead log is copied into the database."""

_LARGEST_LOG: Final = 20_000
"""Pages of 4 KB after which SQLite copies the log by itself, within the transaction that exceeds this size.

That happens only if every checkpoint overlaps with a write: then the log never starts again from its beginning.
"""

TIMEOUT: Final = 60.0
"""Seconds after which a query to PostgreSQL fails: a table stands still while it waits for one."""

_NO_ANSWER_STATES: Final = ("08", "53", "57P")
"""First characters of PostgreSQL's error codes (SQLSTATE) for: no connection, too few resources, shutting down or starting."""


class NoAnswer(Exception):
    """The database does not answer. The same transaction may succeed later."""


class Database(Protocol):
    """A database that runs whole transactions."""

    async def transact(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one transaction and return its result. Commit it, or roll it back if it raises. Raises NoAnswer."""

    async def close(self) -> None:
        """Close all connections."""


def open_database(url: URL, timeout: float | None = TIMEOUT) -> Database:
    """Return the database at ``url``. ``timeout`` limits each query to PostgreSQL, in seconds; None: no limit."""
    return SqliteDatabase(url) if url.get_backend_name() == "sqlite" else PostgresDatabase(url, timeout)


class SqliteDatabase:
    """An SQLite file that only this process uses, in the event loop's own thread.

    A transaction takes about 0.05 ms, because its connection stays open and no write waits for the disk. Handing it to another
    thread would take longer (docs/decisions/0003). Only checkpoints, which do wait for the disk, run in a thread.
    """

    def __init__(self, url: URL) -> None:
        self._engine = create_engine(url, pool_size=2, max_overflow=0, hide_parameters=True)  # errors must not show seeds
        self._connection: Connection | None = None
        self._transactions = 0
        self._checkpoint: asyncio.Future[None] | None = None

        @event.listens_for(self._engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            cursor = connection.cursor()
            for pragma in (*_PRAGMAS, f"wal_autocheckpoint={_LARGEST_LOG}"):
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

    async def transact(self, work: Callable[[Connection], T]) -> T:
        if self._connection is None:
            self._connection = self._engine.connect()
        with self._connection.begin():
            result = work(self._connection)
        self._transactions += 1
        if self._transactions % _CHECKPOINT_INTERVAL == 0 and (self._checkpoint is None or self._checkpoint.done()):
            self._checkpoint = asyncio.get_running_loop().run_in_executor(None, self._copy_log)
        return result

    def _copy_log(self) -> None:
        with self._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    async def close(self) -> None:
        if self._checkpoint is not None:
            await self._checkpoint
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()


class PostgresDatabase:
    """PostgreSQL, which several processes may share."""

    def __init__(self, url: URL, timeout: float | None) -> None:
        self._engine = create_async_engine(
            url,
            pool_size=10,
            max_overflow=0,
            pool_pre_ping=True,
            hide_parameters=True,
            connect_args={"command_timeout": timeout},
        )

    async def transact(self, work: Callable[[Connection], T]) -> T:
        try:
            async with self._engine.begin() as connection:
                return await connection.run_sync(work)
        except (OSError, PoolTimeoutError) as error:
            raise NoAnswer(first_line(error)) from error
        except DBAPIError as error:
            if _is_no_answer(error):
                raise NoAnswer(first_line(error)) from error
            raise

    async def close(self) -> None:
        await self._engine.dispose()


def first_line(error: Exception) -> str:
    """Return the message of an error without the advice that the driver adds to it."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return str(cause).partition("\n")[0].strip() or type(error).__name__


def _is_no_answer(error: DBAPIError) -> bool:
    """Return whether the query may be right, but the server is not there to run it."""
    state = getattr(error.orig, "sqlstate", None) or ""
    return error.connection_invalidated or state.startswith(_NO_ANSWER_STATES)
