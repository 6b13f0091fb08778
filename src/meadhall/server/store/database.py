"""Where transactions are run: on the SQLite file in this process, or on a pool of PostgreSQL connections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.ext.asyncio import create_async_engine

T = TypeVar("T")

_PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=5000")

_CHECKPOINT = 500
"""Transactions after which SQLite's log is copied into the database."""

_LONGEST_LOG = 20_000
"""Pages of 4 KB that the log may have. Where something is always being written while it is copied it is never begun anew; then
the transaction that makes it longer copies the last of it itself.
"""

PATIENCE = 60.0
"""Seconds after which PostgreSQL has not answered: what waits for it holds up a table."""

_AWAY = ("08", "53", "57P")
"""How PostgreSQL's codes begin (SQLSTATE) for: no connection, too few resources, and being stopped or started."""


class Away(Exception):
    """The database does not answer: whatever was asked may be tried again later."""


class Database(Protocol):
    """A database that runs whole transactions."""

    async def transact(self, work: Callable[[Connection], T]) -> T:
        """What ``work`` returns, done in one transaction that is committed then, or rolled back when it raises. Raises Away."""

    async def close(self) -> None:
        """Give all connections back."""


def open_database(url: URL, patience: float | None = PATIENCE) -> Database:
    """The database at ``url``: SQLite in a file, or PostgreSQL, each of whose answers is awaited for so many seconds at most."""
    return Embedded(url) if url.get_backend_name() == "sqlite" else Shared(url, patience)


class Embedded:
    """SQLite in a file that is ours alone, in the event loop's own thread.

    A transaction takes a twentieth of a millisecond, as its connection stays open and nothing waits for the disk: less than
    handing it to another thread and back, where each of its steps had to wait for the interpreter (docs/decisions/0003). What
    does wait for the disk, copying the log into the database from time to time, is done in a thread.
    """

    def __init__(self, url: URL) -> None:
        self._engine = create_engine(url, pool_size=2, max_overflow=0, hide_parameters=True)  # else errors would tell seeds
        self._connection: Connection | None = None
        self._transactions = 0
        self._checkpointing: asyncio.Future[None] | None = None

        @event.listens_for(self._engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            cursor = connection.cursor()
            for pragma in (*_PRAGMAS, f"wal_autocheckpoint={_LONGEST_LOG}"):
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

    async def transact(self, work: Callable[[Connection], T]) -> T:
        if self._connection is None:
            self._connection = self._engine.connect()
        with self._connection.begin():
            result = work(self._connection)
        self._transactions += 1
        if self._transactions % _CHECKPOINT == 0 and (self._checkpointing is None or self._checkpointing.done()):
            self._checkpointing = asyncio.get_running_loop().run_in_executor(None, self._checkpoint)
        return result

    def _checkpoint(self) -> None:
        with self._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    async def close(self) -> None:
        if self._checkpointing is not None:
            await self._checkpointing
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()


class Shared:
    """PostgreSQL, which several processes may share."""

    def __init__(self, url: URL, patience: float | None) -> None:
        self._engine = create_async_engine(
            url,
            pool_size=10,
            max_overflow=0,
            pool_pre_ping=True,
            hide_parameters=True,
            connect_args={"command_timeout": patience},
        )

    async def transact(self, work: Callable[[Connection], T]) -> T:
        try:
            async with self._engine.begin() as connection:
                return await connection.run_sync(work)
        except (OSError, NoConnection) as error:
            raise Away(first_line(error)) from error
        except DBAPIError as error:
            if _is_away(error):
                raise Away(first_line(error)) from error
            raise

    async def close(self) -> None:
        await self._engine.dispose()


def first_line(error: Exception) -> str:
    """What an error says, without the advice that comes with it."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return str(cause).partition("\n")[0].strip() or type(error).__name__


def _is_away(error: DBAPIError) -> bool:
    """Whether nothing is wrong with what was asked, only nobody there to answer."""
    code = getattr(error.orig, "sqlstate", None) or ""
    return error.connection_invalidated or code.startswith(_AWAY)
