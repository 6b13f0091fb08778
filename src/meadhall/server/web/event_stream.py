"""Server-sent events (HTML Living Standard, 9.2)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from typing import Any, Final

from litestar.response import Stream
from litestar.types import ASGIApp, Receive, Scope, Send

MEDIA_TYPE: Final = "text/event-stream"

HEARTBEAT: Final = b": still here\n\n"
"""A comment. Clients ignore it, but proxies and the server notice with it that the connection is alive."""

HEARTBEAT_INTERVAL = 15.0
"""Seconds without an event after which a stream sends a heartbeat."""

_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)


def event_stream(events: AsyncIterator[bytes]) -> Stream:
    """Return a response that sends events as they come, and that no cache or proxy holds back."""
    assert isinstance(events, AsyncGenerator)
    return _EventStream(events)


class _EventStream(Stream):
    """Runs in the task of its request, with a second one that notices when the client leaves."""

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        super().__init__(events, media_type=MEDIA_TYPE)
        self._events = events

    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIApp:  # type: ignore[override]
        return self._send

    async def _send(self, _: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
        async with aclosing(self._events):
            with _until_disconnected(receive):
                async for event in self._events:
                    await send({"type": "http.response.body", "body": event, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})


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
