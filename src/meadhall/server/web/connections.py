"""Connections: how many a client has, and how long and how large the head of a request may be.

Uvicorn limits none of these. It waits for the end of a head for ever, reads header fields of any length, and keeps any number of
requests that a client sends before it has read an answer. So one client could take all connections and all memory of a hall. A
client that sends a body slowly, or that reads slowly, only takes some of its own connections.

A connection is a protocol of asyncio, which passes on what it gets to that of uvicorn. It learns from the gateway when a request
begins and ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from http import HTTPStatus
from math import inf
from typing import Any, Final, Protocol

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from meadhall.server.ops.addresses import address_group
from meadhall.server.ops.logs import OncePerInterval
from meadhall.server.web.forwarded import peer, trusted_by

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

HEAD_LIMIT: Final = 64 * 1024
"""Bytes of the request line and the header fields."""

HEAD_SECONDS = 10.0
"""Time for a request's head to arrive."""

BODY_SECONDS = 30.0
"""Time in which a part of a request's body must arrive, if its length is known."""

UNKNOWN_LIMIT: Final = 128 * 1024
"""Bytes of a request after its head if its length is unknown: chunks, their extensions, and trailers."""

IDLE_SECONDS: Final = 65
"""Seconds that an idle connection stays open: longer than proxies and clients keep it, whose next request would fail else."""

WAITING_LIMIT: Final = 8
"""Number of requests of one connection that wait while another one is answered (pipelining, RFC 9112, 9.3.2)."""

RETRY_AFTER: Final = 10
"""Seconds that a refused client should wait."""

_END: Final = b"\r\n\r\n"
_HEAD: Final = b"HTTP/1.1 "
_CONTINUE: Final = b"HTTP/1.1 100 "
_VERSIONS: Final = (b" HTTP/1.1\r\n", b" HTTP/1.0\r\n")


class Answering(Protocol):
    """A request that is being answered.

    Attributes:
        status: the status of the answer; 0: it has not begun.
        on_leaving: is called when the client has left.
    """

    status: int
    on_leaving: Callable[[], object] | None


CONNECTION: Final[ContextVar[Connection | None]] = ContextVar("connection", default=None)
"""The connection that a request came in by; None outside a server."""


class Connections:
    """The open connections. They are counted by the address of the client.

    Args:
        per_client: number of connections for one client address.
        total: number of all connections.
        proxies: addresses and networks of trusted proxies, separated by commas; "*" for all. Theirs aren't counted by address.
    """

    def __init__(self, per_client: int, total: int, proxies: str) -> None:
        self.open: set[Connection] = set()
        self._per_client = per_client
        self._total = total
        self._trusted = trusted_by(proxies)
        self._counted: Counter[str] = Counter()

    def accept(self, *, is_kept: bool = False, **given: Any) -> Connection:
        """Return a protocol for a new connection. ``is_kept``: an earlier self of this process has accepted it."""
        return Connection(AutoHTTPProtocol(**given), self, is_kept)

    def client(self, address: str) -> str | None:
        """Return under which address a connection is counted; None: it is a proxy's, whose clients are counted by request."""
        return None if address in self._trusted else address_group(address)

    def count(self, client: str | None) -> HTTPStatus | None:
        """Count a connection, or return the status with which it must be refused."""
        if len(self.open) >= self._total:
            log.warning("a connection was refused: %d are open, and the system's limit of open files allows no more", self._total)
            return HTTPStatus.SERVICE_UNAVAILABLE
        if client is None:
            return None
        if self._counted[client] >= self._per_client:
            log.warning(
                "a connection of %s was refused: it has %d open (MEADHALL_CONNECTIONS_PER_CLIENT)", client, self._per_client
            )
            return HTTPStatus.TOO_MANY_REQUESTS
        self._counted[client] += 1
        return None

    def discount(self, client: str | None) -> None:
        """Count a connection no longer."""
        if client is not None:
            self._counted[client] -= 1
            self._counted += Counter()  # without those who have left

    def check_deadlines(self, now: float) -> None:
        """Close all connections whose deadline has passed at ``now``, the time of the event loop."""
        for connection in tuple(self.open):
            if now > connection.deadline:
                connection.close_late()


class _Joined:
    """The transport for uvicorn. It holds the head of a response back until the content begins: one packet costs half of two."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head = b""
        self.is_closing = transport.is_closing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if self._head:
            data, self._head = self._head + data, b""
        elif data.startswith(_HEAD) and not data.startswith(_CONTINUE):
            self._head = data
            return
        self._transport.write(data)

    def flush(self) -> None:
        """Write the head of a response without content."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        self.flush()
        self._transport.close()


