"""Garbage: the young looked through often and little at a time, all of it now and then.

To look through a thousand objects takes a millisecond, in which nobody is answered. Nearly all that a move makes goes by itself,
and what stays is the match: to look through that again and again finds nothing, and made the slowest answers.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

YOUNG = 1_000
"""New objects after which they are looked through: one or two milliseconds, every twenty moves or so."""

NEVER = 1 << 30

EVERY = 600.0
"""Seconds after which all that was made since the start is looked through. Of a move four objects remain to be found."""


@asynccontextmanager
async def collected_gently(every: float = EVERY) -> AsyncIterator[None]:
    """Collect so as long as the block lasts, and then as before."""
    before = gc.get_threshold()
    gc.set_threshold(YOUNG, NEVER, NEVER)
    collecting = asyncio.create_task(_collect_now_and_then(every))
    try:
        yield
    finally:
        collecting.cancel()
        gc.set_threshold(*before)
        gc.unfreeze()


def spare_what_is_loaded() -> None:
    """Don't look again through what there is now: modules, rules, templates."""
    gc.collect()
    gc.freeze()


async def _collect_now_and_then(every: float) -> None:
    while True:
        await asyncio.sleep(every)
        gc.collect()
