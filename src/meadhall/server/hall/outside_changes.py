"""Notice that a command has changed the SQLite file of a running hall, for example deleted lines of chat.

Only one hall uses the file, so it keeps much of it in memory. A command may make a short change beside it. SQLite counts the
changes that other connections make (``PRAGMA data_version``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection

from meadhall.server.store.store import Store

INTERVAL: Final = 1.0
"""Seconds between two looks, which take some microseconds."""


async def watch(store: Store, changed: Callable[[], object]) -> None:
    """Call ``changed`` whenever another program has changed the database, until cancelled. On PostgreSQL notices tell it."""
    if store.shared:
        return
    known = await store.transact(_version)
    while True:
        await store.time.sleep(INTERVAL)
        version = await store.transact(_version)
        if version != known:
            known = version
            changed()


def _version(connection: Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA data_version").scalar_one())