class Connection(asyncio.Protocol):
    """One connection.

    Attributes:
        request: the request that is being answered.
        is_lost: whether the client has left.
        deadline: until when the head of a request must have arrived, in seconds of the event loop.
    """

    def __init__(self, inner: Any, connections: Connections, is_kept: bool) -> None:
        self.request: Answering | None = None
        self.is_lost = False
        self.deadline = inf
        self._inner = inner
        self._connections = connections
        self._is_kept = is_kept
        self._client: str | None = None
        self._name = ""
        self._head = 0  # bytes of a head that has not ended; -1: it has ended, and its request begins in a moment
        self._body = 0  # bytes that are still missing of a body
        self._room = 0  # bytes that may follow beyond a body of known length, until the request has been answered
        self._waiting = 0  # requests that have arrived, but have not begun

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvloop's has another base class
        self._transport, self._loop = transport, asyncio.get_running_loop()
        self.pause_writing, self.resume_writing = self._inner.pause_writing, self._inner.resume_writing  # type: ignore[method-assign]
        place = transport.get_extra_info("peername")
        address = peer(place[0] if isinstance(place, tuple) else "")
        client = self._connections.client(address)
        self._name = client or f"the proxy {address}"
        refusal = self._connections.count(client)
        if refusal is not None:
            self._refuse(refusal, f"retry-after: {RETRY_AFTER}")
            return
        self._client = client
        self._connections.open.add(self)
        self.deadline = self._loop.time() + (IDLE_SECONDS if self._is_kept else HEAD_SECONDS)
        self._joined = _Joined(transport)
        self._inner.connection_made(self._joined)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost, self.deadline = True, inf
        if self in self._connections.open:
            self._connections.open.discard(self)
            self._connections.discount(self._client)
            self._inner.connection_lost(exc)
            if self.request is not None and self.request.on_leaving is not None:  # uvicorn tells only the last of several
                self.request.on_leaving()

    def eof_received(self) -> None:
        if self in self._connections.open:
            self._inner.eof_received()

    def data_received(self, data: bytes) -> None:
        if self not in self._connections.open or self._transport.is_closing():
            return
        if self._body > 0:
            self._expect_body(self._body - len(data))
        elif self.request is not None:
            self._room -= len(data)
            if self._room < 0:
                log.warning("a connection of %s was closed: a request without a length has too many bytes", self._name)
                self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
                return
        elif not self._is_head_right(data):
            log.warning("a request of %s was refused: its head has more than %d bytes", self._name, HEAD_LIMIT)
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
            return
        self._waiting += sum([data.count(version) for version in _VERSIONS])
        if self._waiting > WAITING_LIMIT + 1:
            log.warning("a connection of %s was closed: more than %d of its requests wait", self._name, WAITING_LIMIT)
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS)
            return
        before = CONNECTION.set(self)
        try:
            self._inner.data_received(data)
        finally:
            CONNECTION.reset(before)

    def _is_head_right(self, data: bytes) -> bool:
        """Return whether the head of a request may go on with these bytes. Empty lines before it belong to it."""
        if self._head == 0:
            self._waiting = 0
            self.deadline = self._loop.time() + HEAD_SECONDS
            data = data.lstrip(b"\r\n") or data
        elif self._head < 0:
            self._body -= len(data)
            return True
        room = HEAD_LIMIT - self._head
        self._head += len(data)
        end = data.find(_END, 0, room)
        if end > 0:
            self._head, self._body = -1, end + len(_END) - len(data)
        return end > 0 or len(data) <= room

    def _expect_body(self, missing: int) -> None:
        self._body = missing
        self.deadline = self._loop.time() + BODY_SECONDS if missing > 0 else inf

    def begin(self, request: Answering, length: int) -> None:
        """Note that a request is being answered now. ``length``: bytes of its body; 0 if that is unknown."""
        self.request, self._head, self._room = request, 0, UNKNOWN_LIMIT
        self._waiting -= 1
        self._expect_body(self._body + length)

    def end(self) -> None:
        """Note that the request has been answered. The rest of its body may follow."""
        self.request = None
        self._joined.flush()
        self._body = max(self._body, 0)

    def close_late(self) -> None:
        """Close the connection, because its deadline has passed."""
        if self._head or self.request is not None:
            log.warning("a connection of %s was closed: its request did not arrive in time", self._name)
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self._transport.close()  # a browser's spare connection

    # ------------------------------------------------------------------------------------------------------------ handing over

    def pause(self) -> bool:
        """Read no further request. Return whether each one that was read has been answered."""
        if self._transport.is_closing():
            return True
        if self.request is not None or self._head or self._body > 0:
            return False
        self._transport.pause_reading()
        return not self._transport.get_write_buffer_size()

    def hand_over(self) -> int | None:
        """Return a file descriptor of this connection for another process. Cut the connection if a request is under way."""
        if self.pause() and not self._transport.is_closing():
            return os.dup(self._transport.get_extra_info("socket").fileno())
        self._transport.abort()
        return None

    def _refuse(self, status: HTTPStatus, *headers: str) -> None:
        """Close the connection with a refusal, or without one if an answer has begun."""
        self.deadline = inf
        if self.request is not None and self.request.status:
            self._transport.abort()
            return
        text = f"{status.value} {status.phrase}"
        lines = [f"HTTP/1.1 {text}", "content-type: text/plain", f"content-length: {len(text)}", "connection: close", *headers]
        self._transport.write("\r\n".join([*lines, "", text]).encode())
        self._transport.close()
