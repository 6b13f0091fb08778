"""Server-sent events (HTML Living Standard, 9.2)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from typing import Any, Final, cast

from litestar.enums import ScopeType
from litestar.response import Stream
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from meadhall.server.web.compression import PAGE_WINDOW, STREAMS, encoding_for

MEDIA_TYPE: Final = "text/event-stream"

HEARTBEAT: Final = b": still here\n\n"
"""A comment. Clients ignore it, but proxies and the server notice with it that the connection is alive."""

HEARTBEAT_INTERVAL = 15.0
"""Seconds without an event after which a stream sends a heartbeat."""

_DIRECT: Final = "meadhall.direct"
"""The name of the extension of a request's scope that has the ``send`` of the connection itself."""

_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)


def event_stream(events: AsyncIterator[bytes], window: int = PAGE_WINDOW) -> Stream:
    """Return a response that sends events as they come, several or none at a time, and that no cache or proxy holds back."""
    assert isinstance(events, AsyncGenerator)
    return _EventStream(events, window)


@contextmanager
def direct(scope: HTTPScope, send: Send) -> Iterator[None]:
    """Let streams send their events by ``send`` during the block, past all that looks at the head of a response only."""
    extensions: Any = {**(scope.get("extensions") or {}), _DIRECT: send}
    scope["extensions"] = extensions
    try:
        yield
    finally:
        del extensions[_DIRECT]  # a connection that its own request refers to would stay in memory for a while


class _EventStream(Stream):
    """Runs in the task of its request, with a second one that notices when the client leaves."""

    def __init__(self, events: AsyncGenerator[bytes, None], window: int) -> None:
        super().__init__(events, media_type=MEDIA_TYPE)
        self._events = events
        self._window = window

    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIApp:  # type: ignore[override]
        return self._send

    async def _send(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == ScopeType.HTTP
        encoding, extensions = encoding_for(scope), cast("dict[str, Any]", scope.get("extensions") or {})
        headers = _HEADERS if encoding is None else (*_HEADERS, (b"content-encoding", encoding.encode()))
        await send({"type": "http.response.start", "status": 200, "headers": list(headers)})
        write: Send = extensions.get(_DIRECT, send)
        compressor = None if encoding is None else STREAMS[encoding](self._window)
        async with aclosing(self._events):
            with _until_disconnected(receive):
                async for events in self._events:
                    if events:  # a client that must not learn of a change gets no byte
                        body = events if compressor is None else compressor.compress(events)
                        await write({"type": "http.response.body", "body": body, "more_body": True})
                end = b"" if compressor is None else compressor.finish()
                await write({"type": "http.response.body", "body": end, "more_body": False})


@contextmanager
def _until_disconnected(receive: Receive) -> Iterator[None]:
    """Leave the block when the client disconnects."""
    streaming = asyncio.current_task()
    assert streaming is not None
    has_ended = False

    async def listen() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        if not has_ended:
            streaming.cancel()

    listening = asyncio.create_task(listen())
    try:
        yield
    except asyncio.CancelledError:
        if not listening.done():
            raise  # the server stops
        streaming.uncancel()
    finally:
        has_ended = True
        listening.cancel()


def encode_event(data: str, name: str = "", id: int | None = None) -> bytes:
    """Encode an event. ``data`` may have several lines."""
    lines = [f"event: {name}"] if name else []
    if id is not None:
        lines.append(f"id: {id}")
    lines += [f"data: {line}" for line in data.split("\n")]
    return ("\n".join(lines) + "\n\n").encode()
