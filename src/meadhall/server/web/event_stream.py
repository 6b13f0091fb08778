"""Server-sent events (HTML Living Standard, 9.2)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Final

from litestar.enums import ScopeType
from litestar.response import Stream
from litestar.types import ASGIApp, Receive, Scope, Send

MEDIA_TYPE: Final = "text/event-stream"

HEARTBEAT: Final = b": still here\n\n"
"""A comment. Clients ignore it, but proxies and the server notice with it that the connection is alive."""

HEARTBEAT_INTERVAL = 15.0
"""Seconds without an event after which a stream sends a heartbeat."""

_RETRY: Final = (350, 650)
"""The shortest and the longest time until a stream is opened again, in milliseconds."""

_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)


def event_stream(events: AsyncIterator[bytes]) -> Stream:
    """Return a response that sends events as they come, several or none at a time, and that no cache or proxy holds back."""
    assert isinstance(events, AsyncGenerator)
    return _EventStream(events)


class _EventStream(Stream):
    """Sends events in a separate task. The task of the request, with all its layers, only waits for the client to leave."""

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        super().__init__(events, media_type=MEDIA_TYPE)
        self._events = events

    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIApp:  # type: ignore[override]
        return self._send

    async def _send(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == ScopeType.HTTP
        exchange: Any = scope["state"].get("exchange")
        streams = self._stream(send, send if exchange is None else exchange.direct)
        waiting, streaming = asyncio.current_task(), asyncio.create_task(streams)
        assert waiting is not None
        if exchange is not None:
            exchange.on_leaving = streaming.cancel
        streaming.add_done_callback(lambda _: waiting.cancel() if is_waiting else None)
        is_waiting = True
        try:
            while (await receive())["type"] != "http.disconnect":
                pass
        except asyncio.CancelledError:
            if not streaming.done():
                raise  # the server stops
            waiting.uncancel()
        finally:
            is_waiting = False
            streaming.cancel()
            await asyncio.wait((streaming,))
        if not streaming.cancelled():
            streaming.result()

    async def _stream(self, send_head: Send, send: Send) -> None:
        """Send the head, and from then on every event: nothing else runs between the two."""
        await send_head({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
        async with aclosing(self._events):
            async for events in self._events:
                if events:  # a client that must not learn of a change gets no byte
                    await send({"type": "http.response.body", "body": events, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def retry() -> bytes:
    """Return how long a client must wait until it opens the stream again. The times differ, so that not all come at once."""
    return b"retry: %d\n\n" % random.randint(*_RETRY)


def encode_event(data: str, name: str = "", id: int | None = None) -> bytes:
    """Encode an event. ``data`` may have several lines."""
    lines = [f"event: {name}"] if name else []
    if id is not None:
        lines.append(f"id: {id}")
    lines += [f"data: {line}" for line in data.split("\n")]
    return ("\n".join(lines) + "\n\n").encode()
