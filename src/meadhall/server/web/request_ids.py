"""Ids of requests: each response and each log line of a request has its id, and so has the page of an internal error."""

from __future__ import annotations

import re
from secrets import token_hex
from typing import Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPResponseStartEvent, Message, Receive, Scope, Send

from meadhall.server.ops.logs import request_id
from meadhall.server.web.event_stream import direct
from meadhall.server.web.forwarded import TrustedProxies, peer

_HEADER: Final = b"x-request-id"

_ACCEPTED: Final = re.compile(rb"[A-Za-z0-9._:=@+/-]{1,128}")
"""The form of a request id from a proxy. Anything else could break a line of the log."""

_BYTES: Final = 8


def identify_requests(app: ASGIApp, proxies: str) -> ASGIApp:
    """Wrap ``app`` so that each request has an id: the one in the ``X-Request-ID`` of a trusted proxy, or a new one.

    Args:
        app: the application.
        proxies: addresses and networks of the proxies, separated by commas; "*" for all.
    """
    trusted = TrustedProxies(proxies)

    async def identifying(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await app(scope, receive, send)
            return
        given = _given(scope) if peer(scope["client"][0] if scope["client"] else "") in trusted else b""
        id = given or token_hex(_BYTES).encode()
        request_id.set(id.decode())  # in the context of this request's task

        async def send_identified(message: Message) -> None:
            if message["type"] == "http.response.start":
                start: HTTPResponseStartEvent = message
                message = {**start, "headers": [*start["headers"], (_HEADER, id)]}
            await send(message)

        with direct(scope, send):
            await app(scope, receive, send_identified)

    return identifying


def _given(scope: Scope) -> bytes:
    """Return the id that the headers give, b"" if there is none that can be accepted."""
    given = next((value for name, value in scope["headers"] if name == _HEADER), b"")
    return given if _ACCEPTED.fullmatch(given) else b""
