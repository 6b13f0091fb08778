"""Notice that a command has changed the SQLite file of a running hall, for example deleted lines of chat.

Only one hall uses the file, so it keeps much of it in memory. A command may make a short change beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from meadhall.server.store.store import Store

INTERVAL: Final = 1.0
"""Seconds between two looks, which take some microseconds."""


async def watch(store: Store, changed: Callable[[], object]) -> None:
    """Call ``changed`` whenever another program has changed the database, until cancelled. On PostgreSQL notices tell it."""
    if store.shared:
        return
    await store.changed_outside()
    while True:
        await store.time.sleep(INTERVAL)
        if await store.changed_outside():
            changed()
