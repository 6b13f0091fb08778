"""The listener: a connection to PostgreSQL on which a process hears what other processes change.

On the same connection a room reads its new entries. It also answers the question whether this process knows every change so far.
PostgreSQL hands a notice to all listening connections before it confirms the commit to the process that made the change, and it
delivers waiting notices before the answer to the next query. So after one short query on this connection, this process knows of
every change that was acknowledged before.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import asyncpg
from sqlalchemy import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from meadhall.server.ops.log_limit import OncePerInterval
from meadhall.server.store.connections import postgres_engine
from meadhall.server.store.notices import CHANNEL, Notice, NoticeKind

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

Handler = Callable[[Notice], object]

_TIMEOUT: Final = 5.0
"""Seconds after which a connection that does not answer counts as lost."""

_CHECK_INTERVAL: Final = 10.0
"""Seconds without a query after which the connection is checked. A cut network doesn't close it."""

_FIRST_DELAY: Final = 0.05
_LONGEST_DELAY: Final = 2.0
"""Seconds before the first and, doubled each time, before later attempts to connect again."""

_CONNECTION_ERRORS: Final = (
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the connection broke while an answer was being read
    SQLAlchemyError,
)


class Listener:
    """Hears the notices of other processes, and sends those that no transaction sends.

    Args:
        url: the database.
        sender: the name of this process in its notices. It does not hear its own.
        witness: called with the moment of each notice, before its handlers.

    Attributes:
        connected: whether it hears everything. While it is False, nothing in memory can be relied on to be up to date.
    """

    def __init__(self, url: URL, sender: str, witness: Callable[[int], None]) -> None:
        self.connected = False
        self._url = url
        self._sender = sender
        self._witness = witness
        self._handlers: defaultdict[NoticeKind, list[Handler]] = defaultdict(list)
        self._gap_handlers: list[Callable[[], object]] = []
        self._waiting: list[asyncio.Future[bool]] = []
        self._outgoing: list[str] = []
        self._queries: list[tuple[str, tuple[Any, ...], asyncio.Future[Any]]] = []
        self._wakeup = asyncio.Event()
        self._is_ended = False  # whether the connection was closed by the server

    def on(self, kind: NoticeKind, handler: Handler) -> None:
        """Call ``handler`` with each notice of a kind that another process sends."""
        self._handlers[kind].append(handler)

    def on_gap(self, handler: Callable[[], object]) -> None:
        """Call ``handler`` whenever the listener has connected: it may have missed any number of notices before."""
        self._gap_handlers.append(handler)

    def send(self, payload: str) -> None:
        """Send a notice soon. It is lost if the connection is lost: after that the handlers of a gap tell everything again."""
        if self.connected:
            self._outgoing.append(payload)
            self._wakeup.set()

    async def synced(self) -> bool:
        """Wait until every change that was acknowledged before this call is known. Return False if the connection is lost.

        Calls at the same time share one query.
        """
        if not self.connected:
            return False
        waiter: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        self._wakeup.set()
        return await waiter

    async def fetch(self, query: str, *values: Any) -> Sequence[Any]:
        """Return the rows of a short query, which this connection answers at a sixth of the cost of one in a pool.

        Raises ConnectionError if the connection is lost.
        """
        if not self.connected:
            raise ConnectionError
        rows: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queries.append((query, values, rows))
        self._wakeup.set()
        return await rows  # type: ignore[no-any-return]

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Listen during the block. Begin it when the first attempt to connect has succeeded or failed."""
        tried = asyncio.Event()
        task = asyncio.create_task(self._run(tried))
        await tried.wait()
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self, tried: asyncio.Event) -> None:
        """Connect, listen until the connection is lost, and connect again."""
        delay = _FIRST_DELAY
        while True:
            try:
                async with self._connection() as connection:
                    delay = _FIRST_DELAY
                    self._begin()
                    tried.set()
                    await self._exchange(connection)
            except _CONNECTION_ERRORS as error:
                message = str(error).partition("\n")[0] or type(error).__name__
                log.warning("the connection that hears of other processes is lost: %s", message)
            except Exception:
                log.exception("the connection that hears of other processes has failed")
            finally:
                self._end()
                tried.set()
            await asyncio.sleep(delay * random.uniform(0.5, 1.0))
            delay = min(2 * delay, _LONGEST_DELAY)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        """Return a connection that listens. It is in no pool, so that an exhausted pool does not delay notices."""
        engine = postgres_engine(self._url, _TIMEOUT, poolclass=NullPool)
        try:
            async with engine.connect() as wrapper:
                connection: Any = (await wrapper.get_raw_connection()).driver_connection
                try:
                    connection.add_termination_listener(self._note_end)
                    async with asyncio.timeout(_TIMEOUT):
                        await connection.add_listener(CHANNEL, self._receive)
                    yield connection
                finally:
                    connection.terminate()  # at once: the server may not answer
                    with suppress(*_CONNECTION_ERRORS):
                        await wrapper.invalidate()
        finally:
            await engine.dispose()

    async def _exchange(self, connection: Any) -> None:
        """Send what is waiting, and answer who waits to be up to date: all of them with one query at a time."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_CHECK_INTERVAL):
                    await self._wakeup.wait()
            self._wakeup.clear()
            if self._is_ended:
                raise ConnectionResetError("the server has closed it")
            outgoing, self._outgoing = self._outgoing, []
            waiting, self._waiting = self._waiting, []
            queries, self._queries = self._queries, []
            try:
                async with asyncio.timeout(_TIMEOUT):
                    for query, values, rows in queries:
                        _answer([rows], await connection.fetch(query, *values))
                    if outgoing:
                        await connection.fetch("SELECT pg_notify($1, payload) FROM unnest($2::text[]) payload", CHANNEL, outgoing)
                    elif not queries:
                        await connection.fetchval("SELECT 1")
            except BaseException:
                self._waiting += waiting  # they are answered when the connection has ended
                self._queries += queries
                raise
            _answer(waiting, True)

    def _begin(self) -> None:
        self.connected, self._is_ended = True, False
        for handler in self._gap_handlers:
            handler()

    def _end(self) -> None:
        self.connected = False
        waiting, self._waiting, self._outgoing = self._waiting, [], []
        _answer(waiting, False)
        queries, self._queries = self._queries, []
        for _, _, rows in queries:
            if not rows.done():
                rows.set_exception(ConnectionError())

    def _note_end(self, _connection: Any) -> None:
        self._is_ended = True
        self._wakeup.set()

    def _receive(self, _connection: Any, _pid: int, _channel: str, payload: Any) -> None:
        notice = Notice.decode(str(payload))
        if notice is None:
            log.warning("a notice of another version of Meadhall was ignored")
        elif notice.sender != self._sender:
            self._witness(notice.stamp)
            for handler in self._handlers[notice.kind]:
                try:
                    handler(notice)
                except Exception:
                    log.exception("a notice about %s could not be handled", notice.kind)


def _answer(waiting: Iterable[asyncio.Future[Any]], answer: Any) -> None:
    for waiter in waiting:
        if not waiter.done():  # the request may have been cancelled
            waiter.set_result(answer)
