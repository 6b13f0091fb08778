"""Queries about the times in which the hall ran.

One row, the pulse, says when the hall was alive last. A gap between two writes is a time in which it didn't run, or couldn't
store anything.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, DateTime, exists, func, select, type_coerce, update
from sqlalchemy.dialects.sqlite import insert as upsert

from meadhall.server.store import schema
from meadhall.server.store.models import Downtime, in_utc
from meadhall.server.store.queries.present import now

_PULSE = schema.pulse.c
_JOB = schema.jobs.c
_TABLE = schema.tables.c
_ID: Final = 1


def beat(connection: Connection, gap: timedelta, seen_at: datetime | None = None) -> Downtime | None:
    """Note that the hall is alive. A pause longer than ``gap`` was a downtime: store and return it.

    ``seen_at``: when it was alive last; None: read it from the database.
    """
    at = now(connection)
    connection.execute(upsert(schema.pulse).values(id=_ID, alive_at=at).on_conflict_do_nothing())
    stored: datetime = connection.execute(select(_PULSE.alive_at).where(_PULSE.id == _ID)).scalar_one()
    before = seen_at if seen_at is not None else in_utc(stored)
    connection.execute(update(schema.pulse).where(_PULSE.id == _ID).values(alive_at=at))
    if at - before <= gap:
        return None
    _add(connection, Downtime(before, at))
    return Downtime(before, at)


def last_beat(connection: Connection) -> datetime | None:
    """Return when the hall was alive last, by its own time; None at the first start."""
    found = connection.scalar(select(_PULSE.alive_at))
    return None if found is None else in_utc(found)


def _add(connection: Connection, downtime: Downtime) -> None:
    values = {"began_at": downtime.began_at, "ended_at": downtime.ended_at}
    connection.execute(upsert(schema.downtimes).values(**values).on_conflict_do_nothing())


def postpone(connection: Connection, kind: str, after: datetime, by: timedelta) -> None:
    """Let the jobs of a kind that were due after a time be due later."""
    later = func.strftime("%Y-%m-%d %H:%M:%f", _JOB.due_at, f"+{by.total_seconds():.3f} seconds").concat("000")
    due_at: ColumnElement[Any] = type_coerce(later, DateTime(timezone=True))
    connection.execute(update(schema.jobs).where(_JOB.kind == kind, _JOB.due_at > after).values(due_at=due_at))


def downtimes(connection: Connection) -> list[Downtime]:
    """Return all times in which the hall didn't run, the first one first."""
    rows = connection.execute(select(schema.downtimes).order_by(schema.downtimes.c.began_at))
    return [Downtime(in_utc(row.began_at), in_utc(row.ended_at)) for row in rows]


def last_downtime(connection: Connection) -> datetime | None:
    """Return when the last downtime ended."""
    found = connection.scalar(select(func.max(schema.downtimes.c.ended_at)))
    return None if found is None else in_utc(found)


def is_waiting(connection: Connection, kind: str) -> bool:
    """Return whether a job of a kind waits."""
    return bool(connection.scalar(select(exists().where(_JOB.kind == kind))))


def has_clocks(connection: Connection) -> bool:
    """Return whether a match with a clock is running."""
    clocked = exists().where(_TABLE.status == "running", _TABLE.clock.is_not(None))
    return bool(connection.scalar(select(clocked)))
