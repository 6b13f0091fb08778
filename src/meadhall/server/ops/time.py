"""The time of a hall: the date, a clock that never jumps, and timers. Tests give a hall a time that they advance."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Protocol


class Timer(Protocol):
    """A call that waits for its time."""

    def cancel(self) -> None:
        """Don't make the call."""


class Time:
    """The time of this machine.

    What this process measures by itself belongs to ``seconds``, and what it stores or shows to ``now``: the date may be set.
    Only ``now``, ``seconds`` and ``call_later`` depend on the machine.
    """

    def now(self) -> datetime:
        """Return the date and time in UTC."""
        return datetime.now(UTC)

    def seconds(self) -> float:
        """Return the seconds of the monotonic clock. Only the difference of two such values means something."""
        return time.monotonic()

    def call_later(self, seconds: float, call: Callable[[], object]) -> Timer:
        """Call a function in the event loop after some seconds."""
        return asyncio.get_running_loop().call_later(seconds, call)

    async def sleep(self, seconds: float) -> None:
        """Return after some seconds."""
        await wait_until_set(over := asyncio.Event(), self.call_later(seconds, over.set))

    @asynccontextmanager
    async def timeout(self, seconds: float) -> AsyncIterator[None]:
        """Raise TimeoutError if the block takes longer."""
        async with asyncio.timeout(None) as limit:
            timer = self.call_later(seconds, lambda: limit.reschedule(0.0))
            try:
                yield
            finally:
                timer.cancel()


async def wait_until_set(event: asyncio.Event, timer: Timer) -> None:
    """Wait for an event that the timer sets at the latest."""
    try:
        await event.wait()
    finally:
        timer.cancel()
