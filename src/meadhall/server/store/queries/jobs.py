"""Queries about jobs: work that waits for its time. A job that is done has no row.

A job is identified by its kind and its key, so that a deadline can be moved or cancelled. Its ``id`` changes whenever it is put
again, so the process that works on an older version of it can't finish the new one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, DateTime, and_, bindparam, delete, literal, or_, select, update

from meadhall.server.store import schema
from meadhall.server.store.models import Job, JobTaken, in_utc, new_id
from meadhall.server.store.queries import leases
from meadhall.server.store.queries.present import now
from meadhall.server.store.queries.upserts import INSERTS, Insert, insert_into

_JOB = schema.jobs.c


def _put_in(dialect: str) -> Insert:
    insert = INSERTS[dialect](schema.jobs).values(
        {name: bindparam(name) for name in ("id", "kind", "key", "due_at", "payload")} | {"attempts": 0, "claimed_by": None}
    )
    new = {name: insert.excluded[name] for name in ("id", "due_at", "payload", "attempts", "claimed_by")}
    return insert.on_conflict_do_update(index_elements=["kind", "key"], set_=new)


_PUT: Final = {dialect: _put_in(dialect) for dialect in INSERTS}  # each match with a clock does it at every action


def put(connection: Connection, kind: str, key: str, due_at: datetime, payload: Mapping[str, Any] | None = None) -> None:
    """Store a job, in place of the one with this kind and key if there is one."""
    values = {"id": new_id(), "kind": kind, "key": key, "due_at": due_at, "payload": dict(payload or {})}
    connection.execute(_PUT[connection.dialect.name], values)


def add(connection: Connection, kind: str, key: str, due_at: datetime, payload: Mapping[str, Any] | None = None) -> None:
    """Store a job, unless there is one with this kind and key."""
    values = {"id": new_id(), "kind": kind, "key": key, "due_at": due_at, "payload": dict(payload or {})}
    connection.execute(insert_into(connection, schema.jobs).values(**values).on_conflict_do_nothing())


def cancel(connection: Connection, kind: str, key: str) -> None:
    """Delete a job, if there is one with this kind and key."""
    connection.execute(delete(schema.jobs).where(_JOB.kind == kind, _JOB.key == key))


@dataclass(frozen=True)
class Lanes:
    """Which jobs that wait for other servers must wait for others, by the fields ``host`` and ``guest`` of their payload.

    Attributes:
        hosts: hosts with a running job.
        guests: guests with a running job.
        only: the hosts whose jobs may be claimed; None: all.
    """

    hosts: Collection[str]
    guests: Collection[str]
    only: Collection[str] | None

    def are_free(self) -> ColumnElement[bool]:
        """Return whether a job is in none of the lanes. One without these fields never is."""
        host, guest = (_JOB.payload[name].as_string() for name in ("host", "guest"))
        free = and_(or_(host.is_(None), host.not_in(self.hosts)), or_(guest.is_(None), guest.not_in(self.guests)))
        return free if self.only is None else and_(free, host.in_(self.only))


def claim(
    connection: Connection,
    process: str | None,
    kinds: Collection[str],
    limit: int,
    running: Collection[str],
    lanes: Lanes | None = None,
) -> tuple[list[Job], float | None]:
    """Claim jobs that are due, the longest overdue first. Return them, and the seconds until the next job of any kind is due.

    Args:
        process: the id of this process; None if it is the only one, which needs no claims.
        kinds: the kinds of jobs that this process can do.
        limit: the largest number of jobs to claim.
        running: the ids of the jobs that this process works on.
        lanes: which jobs must wait for running ones.

    The seconds are None if no job waits for a later time. Raises LeaseLost.
    """
    is_claimable: ColumnElement[bool] = _JOB.id.not_in(running)
    if process is not None:
        leases.lock(connection, process)
        is_claimable = or_(_JOB.claimed_by.is_(None), _JOB.claimed_by.in_(leases.ended(connection)))
    clock = literal(now(connection), DateTime(timezone=True))
    is_kind = _JOB.kind.concat("").in_(kinds)  # concatenated, so that SQLite uses the index of the times, not that of the kinds
    due = select(schema.jobs).where(_JOB.due_at <= clock, is_kind, is_claimable).order_by(_JOB.due_at).limit(limit)
    if lanes is not None:
        due = due.where(lanes.are_free())
    rows = connection.execute(due.with_for_update(skip_locked=True)).all() if limit else []
    ids = [row.id for row in rows]
    if process is not None and ids:
        connection.execute(update(schema.jobs).where(_JOB.id.in_(ids)).values(claimed_by=process))
    following = select(_JOB.due_at, clock.label("clock")).where(_JOB.due_at > clock).order_by(_JOB.due_at).limit(1)
    row = connection.execute(following).one_or_none()
    seconds = None if row is None else (in_utc(row.due_at) - in_utc(row.clock)).total_seconds()
    return [Job(row.id, row.kind, row.key, in_utc(row.due_at), row.payload, row.attempts) for row in rows], seconds


def finish(
    connection: Connection,
    job: Job,
    process: str | None,
    again_at: datetime | None = None,
    payload: Mapping[str, Any] | None = None,
) -> None:
    """Mark a job as done; with ``again_at``, let it wait for that time again, with another ``payload`` if one is given.

    Raises JobTaken if another process has claimed or done it, or if it was moved or cancelled. Then the transaction must be
    rolled back: its effect would be the second one.
    """
    if again_at is None:
        done = connection.execute(delete(schema.jobs).where(_is_mine(job, process)))
    else:
        later: dict[str, Any] = {"id": new_id(), "due_at": again_at, "attempts": 0, "claimed_by": None}
        if payload is not None:
            later["payload"] = dict(payload)
        done = connection.execute(update(schema.jobs).where(_is_mine(job, process)).values(**later))
    if done.rowcount == 0:
        raise JobTaken


def postpone(connection: Connection, job: Job, process: str | None, seconds: float) -> None:
    """Give a job back that has failed, to be tried again after some seconds."""
    due_at = now(connection) + timedelta(seconds=seconds)
    again = {"due_at": due_at, "attempts": job.attempts + 1, "claimed_by": None}
    connection.execute(update(schema.jobs).where(_is_mine(job, process)).values(**again))


def _is_mine(job: Job, process: str | None) -> ColumnElement[bool]:
    is_same = _JOB.id == job.id
    return is_same if process is None else and_(is_same, _JOB.claimed_by == process)
