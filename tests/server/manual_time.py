"""A time for halls of tests, which stands still until the test advances it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any

from meadhall.server.ops.time import Time, Timer

_MOST_TURNS = 10_000
"""Turns of the event loop after which it counts as busy for ever."""

_settling: Counter[asyncio.AbstractEventLoop] = Counter()


class _Call(Timer):
    def __init__(self, call: Callable[[], object]) -> None:
        self.call: Callable[[], object] | None = call

    def cancel(self) -> None:
        self.call = None


class ManualTime(Time):
    """A date, a monotonic clock and timers that only ``advance`` moves. They begin at the machine's date."""

    def __init__(self) -> None:
        self._date = datetime.now(UTC)
        self._seconds = self._steady = 1000.0
        self._waiting: list[tuple[float, int, _Call]] = []
        self._numbers = count()
        super().__init__()

    def machine_date(self) -> datetime:
        return self._date

    def steady(self) -> float:
        return self._steady

    def seconds(self) -> float:
        return self._seconds

    def call_later(self, seconds: float, call: Callable[[], object]) -> Timer:
        waiting = _Call(call)
        if seconds <= 0:
            asyncio.get_running_loop().call_soon(_make, waiting)
        else:
            heappush(self._waiting, (self._seconds + seconds, next(self._numbers), waiting))
        return waiting

    async def advance(self, seconds: float) -> None:
        """Let time pass: make the calls that are due, in their order, and after each let all tasks do what they can."""
        end = self._seconds + seconds
        await settled()
        while self._waiting and self._waiting[0][0] <= end:
            due, _number, waiting = heappop(self._waiting)
            self._move(max(due, self._seconds))
            if waiting.call is not None:
                _make(waiting)
                await settled()
        self._move(end)
        await settled()

    async def freeze(self, seconds: float) -> None:
        """Let time pass while the process is frozen. What was due meanwhile happens when it wakes."""
        self._move(self._seconds + seconds)
        await self.advance(0)

    async def advance_to_next(self) -> None:
        """Let time pass until the next timer is due."""
        due = next((due for due, _number, waiting in sorted(self._waiting) if waiting.call is not None), None)
        assert due is not None, "nothing waits for its time"
        await self.advance(max(0.0, due - self._seconds))

    def set_seconds(self, seconds: float) -> None:
        """Let the monotonic clock go on without the timers."""
        self._seconds = seconds

    def set_date(self, date: datetime) -> None:
        """Set the date of the machine, and let the hall follow it at once. The monotonic clock doesn't notice."""
        self._date = date
        self.shift(-self.ahead())

    def jump(self, seconds: float) -> None:
        """Let the date of the machine jump, as its administrator or NTP does."""
        self._date += timedelta(seconds=seconds)

    def _move(self, seconds: float) -> None:
        passed = seconds - self._seconds
        self._date += timedelta(seconds=passed)
        self._steady += passed
        self._seconds = seconds


def _make(waiting: _Call) -> None:
    if waiting.call is not None:
        waiting.call()


async def settled() -> None:
    """Return when all tasks of the event loop wait for something outside it."""
    loop: Any = asyncio.get_running_loop()
    _settling[loop] += 1
    try:
        for _turn in range(_MOST_TURNS):
            await asyncio.sleep(0)
            if len(loop._ready) < _settling[loop]:  # only the others who wait for this are ready
                return
    finally:
        _settling[loop] -= 1
    raise AssertionError("the event loop never rests")
