"""Queries about jobs: work that waits for its time. A job that is done has no row.

A job is identified by its kind and its key, so that a deadline can be moved or cancelled. Its ``id`` changes whenever it is put
again, so who works on an older version of it can't finish the new one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from meadhall.server.store import schema
from meadhall.server.store.models import Job, JobTaken, in_utc, new_id
from meadhall.server.store.queries.present import now

_JOB = schema.jobs.c


_INSERT: Final = upsert(schema.jobs).values(
    {name: bindparam(name) for name in ("id", "kind", "key", "due_at", "payload")} | {"attempts": 0}
)
_PUT: Final = _INSERT.on_conflict_do_update(
    index_elements=["kind", "key"], set_={name: _INSERT.excluded[name] for name in ("id", "due_at", "payload", "attempts")}
)  # each match with a clock does it at every action


def put(connection: Connection, kind: str, key: str, due_at: datetime, payload: Mapping[str, Any] | None = None) -> None:
    """Store a job, in place of the one with this kind and key if there is one."""
    values = {"id": new_id(), "kind": kind, "key": key, "due_at": due_at, "payload": dict(payload or {})}
    connection.execute(_PUT, values)


def add(connection: Connection, kind: str, key: str, due_at: datetime, payload: Mapping[str, Any] | None = None) -> None:
    """Store a job, unless there is one with this kind and key."""
    values = {"id": new_id(), "kind": kind, "key": key, "due_at": due_at, "payload": dict(payload or {})}
    connection.execute(_INSERT.on_conflict_do_nothing(), values)


def cancel(connection: Connection, kind: str, key: str) -> None:
    """Delete a job, if there is one with this kind and key."""
    connection.execute(delete(schema.jobs).where(_JOB.kind == kind, _JOB.key == key))


def due(connection: Connection, kinds: Collection[str], limit: int, running: Collection[str]) -> list[Job]:
    """Return jobs of some kinds that are due, the longest overdue first, except the ``running`` ones, by their ids."""
    is_kind = _JOB.kind.concat("").in_(kinds)  # concatenated, so that SQLite uses the index of the times, not that of the kinds
    query = select(schema.jobs).where(_JOB.due_at <= now(connection), is_kind, _JOB.id.not_in(running))
    rows = connection.execute(query.order_by(_JOB.due_at).limit(limit)) if limit else ()
    return [Job(row.id, row.kind, row.key, in_utc(row.due_at), row.payload, row.attempts) for row in rows]


def next_due(connection: Connection) -> float | None:
    """Return the seconds until the next job that waits for a later time is due; None if there is none."""
    found = connection.scalar(select(func.min(_JOB.due_at)).where(_JOB.due_at > now(connection)))
    return None if found is None else (in_utc(found) - now(connection)).total_seconds()


def finish(connection: Connection, job: Job, again_at: datetime | None = None, payload: Mapping[str, Any] | None = None) -> None:
    """Mark a job as done; with ``again_at``, let it wait for that time again, with another ``payload`` if one is given.

    Raises JobTaken if it was moved or cancelled. Then the transaction must be rolled back.
    """
    if again_at is None:
        done = connection.execute(delete(schema.jobs).where(_JOB.id == job.id))
    else:
        later: dict[str, Any] = {"id": new_id(), "due_at": again_at, "attempts": 0}
        if payload is not None:
            later["payload"] = dict(payload)
        done = connection.execute(update(schema.jobs).where(_JOB.id == job.id).values(**later))
    if done.rowcount == 0:
        raise JobTaken


def postpone(connection: Connection, job: Job, seconds: float) -> None:
    """Let a job that has failed be tried again after some seconds."""
    again = {"due_at": now(connection) + timedelta(seconds=seconds), "attempts": job.attempts + 1}
    connection.execute(update(schema.jobs).where(_JOB.id == job.id).values(**again))
