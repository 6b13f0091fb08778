"""Compress responses as the client accepts it: zstd (RFC 8878), else gzip (RFC 1952).

An event stream has one compressor, which is flushed after every event. It remembers the last events, so what they have in common
takes little space (docs/decisions/0012-patched-frames.md).
"""

from __future__ import annotations

import re
import sys
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha256
from typing import Final, Protocol

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPResponseStartEvent, HTTPScope, Message, Receive, Scope, Send

from meadhall.server.web.conditional import answered
from meadhall.server.web.weights import weighted

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MINIMUM_SIZE: Final = 500
"""Bytes of a response that is worth compressing."""

PAGE_WINDOW: Final = 16
PROGRAM_WINDOW: Final = 14
"""Bytes that the compressor of a stream remembers, as powers of two: of a page, whose patches have about 10 KB, and of a program.
They take 170 and 100 KB of memory with zstd. gzip remembers a quarter, because zlib needs ten times as long for an event."""

_STATIC_KEPT: Final = 256
"""Compressed static files that are kept. All together have less than 2 MB."""

_COMPRESSIBLE: Final = re.compile(r"text/|application/(json|javascript|toml)\b|[^;]*\+(json|xml)\b")
"""Types of content that compression makes smaller."""
_GZIP_LEVEL: Final = 5
_ZSTD_LEVEL: Final = 3
_BEST_GZIP_LEVEL: Final = 9
_BEST_ZSTD_LEVEL: Final = 12
_IN_GZIP: Final = 16
"""Added to zlib's ``wbits``, the size of the window, it means the header of gzip."""

_LARGEST_WINDOW: Final = 15


class Compressor(Protocol):
    """Compresses the parts of one response."""

    def compress(self, part: bytes) -> bytes:
        """Return all bytes that a client needs to read ``part``."""

    def finish(self) -> bytes:
        """Return the bytes at the end of the response."""


class GzipStream:
    """An event stream in gzip."""

    def __init__(self, window: int) -> None:
        self._compressor = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, _IN_GZIP + window - 2, window - 9)

    def compress(self, part: bytes) -> bytes:
        return self._compressor.compress(part) + self._compressor.flush(zlib.Z_SYNC_FLUSH)

    def finish(self) -> bytes:
        return self._compressor.flush()


class ZstdStream:
    """An event stream in zstd."""

    def __init__(self, window: int) -> None:
        parameter = zstd.CompressionParameter
        self._compressor = zstd.ZstdCompressor(
            options={parameter.compression_level: 1, parameter.window_log: window, parameter.hash_log: window - 4}
        )

    def compress(self, part: bytes) -> bytes:
        return self._compressor.compress(part, mode=self._compressor.FLUSH_BLOCK)

    def finish(self) -> bytes:
        return self._compressor.flush()


STREAMS: Final[dict[str, Callable[[int], Compressor]]] = {"zstd": ZstdStream, "gzip": GzipStream}
"""The encodings in the order of preference."""


def encoding_for(scope: HTTPScope) -> str | None:
    """Return the encoding of the response to a request; None: send it as it is."""
    return accepted_encoding(", ".join(_values(scope["headers"], b"accept-encoding")))


@lru_cache(maxsize=256)
def accepted_encoding(header: str) -> str | None:
    """Return the encoding to use for a client with this Accept-Encoding header (RFC 9110, 12.5.3); None: send it as it is."""
    weights = dict(weighted(header))
    for encoding in STREAMS:
        if weights.get(encoding, weights.get("*", 0.0)) > 0:
            return encoding
    return None


def compressed_whole(body: bytes, encoding: str, best: bool = False) -> bytes:
    """Compress a whole response."""
    if encoding == "zstd":
        return zstd.compress(body, _BEST_ZSTD_LEVEL if best else _ZSTD_LEVEL)
    return zlib.compress(body, _BEST_GZIP_LEVEL if best else _GZIP_LEVEL, _IN_GZIP + _LARGEST_WINDOW)


class _Response:
    """Sends one response: without its content if the client has kept it, else compressed. Streams compress their events."""

    def __init__(self, scope: HTTPScope, send: Send, kept: _Kept) -> None:
        self._scope = scope
        self._send = send
        self._kept = kept
        self._start: HTTPResponseStartEvent | None = None  # held back until the whole body is known
        self._body = bytearray()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _values(message["headers"], b"content-length"):
            self._start = message
        elif message["type"] == "http.response.body" and self._start is not None:
            self._body += message["body"]
            if not message["more_body"]:
                start, body = self._compressed(*answered(self._scope, self._start, bytes(self._body)))
                await self._send(start)
                await self._send({"type": "http.response.body", "body": body, "more_body": False})
        else:
            await self._send(message)

    def _compressed(self, start: HTTPResponseStartEvent, body: bytes) -> tuple[HTTPResponseStartEvent, bytes]:
        kinds = _values(start["headers"], b"content-type")
        if not kinds or not _COMPRESSIBLE.match(kinds[0]):
            return start, body
        start, encoding = _changed(start, (b"vary", b"Accept-Encoding")), encoding_for(self._scope)
        if encoding is None or len(body) < MINIMUM_SIZE or _values(start["headers"], b"content-encoding"):
            return start, body
        is_static = self._scope["path"].startswith("/static/")
        body = self._kept.compressed(body, encoding) if is_static else compressed_whole(body, encoding)
        return _changed(start, (b"content-encoding", encoding.encode()), (b"content-length", b"%d" % len(body))), body


class _Kept:
    """The compressed static files that were requested last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[bytes, str], bytes] = OrderedDict()

    def compressed(self, body: bytes, encoding: str) -> bytes:
        key = sha256(body).digest(), encoding
        if key not in self._kept:
            self._kept[key] = compressed_whole(body, encoding, best=True)
            if len(self._kept) > _STATIC_KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]


def compress_responses(app: ASGIApp) -> ASGIApp:
    """Wrap ``app`` so that its responses are compressed, or not sent again to a client that has them."""
    kept = _Kept()

    async def compressing(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await app(scope, receive, send)
            return
        await app(scope, receive, _Response(scope, send, kept).send)

    return compressing


def _values(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in headers if name.lower() == wanted]


def _changed(start: HTTPResponseStartEvent, *headers: tuple[bytes, bytes]) -> HTTPResponseStartEvent:
    """Return the start of a response with these headers in place of its own. An ETag becomes weak: the bytes differ now."""
    replaced = {name for name, _ in headers}
    kept = [(name, value) for name, value in start["headers"] if name.lower() not in replaced]
    if b"content-encoding" in replaced:
        kept = [(name, b"W/" + value if name.lower() == b"etag" and value[:1] == b'"' else value) for name, value in kept]
    return {"type": "http.response.start", "status": start["status"], "headers": [*kept, *headers]}
