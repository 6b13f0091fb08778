"""Connections to PostgreSQL: how a hall opens them, how it shares them, and whether a connection pooler is in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from enum import Enum
from typing import Any, Final

import asyncpg
from sqlalchemy import URL, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool, QueuePool

from meadhall.engine.text.language import gettext as _
from meadhall.server.store.file_lock import StoreUnusable

APPLICATION: Final = "meadhall"
"""How the connections of a hall are called in PostgreSQL, e.g. in pg_stat_activity."""

OF_HALLS: Final = rf"^{APPLICATION}( - |$)"
"""Pattern of these names. PgBouncer can add an address (``application_name_add_host``)."""

PROCESSES_OF_HALLS: Final = text(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name ~ :halls"
)

POOL_TIMEOUT: Final = 5.0
"""Seconds that a transaction waits for a connection."""

_CONNECT_TIMEOUT: Final = 10.0
"""Seconds after which a connection to PostgreSQL fails."""

_SET_TIMEOUT: Final = 2.0
"""Seconds that the first query of a connection may take. A pooler without a free connection lets it wait."""

IDLE_TIMEOUT: Final = 4.0
"""Seconds after which PostgreSQL rolls back a transaction that waits for the next query.

A process that is frozen in the middle of a transaction keeps its locks. This is how long it can hold up the others.
"""

_RETRY_INTERVAL: Final = 1.0
"""Seconds after which another connection is tried when the server had none left."""

_TOO_MANY: Final = "53300"
"""PostgreSQL's error code (SQLSTATE) for: no connection is left."""

_POOLER_IS_FULL: Final = "no more connections allowed"
"""PgBouncer says this instead, with a code that means many other things."""

_ROUNDS: Final = 3

_PROBE_TIMEOUT: Final = 5.0
"""Seconds that a connection may take when it is only tried."""

_UNNAMED: Final = {"statement_cache_size": 0, "prepared_statement_cache_size": 0, "prepared_statement_name_func": lambda: ""}
"""No statement of these connections stays prepared, so they work through every pooler."""


def postgres_engine(
    url: URL, timeout: float | None, application: str = APPLICATION, ends_idle: bool = False, **options: Any
) -> AsyncEngine:
    """Return an engine for PostgreSQL.

    Args:
        timeout: limits each query, in seconds; None: no limit.
        application: the name of its connections.
        ends_idle: whether PostgreSQL rolls back transactions that wait too long for their next query.
        options: as for ``create_async_engine``.
    """
    arguments: dict[str, Any] = {"command_timeout": timeout, "server_settings": {"application_name": application}}
    if timeout is not None:
        arguments["timeout"] = min(timeout, _CONNECT_TIMEOUT)
    if ends_idle:
        arguments["async_creator_fn"] = _connect
    arguments |= options.pop("connect_args", {})
    return create_async_engine(url, hide_parameters=True, connect_args=arguments, **options)


async def _connect(*place: Any, **options: Any) -> Any:
    """Open a connection and limit its idle transactions: by a query, because a pooler refuses this when it is connected to."""
    connection = await asyncpg.connect(*place, **options)
    try:
        await connection.execute(f"SET idle_in_transaction_session_timeout = {1000 * IDLE_TIMEOUT:.0f}", timeout=_SET_TIMEOUT)
    except BaseException:
        connection.terminate()
        raise
    return connection


class Connections:
    """A pool of connections.

    A transaction waits in the order of requests when all connections are in use, and also when PostgreSQL has none left for
    this process.

    Args:
        url, timeout, options: see ``postgres_engine``.
        size: the largest number of connections.
    """

    def __init__(self, url: URL, timeout: float | None, size: int, **options: Any) -> None:
        self._patience = POOL_TIMEOUT if timeout is None else min(timeout, POOL_TIMEOUT)
        self.engine = postgres_engine(
            url,
            timeout,
            ends_idle=timeout is not None,
            pool_size=size,
            max_overflow=0,
            pool_timeout=self._patience,
            pool_pre_ping=True,
            **options,
        )
        self.size = size
        self._free = asyncio.Semaphore(size)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """Run a transaction during the block. Raises an error of SQLAlchemy, and OSError."""
        connection = await self._connected()
        try:
            async with connection.begin():
                yield connection
        finally:
            try:
                await asyncio.shield(connection.close())
            finally:
                self._free.release()

    @property
    def in_use(self) -> int:
        """The number of connections that run a transaction."""
        pool = self.engine.pool
        assert isinstance(pool, QueuePool)
        return pool.checkedout()

    async def _connected(self) -> AsyncConnection:
        clock = asyncio.get_running_loop()
        until = clock.time() + self._patience
        failure: Exception = PoolTimeoutError("all connections to the database are in use")
        while True:
            try:
                async with asyncio.timeout_at(until):
                    await self._free.acquire()
            except TimeoutError:
                raise failure from None
            try:
                return await self.engine.connect()
            except (DBAPIError, TimeoutError) as error:
                if not _is_full(error):
                    self._free.release()
                    raise
                failure = error
                clock.call_later(_RETRY_INTERVAL, self._free.release)  # until then, one connection fewer is in use
            except BaseException:
                self._free.release()
                raise


