"""Delete outdated rows once an hour."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Final

from sqlalchemy import Connection

from meadhall.server.hall.processes.scheduler import Scheduler
from meadhall.server.settings import Retention
from meadhall.server.store.queries import (
    attempts,
    challenges,
    departures,
    idempotency,
    identity_links,
    orders,
    retention,
    secrets,
    sessions,
)

_KIND: Final = "housekeeping"
_INTERVAL: Final = timedelta(hours=1)


def delete_expired(scheduler: Scheduler, kept: Retention, in_use: Callable[[], Collection[str]]) -> None:
    """Delete outdated rows once an hour, from an hour after the first start on. Raises DatabaseUnavailable.

    Args:
        scheduler: does it.
        kept: how long the host keeps what may be deleted.
        in_use: returns the ids of the tables that are shown or played at, and stay.
    """

    def delete(connection: Connection) -> None:
        delete_outdated(connection)
        retention.delete_old(connection, kept, in_use())

    scheduler.repeat(_KIND, _INTERVAL, delete)
    scheduler.add(_KIND, "", scheduler.time.now() + _INTERVAL)


def delete_outdated(connection: Connection) -> None:
    """Delete what is not accepted any more (keys, replaced secrets, sessions)."""
    idempotency.delete_outdated(connection)
    secrets.delete_outdated(connection)
    sessions.delete_outdated(connection)
    challenges.delete_outdated(connection)
    attempts.delete_outdated(connection)
    orders.delete_outdated(connection)
    identity_links.delete_outdated(connection)
    departures.delete_outdated(connection)
