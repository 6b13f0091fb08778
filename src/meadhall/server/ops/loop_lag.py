"""Measure event-loop lag: how long a task that is ready waits while the server does something else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from prometheus_client import Histogram

INTERVAL: Final = 0.02
"""Seconds between two measurements."""

_QUIET: Final = 5.0
"""Seconds since the last request after which nothing is measured: it would keep an idle machine awake."""

_LAG = Histogram(
    "meadhall_event_loop_lag_seconds",
    "Delay of a sleeping task beyond the time that it asked for",
    ["process"],
    buckets=[bound / 1000 for bound in (0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1000)],
)


class LoopLag:
    """Measures the lag of a process regularly while it answers requests."""

    def __init__(self) -> None:
        self._process = ""
        self._until = 0.0
        self._measuring: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def measured(self, process: str) -> AsyncIterator[None]:
        """Measure inside the block, for a process with this name."""
        self._process = process
        self.note_request()
        try:
            yield
        finally:
            if self._measuring is not None:
                self._measuring.cancel()

    def note_request(self) -> None:
        """Measure for the next seconds."""
        self._until = time.perf_counter() + _QUIET
        if self._measuring is None or self._measuring.done():
            self._measuring = asyncio.create_task(self._measure())

    async def _measure(self) -> None:
        lag = _LAG.labels(self._process)
        while (began := time.perf_counter()) < self._until:
            await asyncio.sleep(INTERVAL)
            lag.observe(max(time.perf_counter() - began - INTERVAL, 0.0))
