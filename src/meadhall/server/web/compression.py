"""Compress responses as the client accepts it: zstd (RFC 8878), else gzip (RFC 1952).

An event stream is compressed by one compressor, which is flushed after every event. It remembers the last frames, so
only changes take space (docs/decisions/0011-compressed-frames.md).
"""

from __future__ import annotations

import re
import sys
import zlib
from collections import OrderedDict
from collections.abc import Iterable
from hashlib import sha256
from http import HTTPStatus
from typing import Final, Protocol

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPResponseStartEvent, HTTPScope, Message, Receive, Scope, Send

from meadhall.server.web.weights import weighted

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MINIMUM_SIZE: Final = 500
"""Bytes of a response that is worth compressing."""

_WINDOW: Final = 16
_HASHES: Final = 12
"""Bytes that the compressor of a stream remembers, and places of its table, as powers of two: 130 KB of memory."""

_STATIC_KEPT: Final = 256
"""Compressed static files that are kept. All together have less than 2 MB."""

_COMPRESSIBLE: Final = re.compile(r"text/|application/(json|javascript|toml)\b|[^;]*\+(json|xml)\b")
"""Types of content that compression makes smaller."""
_GZIP_LEVEL: Final = 5
_ZSTD_LEVEL: Final = 3
_BEST_GZIP_LEVEL: Final = 9
_BEST_ZSTD_LEVEL: Final = 12
_AS_GZIP: Final = 31
"""zlib's ``wbits`` for a window of 32 KB and the header of gzip."""


class Compressor(Protocol):
    """Compresses the parts of one response."""

    def compress(self, part: bytes) -> bytes:
        """Return all bytes that a client needs to read ``part``."""

    def finish(self) -> bytes:
        """Return the bytes at the end of the response."""


class GzipStream:
    """A response in gzip. Its window of 32 KB is smaller than many frames, so much of a frame is sent again."""

    def __init__(self) -> None:
        self._compressor = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, _AS_GZIP)

    def compress(self, part: bytes) -> bytes:
        return self._compressor.compress(part) + self._compressor.flush(zlib.Z_SYNC_FLUSH)

    def finish(self) -> bytes:
        return self._compressor.flush()


class ZstdStream:
    """A response in zstd."""

    def __init__(self) -> None:
        parameter = zstd.CompressionParameter
        self._compressor = zstd.ZstdCompressor(
            options={parameter.compression_level: 1, parameter.window_log: _WINDOW, parameter.hash_log: _HASHES}
        )

    def compress(self, part: bytes) -> bytes:
        return self._compressor.compress(part, mode=self._compressor.FLUSH_BLOCK)

    def finish(self) -> bytes:
        return self._compressor.flush()


_STREAMS: Final[dict[str, type[Compressor]]] = {"zstd": ZstdStream, "gzip": GzipStream}
"""The encodings in the order of preference."""


def accepted_encoding(header: str) -> str | None:
    """Return the encoding to use for a client with this Accept-Encoding header (RFC 9110, 12.5.3); None: send it as it is."""
    weights = dict(weighted(header))
    for encoding in _STREAMS:
        if weights.get(encoding, weights.get("*", 0.0)) > 0:
            return encoding
    return None


def compressed_whole(body: bytes, encoding: str, best: bool = False) -> bytes:
    """Compress a whole response."""
    if encoding == "zstd":
        return zstd.compress(body, _BEST_ZSTD_LEVEL if best else _ZSTD_LEVEL)
    return zlib.compress(body, _BEST_GZIP_LEVEL if best else _GZIP_LEVEL, _AS_GZIP)


class _Response:
    """Sends one response, compressed."""

    def __init__(self, scope: HTTPScope, send: Send, kept: _Kept) -> None:
        self._encoding = accepted_encoding(", ".join(_values(scope["headers"], b"accept-encoding")))
        self._is_static = scope["path"].startswith("/static/")
        self._send = send
        self._kept = kept
        self._start: HTTPResponseStartEvent | None = None  # held back until the length of the body is known
        self._body = bytearray()
        self._stream: Compressor | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._begin(message)
        elif message["type"] == "http.response.body" and self._start is not None:
            self._body += message["body"]
            if not message["more_body"]:
                await self._send_whole(self._start)
        elif message["type"] == "http.response.body" and self._stream is not None:
            await self._send_part(self._stream, message["body"], message["more_body"])
        else:
            await self._send(message)

    def release(self) -> None:
        """Free the compressor's memory: the response itself may be in a reference cycle, which is collected much later."""
        self._stream = None

    async def _begin(self, start: HTTPResponseStartEvent) -> None:
        kinds, lengths = _values(start["headers"], b"content-type"), _values(start["headers"], b"content-length")
        if not kinds or not _COMPRESSIBLE.match(kinds[0]) or start["status"] < HTTPStatus.OK:
            await self._send(start)
            return
        start = _changed(start, (b"vary", b"Accept-Encoding"))
        if self._encoding is None or _values(start["headers"], b"content-encoding"):
            await self._send(start)
        elif lengths:
            self._start = start
        else:
            self._stream = _STREAMS[self._encoding]()
            await self._send(_changed(start, (b"content-encoding", self._encoding.encode())))

    async def _send_whole(self, start: HTTPResponseStartEvent) -> None:
        body, encoding = bytes(self._body), self._encoding
        self._start = None
        if encoding is not None and len(body) >= MINIMUM_SIZE:
            body = self._kept.compressed(body, encoding) if self._is_static else compressed_whole(body, encoding)
            start = _changed(start, (b"content-encoding", encoding.encode()), (b"content-length", b"%d" % len(body)))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def _send_part(self, stream: Compressor, part: bytes, more: bool) -> None:
        compressed = (stream.compress(part) if part else b"") + (b"" if more else stream.finish())
        await self._send({"type": "http.response.body", "body": compressed, "more_body": more})


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
    """Wrap ``app`` so that its responses are compressed: texts as a whole, streams part by part."""
    kept = _Kept()

    async def compressing(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await app(scope, receive, send)
            return
        response = _Response(scope, send, kept)
        try:
            await app(scope, receive, response.send)
        finally:
            response.release()

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
