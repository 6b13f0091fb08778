"""Queries about the times in which a process of the hall ran.

One row, the pulse, says when a process was alive last. All processes write to it, so a gap between two writes is a time in which
none of them ran, or none could store anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, DateTime, Table, exists, func, select, type_coerce, update
from sqlalchemy.dialects import postgresql, sqlite

from meadhall.server.store import schema
from meadhall.server.store.models import Downtime, in_utc
from meadhall.server.store.queries.present import now

_PULSE = schema.pulse.c
_JOB = schema.jobs.c
_PROCESS = schema.processes.c
_TABLE = schema.tables.c
_ID: Final = 1
_INSERT: Mapping[str, Callable[[Table], sqlite.Insert | postgresql.Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


def beat(connection: Connection, gap: timedelta, seen_at: datetime | None = None) -> Downtime | None:
    """Note that a process is alive. A pause longer than ``gap`` was a downtime: store and return it.

    Args:
        seen_at: when this process was alive last; None: read it from the database, where other processes write it, too.
    """
    at = now(connection)
    connection.execute(_INSERT[connection.dialect.name](schema.pulse).values(id=_ID, alive_at=at).on_conflict_do_nothing())
    stored: datetime = connection.execute(select(_PULSE.alive_at).where(_PULSE.id == _ID).with_for_update()).scalar_one()
    before = seen_at if seen_at is not None else in_utc(stored)
    connection.execute(update(schema.pulse).where(_PULSE.id == _ID).values(alive_at=at))
    if at - before <= gap:
        return None
    _add(connection, Downtime(before, at))
    return Downtime(before, at)


def last_beat(connection: Connection) -> datetime | None:
    """Return when a process was alive last, by the time of the hall; None at the first start."""
    found = connection.scalar(select(_PULSE.alive_at))
    return None if found is None else in_utc(found)


def _add(connection: Connection, downtime: Downtime) -> None:
    values = {"began_at": downtime.began_at, "ended_at": downtime.ended_at}
    connection.execute(_INSERT[connection.dialect.name](schema.downtimes).values(**values).on_conflict_do_nothing())


def postpone(connection: Connection, kind: str, after: datetime, by: timedelta) -> None:
    """Let the jobs of a kind that were due after a time be due later."""
    if connection.dialect.name == "sqlite":
        later = func.strftime("%Y-%m-%d %H:%M:%f", _JOB.due_at, f"+{by.total_seconds():.3f} seconds").concat("000")
        due_at: ColumnElement[Any] = type_coerce(later, DateTime(timezone=True))
    else:
        due_at = _JOB.due_at + by
    connection.execute(update(schema.jobs).where(_JOB.kind == kind, _JOB.due_at > after).values(due_at=due_at))


def downtimes(connection: Connection) -> list[Downtime]:
    """Return all times in which no process ran, the first one first."""
    rows = connection.execute(select(schema.downtimes).order_by(schema.downtimes.c.began_at))
    return [Downtime(in_utc(row.began_at), in_utc(row.ended_at)) for row in rows]


def last_downtime(connection: Connection) -> datetime | None:
    """Return when the last downtime ended."""
    found = connection.scalar(select(func.max(schema.downtimes.c.ended_at)))
    return None if found is None else in_utc(found)


def others_run(connection: Connection) -> bool:
    """Return whether another process has a valid lease."""
    return bool(connection.scalar(select(exists().where(~_PROCESS.has_ended, _PROCESS.expires_at > func.clock_timestamp()))))


def is_waiting(connection: Connection, kind: str) -> bool:
    """Return whether a job of a kind waits."""
    return bool(connection.scalar(select(exists().where(_JOB.kind == kind))))


def has_clocks(connection: Connection) -> bool:
    """Return whether a match with a clock is running."""
    clocked = exists().where(_TABLE.status == "running", _TABLE.clock.is_not(None))
    return bool(connection.scalar(select(clocked)))
