"""Conditional requests (RFC 9110, 13): a response that a client has kept is answered with 304, without its content.

This concerns static files, and every response with a ``Cache-Control`` other than ``no-store``: the service worker, the manifest,
pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from http import HTTPStatus
from typing import Final

from litestar.types import HTTPResponseStartEvent, HTTPScope

_ABOUT_THE_CONTENT: Final = (b"content-type", b"content-length", b"content-disposition")

_DIGITS: Final = 32
"""Hexadecimal digits of an ETag."""


def answered(scope: HTTPScope, start: HTTPResponseStartEvent, body: bytes) -> tuple[HTTPResponseStartEvent, bytes]:
    """Return a response with an ETag if a client may keep it, and without its content if the client has it."""
    caching = _value(start, b"cache-control") or (b"no-cache" if scope["path"].startswith("/static/") else b"no-store")
    if scope["method"] != "GET" or start["status"] != HTTPStatus.OK or b"no-store" in caching:
        return start, body
    # Of the content alone, so all machines have the same. It is weak, because the content may be compressed afterwards.
    tag = b'W/"%s"' % sha256(body).hexdigest()[:_DIGITS].encode()
    status, headers = (
        start["status"],
        [*((name, value) for name, value in start["headers"] if name.lower() != b"etag"), (b"etag", tag)],
    )
    if _is_unchanged(dict(scope["headers"]), tag, _value(start, b"last-modified")):
        status, body = HTTPStatus.NOT_MODIFIED, b""
        headers = [(name, value) for name, value in headers if name.lower() not in _ABOUT_THE_CONTENT]
        headers.append((b"vary", b"Accept-Encoding"))  # as with its content
    return {"type": "http.response.start", "status": status, "headers": headers}, body


def _is_unchanged(asked: Mapping[bytes, bytes], tag: bytes, modified: bytes | None) -> bool:
    """Return whether the client has this response. The date counts only without a tag, which is more exact."""
    tags = asked.get(b"if-none-match")
    if tags is not None:
        known = [each.strip().removeprefix(b"W/") for each in tags.split(b",")]
        return known == [b"*"] or tag.removeprefix(b"W/") in known
    since = asked.get(b"if-modified-since")
    return since is not None and modified is not None and _moment(modified) <= _moment(since, otherwise=datetime.min)


def _value(start: HTTPResponseStartEvent, wanted: bytes) -> bytes | None:
    return next((value for name, value in start["headers"] if name.lower() == wanted), None)


def _moment(text: bytes, otherwise: datetime = datetime.max) -> datetime:
    try:
        return parsedate_to_datetime(text.decode("latin-1")).astimezone(UTC)
    except (ValueError, OverflowError):
        return otherwise.replace(tzinfo=UTC)
