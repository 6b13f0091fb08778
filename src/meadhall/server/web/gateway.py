"""The gateway: what is done for every request before its route and after it, in one place.

On the way in: the id of the request, the headers of trusted proxies, the sub-path, the Host header, requests of other sites, and
the limits of a client. On the way out: the headers of every response, HEAD, compression, and what a client has kept. A stream
sends its events past all this.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from secrets import token_hex
from time import perf_counter
from typing import Any, Final, cast

from litestar.enums import ScopeType
from litestar.exceptions import TooManyRequestsException
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from litestar.utils import normalize_path

from meadhall.server.ops.addresses import address_group
from meadhall.server.ops.logs import OncePerInterval, request_id
from meadhall.server.ops.metrics import REQUESTS
from meadhall.server.settings import Settings
from meadhall.server.web.compression import Headers, compressed, is_text, tagged
from meadhall.server.web.connections import CONNECTION, RETRY_AFTER
from meadhall.server.web.forwarded import FORWARDED, Proxies, is_host, peer
from meadhall.server.web.known_devices import device_cookie
from meadhall.server.web.limits import RequestLimit
from meadhall.server.web.sessions import session_cookie

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

Refuse = Callable[[Scope, Receive, Send, Exception], Awaitable[None]]
"""Answers a request that is refused."""

_ID: Final = b"x-request-id"
_ACCEPTED_ID: Final = re.compile(rb"[A-Za-z0-9._:=@+/-]{1,128}")
"""The form of a request id from a proxy. Anything else could break a line of the log."""

_ID_BYTES: Final = 8

_SECURITY: Final = {
    b"content-security-policy": b"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    b"referrer-policy": b"same-origin",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
}

# Pages of other sites may use the API, which asks for a bearer token (CORS, Fetch Standard 3.2). Cookies are never accepted with
# such a request, so no site can act for a guest of the hall.
_API: Final = "/api/"
_ANY_ORIGIN: Final = (b"access-control-allow-origin", b"*")
_READABLE: Final = (b"access-control-expose-headers", b"Allow, Location, Retry-After, X-Request-ID")
_PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"GET, HEAD, POST, DELETE"),
    (b"access-control-allow-headers", b"Authorization, Content-Type, Idempotency-Key, Last-Event-ID"),
    (b"access-control-max-age", b"86400"),
)

_BAD_HOST: Final = b"The Host header of this request is not a valid host name."

_NOT_MEASURED: Final = ("/stream", "/events", "/metrics")
"""The ends of addresses whose requests aren't measured: a stream lasts as long as its page is open."""


