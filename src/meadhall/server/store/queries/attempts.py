"""Queries about attempts to sign in. They are counted before the password is checked, so that many at once can't get through."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, case, delete, insert, select, update

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


def count(connection: Connection, key: str, limit: Limit) -> datetime | None:
    """Count an attempt as failed; return None. During a pause count nothing; return the end of the pause.

    Raises IntegrityError if another transaction counts the first attempt of this key at the same time.
    """
    row = connection.execute(select(schema.failed_attempts).where(_ATTEMPT.key == key).with_for_update()).one_or_none()
    moment = now(connection)  # after another transaction with this key has ended
    if row is None:
        first = {"count": 1, "next_at": moment + limit.pause_after(1), "last_at": moment}
        connection.execute(insert(schema.failed_attempts).values(key=key, **first))
        return None
    next_at, last_at = in_utc(row.next_at), in_utc(row.last_at)
    if int(row._mapping["count"]) >= limit.free and next_at > moment:
        return next_at
    counted = 1 if last_at <= moment - FORGOTTEN_AFTER else int(row._mapping["count"]) + 1
    changed = {"count": counted, "next_at": moment + limit.pause_after(counted), "last_at": moment}
    connection.execute(update(schema.failed_attempts).where(_ATTEMPT.key == key).values(**changed))
    return None


def forget(connection: Connection, key: str) -> None:
    """Forget all attempts of a key, after one that succeeded."""
    connection.execute(delete(schema.failed_attempts).where(_ATTEMPT.key == key))


def take_back(connection: Connection, key: str) -> None:
    """Take back the last attempt of a key, because it succeeded. Earlier ones still count."""
    fewer = case((_ATTEMPT.count > 0, _ATTEMPT.count - 1), else_=0)
    connection.execute(update(schema.failed_attempts).where(_ATTEMPT.key == key).values(count=fewer, next_at=now(connection)))


def delete_outdated(connection: Connection) -> None:
    """Delete attempts that no longer count."""
    connection.execute(delete(schema.failed_attempts).where(_ATTEMPT.last_at <= now(connection) - FORGOTTEN_AFTER))
