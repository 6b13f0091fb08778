"""Tune the garbage collector: small young generations, rare full collections.

The collector needs a millisecond for a thousand objects, and no request is answered meanwhile. Reference counting frees nearly
everything that a move allocates. The rest belongs to matches that go on: scanning it again and again found nothing and caused the
slowest responses.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

YOUNG_THRESHOLD = 1_000
"""New objects before a collection of the young generation. It takes one or two milliseconds, about once in twenty moves."""

_NEVER = 1 << 30

FULL_INTERVAL = 600.0
"""Seconds between full collections. Each move leaves about four objects for them."""


@asynccontextmanager
async def tuned_gc(full_interval: float = FULL_INTERVAL) -> AsyncIterator[None]:
    """Use the tuned settings inside the block, and the previous ones after it."""
    thresholds = gc.get_threshold()
    gc.set_threshold(YOUNG_THRESHOLD, _NEVER, _NEVER)
    collecting = asyncio.create_task(_collect_regularly(full_interval))
    try:
        yield
    finally:
        collecting.cancel()
        gc.set_threshold(*thresholds)
        gc.unfreeze()


def freeze_loaded_objects() -> None:
    """Exclude all existing objects from later collections: modules, rules, templates."""
    gc.collect()
    gc.freeze()


async def _collect_regularly(interval: float) -> None:
    while True:
        await asyncio.sleep(interval)
        gc.collect()
