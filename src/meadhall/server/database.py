"""Where transactions are run: in SQLite's own thread, or on a pool of PostgreSQL connections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.ext.asyncio import create_async_engine

T = TypeVar("T")

_PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=5000")


class Database(Protocol):
    """A database that runs whole transactions beside the event loop."""

    async def transact(self, work: Callable[[Connection], T]) -> T:
        """What ``work`` returns, done in one transaction that is committed then, or rolled back when it raises."""

    async def close(self) -> None:
        """Give all connections back."""


def open_database(url: URL) -> Database:
    """The database at ``url``: SQLite in a file, or PostgreSQL."""
    return Embedded(url) if url.get_backend_name() == "sqlite" else Shared(url)


class Embedded:
    """SQLite in a file that is ours alone, in a thread of its own: a whole transaction costs the event loop one hop."""

    def __init__(self, url: URL) -> None:
        self._thread = ThreadPoolExecutor(1, "database")
        self._engine = create_engine(url, pool_size=1, max_overflow=0, hide_parameters=True)  # else errors would tell seeds

        @event.listens_for(self._engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            cursor = connection.cursor()
            for pragma in _PRAGMAS:
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

    async def transact(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work)

    def _run(self, work: Callable[[Connection], T]) -> T:
        with self._engine.begin() as connection:
            return work(connection)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._engine.dispose)
        self._thread.shutdown()


class Shared:
    """PostgreSQL, which several processes may share."""

    def __init__(self, url: URL) -> None:
        self._engine = create_async_engine(url, pool_size=10, max_overflow=0, pool_pre_ping=True, hide_parameters=True)

    async def transact(self, work: Callable[[Connection], T]) -> T:
        async with self._engine.begin() as connection:
            return await connection.run_sync(work)

    async def close(self) -> None:
        await self._engine.dispose()
