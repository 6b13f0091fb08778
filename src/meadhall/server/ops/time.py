"""The time of a hall: a date and a clock that never jump, and timers. Tests give a hall a time that they advance."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

_STEADY: Final = getattr(time, "CLOCK_BOOTTIME", None)
"""Linux's clock that can't be set and that goes on while the machine sleeps."""


class Timer(Protocol):
    """A call that waits for its time."""

    def cancel(self) -> None:
        """Don't make the call."""


class Time:
    """The time of this machine.

    What this process measures by itself belongs to ``seconds``, and what it stores or shows to ``now``. If the date of the
    machine is set while the process runs, ``now`` goes on as before, so that running clocks don't jump: ``ahead`` tells by how
    much they differ.
    Only ``machine_date``, ``steady``, ``seconds`` and ``call_later`` depend on the machine.
    """

    def __init__(self) -> None:
        self._origin = self.machine_date() - timedelta(seconds=self.steady())  # the date when ``steady`` was 0

    def now(self) -> datetime:
        """Return the date and time in UTC. It never jumps, except by ``shift``."""
        return self._origin + timedelta(seconds=self.steady())

    def ahead(self) -> float:
        """Return by how many seconds ``now`` is ahead of the machine's date."""
        return (self.now() - self.machine_date()).total_seconds()

    def shift(self, seconds: float) -> None:
        """Move ``now`` by some seconds."""
        self._origin += timedelta(seconds=seconds)

    def machine_date(self) -> datetime:
        """Return the date of the machine in UTC, which its administrator or NTP may set."""
        return datetime.now(UTC)

    def steady(self) -> float:
        """Return the seconds of a clock that can't be set, and that goes on while the machine sleeps (on Linux)."""
        return time.monotonic() if _STEADY is None else time.clock_gettime(_STEADY)

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
