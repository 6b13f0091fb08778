"""Send little: compressed as the client accepts it, by zstd (RFC 8878), else gzip (RFC 1952), and nothing that the client has.

A response that a client has kept is answered with 304, without its content (RFC 9110, 13). This concerns static files, and every
response with a ``Cache-Control`` other than ``no-store``: the service worker, the manifest, pictures.

Event streams are sent as they are: a message has 1 to 2 KB, and a compressor would take 170 KB of memory for every open page
(docs/decisions/0032-regions.md).
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from hashlib import sha256
from http import HTTPStatus
from typing import Final

from litestar.types import HTTPScope

from meadhall.server.web.request import weighted

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MINIMUM_SIZE: Final = 500
"""Bytes of a response that is worth compressing."""

_STATIC_KEPT: Final = 256
"""Static files that are kept compressed. All together have a few MB."""

_COMPRESSIBLE: Final = re.compile(r"text/|application/(json|javascript|toml)\b|[^;]*\+(json|xml)\b")
"""Types of content that compression makes smaller."""
_GZIP_LEVEL: Final = 5
_ZSTD_LEVEL: Final = 3
_BEST_GZIP_LEVEL: Final = 9
_BEST_ZSTD_LEVEL: Final = 12
_IN_GZIP: Final = 16
"""Added to zlib's ``wbits``, the size of the window, it means the header of gzip."""

_LARGEST_WINDOW: Final = 15

ENCODINGS: Final = ("zstd", "gzip")
"""The encodings in the order of preference."""


Headers = list[tuple[bytes, bytes]]


@lru_cache(maxsize=256)
def accepted_encoding(header: bytes) -> str | None:
    """Return the encoding to use for a client with this Accept-Encoding header (RFC 9110, 12.5.3); None: send it as it is."""
    weights = dict(weighted(header.decode("latin-1")))
    for encoding in ENCODINGS:
        if weights.get(encoding, weights.get("*", 0.0)) > 0:
            return encoding
    return None


def compressed_whole(body: bytes, encoding: str, best: bool = False) -> bytes:
    """Compress a whole response."""
    if encoding == "zstd":
        return zstd.compress(body, _BEST_ZSTD_LEVEL if best else _ZSTD_LEVEL)
    return zlib.compress(body, _BEST_GZIP_LEVEL if best else _GZIP_LEVEL, _IN_GZIP + _LARGEST_WINDOW)


@lru_cache(maxsize=_STATIC_KEPT)
def _compressed_file(body: bytes, encoding: str) -> bytes:
    return compressed_whole(body, encoding, best=True)


def is_text(headers: Mapping[bytes, bytes]) -> bool:
    """Return whether a response with these headers gets smaller by compression."""
    return _COMPRESSIBLE.match(headers.get(b"content-type", b"").decode("latin-1")) is not None


def compressed(scope: HTTPScope, headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """Compress a text, unless it is short or the client doesn't accept it."""
    headers = [*headers, (b"vary", b"Accept-Encoding")]
    accepted = b", ".join([value for name, value in scope["headers"] if name == b"accept-encoding"])
    encoding = accepted_encoding(accepted) if len(body) >= MINIMUM_SIZE else None
    if encoding is None or any(name.lower() == b"content-encoding" for name, _ in headers):
        return headers, body
    is_static = scope["path"].startswith("/static/")
    body = _compressed_file(body, encoding) if is_static else compressed_whole(body, encoding)
    # an ETag becomes weak: the bytes differ now
    headers = [(name, b"W/" + value if name.lower() == b"etag" and value[:1] == b'"' else value) for name, value in headers]
    return _with(headers, (b"content-encoding", encoding.encode()), (b"content-length", b"%d" % len(body))), body


def _with(headers: Headers, *others: tuple[bytes, bytes]) -> Headers:
    """Return headers with others in place of those with the same names."""
    replaced = {name for name, _ in others}
    return [*[(name, value) for name, value in headers if name.lower() not in replaced], *others]


# --------------------------------------------------------------------------------------------------------- what the client has


_ABOUT_THE_CONTENT: Final = (b"content-type", b"content-length", b"content-disposition")

_DIGITS: Final = 32
"""Hexadecimal digits of an ETag."""


def tagged(scope: HTTPScope, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
    """Return the status, the headers and the content of a response that a client may keep: with an ETag, and 304 if it has it."""
    # Of the content alone, so all machines have the same. It is weak, because the content may be compressed afterwards.
    tag = b'W/"%s"' % sha256(body).hexdigest()[:_DIGITS].encode()
    modified = next((value for name, value in headers if name.lower() == b"last-modified"), None)
    headers = [*((name, value) for name, value in headers if name.lower() != b"etag"), (b"etag", tag)]
    if not _is_unchanged(dict(scope["headers"]), tag, modified):
        return HTTPStatus.OK, headers, body
    headers = [(name, value) for name, value in headers if name.lower() not in _ABOUT_THE_CONTENT]
    return HTTPStatus.NOT_MODIFIED, [*headers, (b"vary", b"Accept-Encoding")], b""  # as with its content


def _is_unchanged(asked: Mapping[bytes, bytes], tag: bytes, modified: bytes | None) -> bool:
    """Return whether the client has this response. The date counts only without a tag, which is more exact."""
    tags = asked.get(b"if-none-match")
    if tags is not None:
        known = [each.strip().removeprefix(b"W/") for each in tags.split(b",")]
        return known == [b"*"] or tag.removeprefix(b"W/") in known
    since = asked.get(b"if-modified-since")
    return since is not None and modified is not None and _moment(modified) <= _moment(since, otherwise=datetime.min)


def _moment(text: bytes, otherwise: datetime = datetime.max) -> datetime:
    try:
        return parsedate_to_datetime(text.decode("latin-1")).astimezone(UTC)
    except (ValueError, OverflowError):
        return otherwise.replace(tzinfo=UTC)