class Exchange:
    """One request and its response.

    Attributes:
        id: the id of the request, which stands in the log, in a header of the response, and on the page of an error.
        status: the status of the response; 0 until it begins.
        direct: sends a part of a response that has begun, past everything here.
        on_leaving: is called when the client has left.
    """

    __slots__ = ("_body", "_is_head", "_scope", "_send", "_start", "direct", "id", "more", "on_leaving", "status")

    def __init__(self, scope: HTTPScope, send: Send, id: str) -> None:
        self.id = id
        self.status = 0
        self.direct: Send = send
        self.on_leaving: Callable[[], object] | None = None
        self.more: Headers = [(_ID, id.encode())]  # headers of the response that the way in has found
        self._scope = scope
        self._send = send
        self._is_head = False
        self._start: Headers | None = None  # held back until the whole content is known
        self._body = b""

    def answer_head(self) -> None:
        """Answer the request like GET, without the content (RFC 9110, 9.3.2)."""
        self._scope["method"] = "GET"
        self._is_head, self.direct = True, self.send

    async def answer(self, status: int, headers: Headers, body: bytes = b"") -> None:
        """Send a whole response."""
        self.status = status
        length = [] if status == HTTPStatus.NO_CONTENT else [(b"content-length", b"%d" % len(body))]
        await self._whole([*headers, *length], body)

    async def send(self, message: Message) -> None:
        """Send a part of the response of a route."""
        if message["type"] == "http.response.start":
            self.status, headers = message["status"], cast("Headers", message["headers"])
            if any(name.lower() == b"content-length" for name, _ in headers):
                self._start = headers
                return
            await self._send({"type": "http.response.start", "status": self.status, "headers": self._all(headers)})
            if self._is_head:
                await self._end()  # ends streams, too
        elif message["type"] == "http.response.body" and self._start is not None:
            self._body = self._body + message["body"] if self._body else message["body"]
            if not message["more_body"]:
                await self._whole(self._start, self._body)
        elif not self._is_head:
            await self._send(message)

    async def _whole(self, headers: Headers, body: bytes) -> None:
        headers, status = self._all(headers), self.status
        by_name = {name.lower(): value for name, value in headers}
        if self._scope["method"] == "GET" and status == HTTPStatus.OK and b"no-store" not in by_name[b"cache-control"]:
            status, headers, body = tagged(self._scope, headers, body)
        if status != HTTPStatus.NOT_MODIFIED and is_text(by_name):
            headers, body = compressed(self._scope, headers, body)
        self.status = status
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._end(body)

    async def _end(self, body: bytes = b"") -> None:
        if self._is_head:  # now the server may know it: it demands the whole content of a response to GET
            self._scope["method"], body = "HEAD", b""
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    def _all(self, headers: Headers) -> Headers:
        """Return all headers of the response. It may have a security policy and a caching for itself."""
        scope = self._scope
        given = {name.lower() for name, _ in headers}
        added = [header for header in _SECURITY.items() if header[0] not in given]
        if scope["path"].startswith("/static/") and self.status == HTTPStatus.OK:
            versioned = b"v=" in scope["query_string"]  # the address changes with the file's content
            added.append((b"cache-control", b"public, max-age=31536000, immutable" if versioned else b"no-cache"))
        elif b"cache-control" not in given:
            added.append((b"cache-control", b"no-store"))
        state = scope["state"]
        if new_session := state.get("new_session"):
            added.append((b"set-cookie", session_cookie(new_session, scope).encode()))
        if new_device := state.get("new_device"):
            added.append((b"set-cookie", device_cookie(new_device, scope).encode()))
        return [*headers, *added, *self.more]


Direct = Callable[[HTTPScope, Receive, Exchange, str], Awaitable[None]]
"""Answers a post to the table with this id."""


