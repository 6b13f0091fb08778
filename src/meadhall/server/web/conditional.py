"""Conditional requests (RFC 9110, 13): a response that a client has kept is answered with 304, without its content.

This concerns static files, and every response with a ``Cache-Control`` other than ``no-store``: the service worker, the manifest,
pictures.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from http import HTTPStatus
from typing import Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPResponseStartEvent, HTTPScope, Message, Receive, Scope, Send

_ABOUT_THE_CONTENT: Final = (b"content-type", b"content-length", b"content-disposition")

_DIGITS: Final = 32
"""Hexadecimal digits of an ETag."""


class _Response:
    """Sends one response. It holds a response that a client may keep back until its digest is known."""

    def __init__(self, scope: HTTPScope, send: Send) -> None:
        self._is_static = scope["path"].startswith("/static/")
        self._asked = {name.lower(): value for name, value in scope["headers"]}
        self._send = send
        self._start: HTTPResponseStartEvent | None = None
        self._body = bytearray()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and self._may_be_kept(message):
            self._start = message
        elif message["type"] == "http.response.body" and self._start is not None:
            self._body += message["body"]
            if not message["more_body"]:
                await self._send_whole(self._start)
        else:
            await self._send(message)

    def _may_be_kept(self, start: HTTPResponseStartEvent) -> bool:
        caching = _value(start, b"cache-control") or (b"no-cache" if self._is_static else b"no-store")
        return start["status"] == HTTPStatus.OK and b"no-store" not in caching

    async def _send_whole(self, start: HTTPResponseStartEvent) -> None:
        body = bytes(self._body)
        # Of the content alone, so all machines have the same. It is weak, because the content may be compressed afterwards.
        tag = b'W/"%s"' % sha256(body).hexdigest()[:_DIGITS].encode()
        headers = [*((name, value) for name, value in start["headers"] if name.lower() != b"etag"), (b"etag", tag)]
        status = start["status"]
        if self._is_unchanged(tag, _value(start, b"last-modified")):
            status, body = HTTPStatus.NOT_MODIFIED, b""
            headers = [(name, value) for name, value in headers if name.lower() not in _ABOUT_THE_CONTENT]
            headers.append((b"vary", b"Accept-Encoding"))  # as with its content
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    def _is_unchanged(self, tag: bytes, modified: bytes | None) -> bool:
        """Return whether the client has this response. The date counts only without a tag, which is more exact."""
        tags = self._asked.get(b"if-none-match")
        if tags is not None:
            known = [each.strip().removeprefix(b"W/") for each in tags.split(b",")]
            return known == [b"*"] or tag.removeprefix(b"W/") in known
        since = self._asked.get(b"if-modified-since")
        return since is not None and modified is not None and _moment(modified) <= _moment(since, otherwise=datetime.min)


def _value(start: HTTPResponseStartEvent, wanted: bytes) -> bytes | None:
    return next((value for name, value in start["headers"] if name.lower() == wanted), None)


def _moment(text: bytes, otherwise: datetime = datetime.max) -> datetime:
    try:
        return parsedate_to_datetime(text.decode("latin-1")).astimezone(UTC)
    except (ValueError, OverflowError):
        return otherwise.replace(tzinfo=UTC)


def answer_conditional_requests(app: ASGIApp) -> ASGIApp:
    """Wrap ``app`` so that responses that a client may keep have an ETag, and aren't sent again to a client that has them."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP and scope["method"] == "GET":
            send = _Response(scope, send).send
        await app(scope, receive, send)

    return answering