def _is_full(error: DBAPIError | TimeoutError) -> bool:
    """Return whether the server has no connection left, or lets new ones wait."""
    if isinstance(error, TimeoutError):
        return True
    return getattr(error.orig, "sqlstate", None) == _TOO_MANY or _POOLER_IS_FULL in str(error.orig)


# -------------------------------------------------------------------------------------------------------------------- poolers


class Pooling(Enum):
    """How a hall's connections reach PostgreSQL: directly, or through a connection pooler such as PgBouncer."""

    NONE = "none"
    BY_SESSION = "session"
    """A connection of the hall has a connection of PostgreSQL for itself."""
    BY_TRANSACTION = "transaction"
    """A connection of PostgreSQL serves several clients in turn."""


async def pooling_of(url: URL) -> Pooling:
    """Return how connections reach PostgreSQL. Raises an error of SQLAlchemy, and OSError."""
    engine = postgres_engine(url, _PROBE_TIMEOUT, f"{APPLICATION} check", poolclass=NullPool, connect_args=_UNNAMED)
    try:
        async with engine.connect() as one:
            driver: Any = (await one.get_raw_connection()).driver_connection
            if await _backend(one) == driver.get_server_pid():  # a pooler tells its clients another number
                return Pooling.NONE
            async with engine.connect() as other:
                return await _mode(one, other)
    except DBAPIError as error:
        if "pooling mode" in str(error.orig):  # it allows no transactions at all
            return Pooling.BY_TRANSACTION
        raise
    finally:
        await engine.dispose()


async def _mode(one: AsyncConnection, other: AsyncConnection) -> Pooling:
    """Return the mode of a pooler: whether a connection finds itself elsewhere when another one was quicker."""
    for _round in range(_ROUNDS):
        before = await _backend(one)
        await one.rollback()
        taken = await _backend(other)
        after = await _backend(one)
        await other.rollback()
        if before == taken or before != after:
            return Pooling.BY_TRANSACTION
    return Pooling.BY_SESSION


async def _backend(connection: AsyncConnection) -> int:
    """Return the number of the PostgreSQL process that serves a connection, and keep it until the transaction ends."""
    return int((await connection.exec_driver_sql("SELECT pg_backend_pid()")).scalar_one())


async def refuse_shared_connections(url: URL) -> None:
    """Raise StoreUnusable if a pooler gives transactions different connections. Raises an error of SQLAlchemy, and OSError."""
    if await pooling_of(url) is Pooling.BY_TRANSACTION:
        raise StoreUnusable(f"{shared_connections(url)}; {advice_on_poolers()}")


def shared_connections(url: URL) -> str:
    """Return in words that a pooler shares connections."""
    return _("a connection pooler at {database} gives each transaction another connection, and a hall must keep its own").format(
        database=url
    )


def advice_on_poolers() -> str:
    """Return what to do about it."""
    return _("Set pool_mode = session for this database in pgbouncer.ini, or let MEADHALL_DATABASE_URL name PostgreSQL itself.")


async def connections_possible(url: URL, wanted: int) -> int:
    """Return how many connections halls can have: those that they have now, and those that can be opened, up to ``wanted``.

    Raises an error of SQLAlchemy, and OSError.
    """
    engine = postgres_engine(url, _PROBE_TIMEOUT, f"{APPLICATION} check", poolclass=NullPool, connect_args=_UNNAMED)
    try:
        async with AsyncExitStack() as stack:

            async def open_one() -> AsyncConnection:
                connection = await stack.enter_async_context(engine.connect())
                found.add(await _backend(connection))
                return connection

            found: set[int] = set()
            first = await open_one()
            found.update((await first.execute(PROCESSES_OF_HALLS, {"halls": OF_HALLS})).scalars())
            while len(found) < wanted:  # a pooler may give one that it has kept from a hall
                missing = wanted - len(found)
                tried = await asyncio.gather(*(open_one() for _number in range(missing)), return_exceptions=True)
                if any(isinstance(each, BaseException) for each in tried):
                    break
            return min(wanted, len(found))
    finally:
        await engine.dispose()
