"""HEAD: every page answers it like GET, without the body (RFC 9110, 9.3.2)."""

from __future__ import annotations

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from meadhall.server.web.event_stream import direct


def answer_head(app: ASGIApp) -> ASGIApp:
    """Wrap ``app``, which knows only GET, so that it answers HEAD too."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or scope["method"] != "HEAD":
            await app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})  # ends streams, too

        as_get: HTTPScope = {**scope, "method": "GET"}
        with direct(as_get, send_head):
            await app(as_get, receive, send_head)

    return answering