class Gateway:
    """Wraps the application of a hall.

    Args:
        app: finds the route of a request, and answers it.
        note: hears of each request that is measured.
        refuse: answers a request with too many before it.
        limit: the limit on requests of an address; None without one.
        unlimited: the paths without that limit.
    """

    def __init__(
        self, app: ASGIApp, note: Callable[[], None], refuse: Refuse, limit: RequestLimit | None, unlimited: re.Pattern[str]
    ) -> None:
        self.direct: dict[tuple[str, str], Direct] = {}  # by the two ends of an address around a table's id: posts of every move
        self._app = app
        self._note = note
        self._refuse = refuse
        self._limit = limit
        self._unlimited = unlimited
        self.serve(Settings())

    def serve(self, settings: Settings) -> None:
        """Answer requests of a hall with these settings from now on."""
        self._prefix = settings.sub_path
        self._proxies = Proxies(self._forwarded, settings.proxies, settings.public_url)
        self._most = settings.connections_per_client
        self._open: Counter[str] = Counter()  # requests by client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        names = dict(scope["headers"])
        address, port = scope["client"] or ("", 0)
        address = peer(address)
        scope["client"], is_proxy = (address, port), address in self._proxies
        given = names.get(_ID, b"") if is_proxy else b""
        id = given.decode() if given and _ACCEPTED_ID.fullmatch(given) else token_hex(_ID_BYTES)
        request_id.set(id)  # in the context of this request's task
        exchange = Exchange(scope, send, id)
        connection, state = CONNECTION.get(), scope.setdefault("state", {})
        state["exchange"] = exchange
        if connection is not None:
            connection.begin(exchange, _length(names))
        try:
            if is_proxy and not FORWARDED.isdisjoint(names):
                await self._proxies.forward(scope, receive, exchange.send)
            else:
                self._proxies.use_public_scheme(scope, names.get(b"host", b""))
                await self._counted(scope, receive, exchange)
        finally:
            del state["exchange"]  # a connection that its own request refers to would stay in memory for a while
            if connection is not None:
                connection.end()

    async def _forwarded(self, scope: Scope, receive: Receive, _send: Send) -> None:
        await self._counted(cast("HTTPScope", scope), receive, scope["state"]["exchange"])

    async def _counted(self, scope: HTTPScope, receive: Receive, exchange: Exchange) -> None:
        """Count an open request by the client: those behind a proxy share its connections."""
        client = address_group(scope["client"][0]) if scope["client"] else "unknown"
        if self._open[client] >= self._most:
            log.warning("a request of %s was refused: it has %d open (MEADHALL_CONNECTIONS_PER_CLIENT)", client, self._most)
            await exchange.answer(HTTPStatus.TOO_MANY_REQUESTS, [(b"retry-after", b"%d" % RETRY_AFTER)])
            return
        self._open[client] += 1
        try:
            await self._admitted(scope, receive, exchange, client)
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]

    async def _admitted(self, scope: HTTPScope, receive: Receive, exchange: Exchange, client: str) -> None:
        """Let a route answer a request if its address, its host and its number are right."""
        if scope["method"] == "HEAD":
            exchange.answer_head()
        if self._prefix and not self._remove_prefix(scope):
            query = b"?" + scope["query_string"] if scope["query_string"] else b""
            place = self._prefix.encode() + b"/" + query
            await exchange.answer(HTTPStatus.PERMANENT_REDIRECT, [(b"location", place)])
            return
        path = scope["path"] = normalize_path(scope["path"])  # whatever checks a path must see the route's
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(hosts) > 1 or not all(map(is_host, hosts)):
            await exchange.answer(HTTPStatus.BAD_REQUEST, [(b"content-type", b"text/plain; charset=utf-8")], _BAD_HOST)
            return
        if path.startswith(_API):
            exchange.more.append(_ANY_ORIGIN)
            if scope["method"] == "OPTIONS" and any(name == b"access-control-request-method" for name, _ in scope["headers"]):
                await exchange.answer(HTTPStatus.NO_CONTENT, list(_PREFLIGHT))
                return
            exchange.more.append(_READABLE)
        if self._limit is not None and not self._unlimited.fullmatch(path):
            left, seconds = self._limit.count(client)
            headers = self._limit.headers(left, seconds)
            if left < 0:
                await self._refuse(scope, receive, exchange.send, TooManyRequestsException(headers=headers))
                return
            exchange.more.extend([(name.encode(), value.encode()) for name, value in headers.items()])
        if path.endswith(_NOT_MEASURED) or path.startswith("/static/"):
            await self._app(scope, receive, exchange.send)
        else:
            await self._measured(scope, receive, exchange)

    async def _measured(self, scope: HTTPScope, receive: Receive, exchange: Exchange) -> None:
        self._note()
        began = perf_counter()
        REQUESTS.in_progress += 1
        before, _, end = scope["path"].rpartition("/")
        base, _, id = before.rpartition("/")
        direct = self.direct.get((base, end)) if scope["method"] == "POST" else None
        try:
            if direct is None:
                await self._app(scope, receive, exchange.send)
            else:
                await direct(scope, receive, exchange, id)
        finally:
            template: Any = scope.get("path_template")
            REQUESTS.in_progress -= 1
            if template is not None:  # else there is no such page
                REQUESTS.count(scope["method"], template, exchange.status or 500, perf_counter() - began)

    def _remove_prefix(self, scope: HTTPScope) -> bool:
        """Give a request the path without the sub-path of the hall. Return False if that has no slash at its end.

        The proxy passes the whole path. One that has removed the sub-path is answered as well, and so are programs on the same
        machine that ask for ``/health`` or ``/metrics``.
        """
        path, prefix = scope["path"], self._prefix
        if path == prefix:
            return False
        if path.startswith(f"{prefix}/"):
            scope["path"] = path.removeprefix(prefix)
            scope["raw_path"] = scope["raw_path"].removeprefix(prefix.encode())
        return True


def _length(headers: dict[bytes, bytes]) -> int:
    """Return the length of a body; 0 if it isn't known."""
    text = headers.get(b"content-length", b"")
    return int(text) if text.isdigit() else 0
