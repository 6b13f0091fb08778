"""Queries about attempts to sign in. They are counted before the password is checked, so that many at once can't get through."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, case, delete, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from meadhall.server.store import schema
from meadhall.server.store.models import in_utc
from meadhall.server.store.queries.present import now

FORGOTTEN_AFTER: Final = timedelta(days=1)
"""Time without an attempt after which earlier ones don't count."""

_ATTEMPT: Final = schema.failed_attempts.c


@dataclass(frozen=True)
class Limit:
    """How attempts are slowed: the first ``free`` ones are not; then the pause doubles from ``first`` up to ``longest``."""

    free: int
    first: timedelta
    longest: timedelta

    def pause_after(self, count: int) -> timedelta:
        """Return the pause after so many failed attempts."""
        if count < self.free:
            return timedelta()
        return min(self.longest, self.first * float(2 ** min(count - self.free, 20)))


@dataclass(frozen=True)
class Counter:
    """A counter of attempts, by its key."""

    key: str
    limit: Limit


def pause_of(connection: Connection, counter: Counter) -> datetime | None:
    """Return the end of the pause of a counter, None if it doesn't pause."""
    new = {"key": counter.key, "count": 0, "next_at": now(connection), "last_at": now(connection)}
    connection.execute(upsert(schema.failed_attempts).values(new).on_conflict_do_nothing())
    row = connection.execute(select(schema.failed_attempts).where(_ATTEMPT.key == counter.key)).one()
    end = in_utc(row.next_at)
    return end if int(row._mapping["count"]) >= counter.limit.free and end > now(connection) else None


def count(connection: Connection, counter: Counter) -> None:
    """Count an attempt as failed, after ``pause_of`` has found no pause."""
    row = connection.execute(select(schema.failed_attempts).where(_ATTEMPT.key == counter.key)).one()
    moment = now(connection)
    counted = 1 if in_utc(row.last_at) <= moment - FORGOTTEN_AFTER else int(row._mapping["count"]) + 1
    changed = {"count": counted, "next_at": moment + counter.limit.pause_after(counted), "last_at": moment}
    connection.execute(update(schema.failed_attempts).where(_ATTEMPT.key == counter.key).values(**changed))


def count_unless_paused(connection: Connection, counter: Counter) -> bool:
    """Count an attempt. Return False, and count nothing, during a pause."""
    if pause_of(connection, counter) is not None:
        return False
    count(connection, counter)
    return True


def forget(connection: Connection, counter: Counter) -> None:
    """Forget all attempts of a counter, after one that succeeded."""
    connection.execute(delete(schema.failed_attempts).where(_ATTEMPT.key == counter.key))


def take_back(connection: Connection, counter: Counter) -> None:
    """Take back the last attempt of a counter, because it succeeded. Earlier ones still count."""
    fewer = case((_ATTEMPT.count > 0, _ATTEMPT.count - 1), else_=0)
    changed = update(schema.failed_attempts).where(_ATTEMPT.key == counter.key)
    connection.execute(changed.values(count=fewer, next_at=now(connection)))


def delete_outdated(connection: Connection) -> None:
    """Delete attempts that no longer count."""
    connection.execute(delete(schema.failed_attempts).where(_ATTEMPT.last_at <= now(connection) - FORGOTTEN_AFTER))
