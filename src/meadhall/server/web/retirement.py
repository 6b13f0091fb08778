"""The retirement of a web process that another one replaces: no request may be lost on the way.

It accepts no connections any more, which the other processes on the same socket take. On a connection that is open it answers
one request more, and says that this was the last one. It closes no idle connection, because a request may be on its way: clients
and proxies close theirs within a minute, and so does uvicorn soon afterwards.
"""

from __future__ import annotations

from typing import Final

from litestar.types import ASGIApp, Message, Receive, Scope, Send

_LONGEST: Final = 70.0
"""Seconds after which a retirement ends although connections are open."""


class Retirement:
    """Whether this process retires."""

    def __init__(self) -> None:
        self._ends_at: float | None = None

    @property
    def has_begun(self) -> bool:
        return self._ends_at is not None

    def begin(self, now: float) -> None:
        """Begin at ``now``, the time of the event loop."""
        self._ends_at = now + _LONGEST

    def is_over(self, connections: int, now: float) -> bool:
        """Return whether the process may stop."""
        return self._ends_at is not None and (not connections or now >= self._ends_at)

    def close_connections(self, app: ASGIApp) -> ASGIApp:
        """Wrap ``app`` so that the connection of each response is closed after it, once the retirement has begun."""

        async def answering(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_last(message: Message) -> None:
                if message["type"] == "http.response.start" and self.has_begun:
                    message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
                await send(message)

            await app(scope, receive, send_last)

        return answering
