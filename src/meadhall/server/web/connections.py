"""Limits on connections: their number, the size of a request's head, the time in which a request must arrive, and how many wait.

Uvicorn hands a request over when its head is complete. Before that it collects header fields of any length, in quadratic time,
and waits for ever. Requests that a client sends before it has read an answer wait in a queue without a limit, even after the
connection is lost. So the limits are checked here, below the application.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable
from http import HTTPStatus
from math import inf
from typing import Any, Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from meadhall.server.ops.log_limit import OncePerInterval
from meadhall.server.web.forwarded import TrustedProxies, peer
from meadhall.server.web.request import address_group

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

HEAD_LIMIT: Final = 64 * 1024
"""Bytes of the request line and the header fields. What frames a body counts, too, beyond the size of the body: chunks of single
bytes, their extensions, and trailers."""

HEAD_SECONDS = 10.0
"""Time for a request's head to arrive."""

BODY_SECONDS = 30.0
"""Time in which a request's body must grow by ``BODY_STEP`` or end."""

BODY_STEP: Final = 1024
"""Bytes that count as progress: a body of single bytes would otherwise hold a connection for days."""

WRITE_SECONDS = 60.0
"""Time in which a client must read part of a response that waits for it."""

WAITING_LIMIT: Final = 8
"""Number of requests of one connection that wait while another one is answered (pipelining, RFC 9112, 9.3.2)."""

RETRY_AFTER: Final = 10
"""Seconds that a refused client should wait."""

_PART: Final = 8 * 1024
"""Bytes that are parsed before the limit is checked again."""


class ConnectionLimits:
    """Counts open connections by the address of the client, and requests that trusted proxies forward by the forwarded address.

    Args:
        per_client: number of connections, and of open requests, for one client address.
        total: number of all connections.
        proxies: addresses and networks of trusted proxies, separated by commas; "*" for all.
    """

    def __init__(self, per_client: int, total: int, proxies: str) -> None:
        self.per_client = per_client
        self._total = total
        self._proxies = TrustedProxies(proxies)
        self._open = 0
        self._connections: Counter[str | None] = Counter()
        self._requests: Counter[str] = Counter()

    def client(self, address: str) -> str | None:
        """Return under which address a connection is counted; None: it is a proxy's, whose clients are counted by request."""
        return None if address in self._proxies else address_group(address)

    def connect(self, client: str | None) -> HTTPStatus | None:
        """Count a connection, or return the status with which it must be refused."""
        if self._open >= self._total:
            log.warning("a connection was refused: %d are open, and the system's limit of open files allows no more", self._total)
            return HTTPStatus.SERVICE_UNAVAILABLE
        if client is not None and self._connections[client] >= self.per_client:
            log.warning(
                "a connection of %s was refused: it has %d open (MEADHALL_CONNECTIONS_PER_CLIENT)", client, self.per_client
            )
            return HTTPStatus.TOO_MANY_REQUESTS
        self._open += 1
        self._connections[client] += 1
        return None

    def disconnect(self, client: str | None) -> None:
        """Count a connection no longer."""
        self._open -= 1
        _decrease(self._connections, client)

    def begin_request(self, client: str) -> bool:
        """Count a request until ``end_request``. Return False if the client has too many."""
        if self._requests[client] >= self.per_client:
            log.warning("a request of %s was refused: it has %d open (MEADHALL_CONNECTIONS_PER_CLIENT)", client, self.per_client)
            return False
        self._requests[client] += 1
        return True

    def end_request(self, client: str) -> None:
        """Count a request no longer."""
        _decrease(self._requests, client)


