"""How late the event loop is: what everything that comes waits for, while the hall does something else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from prometheus_client import Histogram

EVERY = 0.02
"""Seconds between two looks."""

_LATE = Histogram(
    "meadhall_event_loop_late_seconds",
    "How much later than it asked for a task is woken",
    buckets=[bound / 1000 for bound in (0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1000)],
)


@asynccontextmanager
async def observed(every: float = EVERY) -> AsyncIterator[None]:
    """Look so often, as long as the block lasts."""
    observing = asyncio.create_task(_observe(every))
    try:
        yield
    finally:
        observing.cancel()


async def _observe(every: float) -> None:
    while True:
        asked = time.perf_counter()
        await asyncio.sleep(every)
        _LATE.observe(max(time.perf_counter() - asked - every, 0.0))
