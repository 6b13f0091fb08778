"""Delete outdated rows once an hour."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from sqlalchemy import Connection

from meadhall.server.hall.scheduler import Scheduler
from meadhall.server.store.queries import (
    attempts,
    challenges,
    departures,
    idempotency,
    identity_links,
    leases,
    secrets,
    seeks,
    sessions,
)

_KIND: Final = "housekeeping"
_INTERVAL: Final = timedelta(hours=1)


async def keep_house(scheduler: Scheduler) -> None:
    """Delete outdated rows once an hour, from an hour after the first start on. Raises DatabaseUnavailable."""
    scheduler.repeat(_KIND, _INTERVAL, delete_outdated)
    await scheduler.add(_KIND, "", scheduler.time.now() + _INTERVAL)


def delete_outdated(connection: Connection) -> None:
    """Delete what is not accepted any more (keys of requests, replaced secrets, sessions), ended processes, and old seeks."""
    idempotency.delete_outdated(connection)
    secrets.delete_outdated(connection)
    sessions.delete_outdated(connection)
    challenges.delete_outdated(connection)
    attempts.delete_outdated(connection)
    leases.forget_ended(connection)
    seeks.delete_outdated(connection)
    identity_links.delete_outdated(connection)
    departures.delete_outdated(connection)