class LimitedConnection(HttpToolsProtocol):
    """A connection of uvicorn that refuses large heads and long queues of requests, and ends when a deadline passes."""

    def __init__(self, *given: Any, limits: ConnectionLimits, **named: Any) -> None:
        super().__init__(*given, **named)
        self._limits = limits
        self._counted_as: str | None = None
        self._is_counted = False
        self._overhead = 0  # bytes since the beginning of the head, or of the body; less twice those of the body itself
        self._progress = 0  # bytes of the body since the deadline was set
        self._deadline = inf
        self._write_deadline = inf
        self._answered: RequestResponseCycle | None = None  # ``cycle`` is the last request that has arrived

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._counted_as = self._limits.client(peer(self.client[0] if self.client else ""))
        refusal = self._limits.connect(self._counted_as)
        if refusal is not None:
            self._refuse(refusal, f"retry-after: {RETRY_AFTER}")
            return
        self._is_counted = True
        self._deadline = self.loop.time() + HEAD_SECONDS

    @property
    def _name(self) -> str:
        """The name of the client in the log."""
        return self._counted_as or f"the proxy {peer(self.client[0] if self.client else '')}"

    def connection_lost(self, exc: Exception | None) -> None:
        if self._is_counted:
            self._is_counted = False
            self._limits.disconnect(self._counted_as)
        self._deadline = self._write_deadline = inf
        self.pipeline.clear()
        super().connection_lost(exc)
        if self._answered is not None and not self._answered.response_complete:  # uvicorn tells only the last request
            self._answered.disconnected = True
            self._answered.message_event.set()

    # ----------------------------------------------------------------------------------------------------------- receiving

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), _PART):
            if self.transport.is_closing():
                return
            part = data[start : start + _PART]
            super().data_received(part)
            self._overhead += len(part)
            if self._overhead > HEAD_LIMIT:
                log.warning("a request of %s was refused: its head has more than %d bytes", self._name, HEAD_LIMIT)
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        if self._deadline == inf and self._is_idle():  # empty lines before a request: uvicorn has just cancelled its own timer
            self._deadline = self.loop.time() + HEAD_SECONDS

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._overhead = 0
        self._deadline = self.loop.time() + HEAD_SECONDS

    def on_headers_complete(self) -> None:
        if self.transport.is_closing():
            return
        if len(self.pipeline) >= WAITING_LIMIT:
            log.warning("a connection of %s was closed: more than %d of its requests wait", self._name, WAITING_LIMIT)
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS)
            return
        super().on_headers_complete()
        self._overhead = self._progress = 0
        self._deadline = self.loop.time() + BODY_SECONDS

    def on_body(self, body: bytes) -> None:
        if self.transport.is_closing():
            return
        super().on_body(body)
        self._overhead -= 2 * len(body)
        self._progress += len(body)
        if self._progress >= BODY_STEP and not self.cycle.response_complete:
            self._progress = 0
            self._deadline = self.loop.time() + BODY_SECONDS

    def on_message_complete(self) -> None:
        if self.transport.is_closing():
            return
        super().on_message_complete()
        self._overhead = 0
        self._deadline = inf

    # ------------------------------------------------------------------------------------------------------------- answering

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.pipeline and not self.transport.is_closing():
            self.flow.pause_reading()

    def _unsupported_upgrade_warning(self) -> None:
        """Log nothing: the request is answered as if it did not ask for another protocol (RFC 9110, 7.8)."""

    # ------------------------------------------------------------------------------------------------------------- deadlines

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_deadline = self.loop.time() + WRITE_SECONDS

    def resume_writing(self) -> None:
        super().resume_writing()
        self._write_deadline = inf

    def check_deadlines(self, now: float) -> None:
        """End the connection if a deadline has passed at ``now``, the time of the event loop."""
        if now > self._write_deadline:
            log.warning("a connection of %s was closed: it read nothing for %d s", self._name, WRITE_SECONDS)
            self.transport.abort()
        elif now > self._deadline and self.flow.read_paused:  # the server itself does not read
            self._deadline = now + BODY_SECONDS
        elif now > self._deadline:
            if self._overhead or not self._is_idle():
                log.warning("a connection of %s was closed: its request did not arrive in time", self._name)
                self._refuse(HTTPStatus.REQUEST_TIMEOUT)
            else:
                self.transport.close()  # a browser's spare connection

    def _is_idle(self) -> bool:
        """Return whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _refuse(self, status: HTTPStatus, *headers: str) -> None:
        """Close the connection with a refusal, or without one if a response has begun."""
        self._deadline = inf
        if self.cycle is not None and self.cycle.response_started and (self.cycle.more_body or not self.cycle.response_complete):
            self.transport.close() if self.cycle.response_complete else self.transport.abort()
            return
        text = f"{status.value} {status.phrase}"
        lines = [f"HTTP/1.1 {text}", "content-type: text/plain", f"content-length: {len(text)}", "connection: close", *headers]
        self.transport.write("\r\n".join([*lines, "", text]).encode())
        self.transport.close()


def check_deadlines(connections: Iterable[Any], now: float) -> None:
    """End all connections whose deadline has passed at ``now``, the time of the event loop."""
    for connection in tuple(connections):
        connection.check_deadlines(now)


def limit_requests(app: ASGIApp, limits: ConnectionLimits) -> ASGIApp:
    """Wrap ``app`` so that a client has a limited number of open requests, also behind a proxy, which shares its connections."""

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await app(scope, receive, send)
            return
        client = address_group(scope["client"][0]) if scope["client"] else "unknown"
        if not limits.begin_request(client):
            headers = [(b"content-length", b"0"), (b"retry-after", b"%d" % RETRY_AFTER)]
            await send({"type": "http.response.start", "status": HTTPStatus.TOO_MANY_REQUESTS, "headers": headers})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        try:
            await app(scope, receive, send)
        finally:
            limits.end_request(client)

    return limited


def _decrease(counts: Counter[Any], key: Any) -> None:
    counts[key] -= 1
    if counts[key] <= 0:
        del counts[key]
