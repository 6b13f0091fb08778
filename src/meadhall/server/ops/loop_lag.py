"""Measure event-loop lag: how long a task that is ready waits while the server does something else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from prometheus_client import Histogram

INTERVAL = 0.02
"""Seconds between two measurements."""

_LAG = Histogram(
    "meadhall_event_loop_lag_seconds",
    "Delay of a sleeping task beyond the time that it asked for",
    ["process"],
    buckets=[bound / 1000 for bound in (0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1000)],
)


@asynccontextmanager
async def measured_lag(process: str, interval: float = INTERVAL) -> AsyncIterator[None]:
    """Measure the lag regularly inside the block, for this process."""
    measuring = asyncio.create_task(_measure(_LAG.labels(process), interval))
    try:
        yield
    finally:
        measuring.cancel()


async def _measure(lag: Histogram, interval: float) -> None:
    while True:
        began = time.perf_counter()
        await asyncio.sleep(interval)
        lag.observe(max(time.perf_counter() - began - interval, 0.0))
