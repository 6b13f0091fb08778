"""The health check: whether the database stores anything."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, func, insert, select, update

from meadhall.server.store import schema
from meadhall.server.store.queries.present import now

_BACKUP: Final = "backup"
"""The counter with the minutes from 1970 to the last backup."""


def check(connection: Connection) -> None:
    """Write to the database. Raises an error of SQLAlchemy if that is impossible."""
    connection.execute(update(schema.health_checks).values(checked_at=now(connection)))


def unfinished(connection: Connection) -> dict[str, int]:
    """Return the numbers of tables whose match runs or has not begun, by their status."""
    status = schema.tables.c.status
    query = select(status, func.count()).where(status.in_(("gathering", "running"))).group_by(status)
    return {"gathering": 0, "running": 0} | {row[0]: row[1] for row in connection.execute(query)}


def note_backup(connection: Connection, at: datetime) -> None:
    """Store when a whole backup was written, to the minute."""
    value = int(at.timestamp() // 60)
    if not connection.execute(update(schema.counters).where(schema.counters.c.name == _BACKUP).values(value=value)).rowcount:
        connection.execute(insert(schema.counters).values(name=_BACKUP, value=value))


def last_backup(connection: Connection) -> float:
    """Return when a whole backup was last written, in seconds since 1970; 0: never."""
    minutes = connection.execute(select(schema.counters.c.value).where(schema.counters.c.name == _BACKUP)).scalar_one_or_none()
    return 60.0 * (minutes or 0)
