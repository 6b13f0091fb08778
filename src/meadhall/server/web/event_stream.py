"""Server-sent events (HTML Living Standard, 9.2)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from litestar.response import Stream

MEDIA_TYPE: Final = "text/event-stream"

HEARTBEAT: Final = b": still here\n\n"
"""A comment. Clients ignore it, but proxies and the server notice with it that the connection is alive."""

HEARTBEAT_INTERVAL = 15.0
"""Seconds without an event after which a stream sends a heartbeat."""


def event_stream(events: AsyncIterator[bytes]) -> Stream:
    """Return a response that sends events as they come, and that no cache or proxy holds back."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(events, media_type=MEDIA_TYPE, headers=headers)


def encode_event(data: str, name: str = "", id: int | None = None) -> bytes:
    """Encode an event. ``data`` may have several lines."""
    lines = [f"event: {name}"] if name else []
    if id is not None:
        lines.append(f"id: {id}")
    lines += [f"data: {line}" for line in data.split("\n")]
    return ("\n".join(lines) + "\n\n").encode()
