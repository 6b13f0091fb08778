"""Queries about the processes of a hall on PostgreSQL, and about the tables that each of them drives.

A process has one row, its lease, which it renews all the time. ``tables.driver`` is the id of the process that drives a running
table. When a lease expires, another process marks it as ended. From then on the tables of the ended process are free, without a
write to each of them. An ended lease can't be renewed: a process that was frozen gets a new id, and drives nothing at first.

All times are compared by the database's clock.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    DateTime,
    and_,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    text,
    tuple_,
    update,
)

from meadhall.server.store import schema
from meadhall.server.store.connections import IDLE_TIMEOUT, OF_HALLS
from meadhall.server.store.models import ClaimedTable, LeaseLost
from meadhall.server.store.notices import send
from meadhall.server.store.queries.tables import entries_of_stand_ins

LEASE_SECONDS: Final = 2.5
"""Seconds after its last renewal when a lease expires."""

_PROCESS = schema.processes.c
_TABLE = schema.tables.c
_SEAT = schema.seats.c
_ENTRY = schema.match_entries.c
_JOB = schema.jobs.c
_RUNNING = _TABLE.status == "running"
_CLOCK: Final[ColumnElement[Any]] = func.clock_timestamp(type_=DateTime(timezone=True))
_EXPIRY: Final[ColumnElement[Any]] = _CLOCK + timedelta(seconds=LEASE_SECONDS)

_END_FROZEN: Final = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND usename = current_user AND application_name ~ :halls "
    "AND state = 'active' AND wait_event = 'ClientRead' AND state_change < clock_timestamp() - make_interval(secs => :seconds)"
)


@dataclass(frozen=True)
class Renewal:
    """What a process learns when it renews its lease.

    Attributes:
        is_valid: whether the lease is valid. If not, the process must join again.
        has_free_tables: whether a running table may have no driver.
        has_overdue_jobs: whether a job is due that no process has claimed.
    """

    is_valid: bool
    has_free_tables: bool
    has_overdue_jobs: bool


# -------------------------------------------------------------------------------------------------------------- the processes


def join(connection: Connection, id: str, name: str) -> None:
    """Add a process with a new lease."""
    connection.execute(insert(schema.processes).values(id=id, name=name[:100], started_at=_CLOCK, expires_at=_EXPIRY))


def renew(connection: Connection, id: str, games: Mapping[str, int], ends_others: bool) -> Renewal:
    """Renew the lease of a process, in a single statement.

    Args:
        games: the games that this process can drive, with the versions of their rules.
        ends_others: whether to mark the expired leases of other processes as ended.
    """
    renewed = update(schema.processes).where(_PROCESS.id == id, ~_PROCESS.has_ended).values(expires_at=_EXPIRY)
    # Skipping locked rows, two processes that have both expired can't wait for each other.
    expired = select(_PROCESS.id).where(
        _PROCESS.id != id, ~_PROCESS.has_ended, _PROCESS.expires_at < _CLOCK, literal(ends_others)
    )
    ended = update(schema.processes).where(_PROCESS.id.in_(expired.with_for_update(skip_locked=True))).values(has_ended=True)
    of_renewed, of_ended = renewed.returning(_PROCESS.id).cte("renewed"), ended.returning(_PROCESS.id).cte("ended")
    playable = and_(_RUNNING, tuple_(_TABLE.game, _TABLE.rules).in_(games.items()))
    left = select(_TABLE.id).join(schema.processes, and_(_PROCESS.id == _TABLE.driver, _PROCESS.has_ended)).where(playable)
    overdue = select(_JOB.id).where(_JOB.due_at < func.now(), _is_unclaimed())  # an index can't be compared with the clock itself
    row = connection.execute(
        select(
            exists(select(of_renewed.c.id)).label("is_valid"),
            or_(exists(select(_TABLE.id).where(playable, _TABLE.driver.is_(None))), exists(left)).label("has_free_tables"),
            exists(overdue).label("has_overdue_jobs"),
            exists(select(of_ended.c.id)).label("has_ended_others"),  # their tables and jobs are free, which isn't visible here
        )
    ).one()
    return Renewal(row.is_valid, row.has_free_tables or row.has_ended_others, row.has_overdue_jobs or row.has_ended_others)


def end_frozen(connection: Connection) -> None:
    """Close the connections of processes that are frozen between the preparation of a statement and its execution.

    They would keep their locks: asyncpg sends no Sync message between the two, so PostgreSQL doesn't count them as idle.
    """
    connection.execute(_END_FROZEN, {"halls": OF_HALLS, "seconds": IDLE_TIMEOUT})


def leave(connection: Connection, id: str, notice: str) -> None:
    """End the lease of a process. Whatever it drove or worked on is free at once, and the others learn it by a notice."""
    send(connection, notice)
    connection.execute(update(schema.processes).where(_PROCESS.id == id).values(has_ended=True))


def lock(connection: Connection, id: str) -> None:
    """Keep a lease from being ended until the transaction ends. Raises LeaseLost if it has ended already."""
    valid = select(_PROCESS.id).where(_PROCESS.id == id, ~_PROCESS.has_ended).with_for_update(read=True)
    if connection.scalar(valid) is None:
        raise LeaseLost


def ended(connection: Connection) -> list[str]:
    """Return the ids of the processes that have ended."""
    return list(connection.execute(select(_PROCESS.id).where(_PROCESS.has_ended)).scalars())


def forget_ended(connection: Connection) -> None:
    """Delete the processes that have ended and whose tables and jobs others have taken over, or finished."""
    drives = exists(select(_TABLE.id).where(_RUNNING, _TABLE.driver == _PROCESS.id))
    works = exists(select(_JOB.id).where(_JOB.claimed_by == _PROCESS.id))
    connection.execute(delete(schema.processes).where(_PROCESS.has_ended, ~drives, ~works))


def _is_unclaimed() -> ColumnElement[bool]:
    return or_(_JOB.claimed_by.is_(None), _JOB.claimed_by.in_(select(_PROCESS.id).where(_PROCESS.has_ended)))


# ----------------------------------------------------------------------------------------------------------------- the tables


def claim_table(connection: Connection, id: str, table: str) -> bool:
    """Let a process drive a running table, if no other one does. Return whether it does now. Raises LeaseLost."""
    lock(connection, id)
    free = and_(_TABLE.id == table, _RUNNING, _is_free(ended(connection)))
    return connection.execute(update(schema.tables).where(free).values(driver=id)).rowcount > 0


def claim_tables(connection: Connection, id: str, games: Mapping[str, int], limit: int) -> list[ClaimedTable]:
    """Let a process drive tables without a driver, those first where something happened last. Raises LeaseLost.

    Args:
        games: the games that the process can drive, with the versions of their rules.
    """
    lock(connection, id)
    last_entry = select(_ENTRY.created_at).where(_ENTRY.table_id == _TABLE.id).order_by(_ENTRY.number.desc()).limit(1)
    last_event = func.coalesce(last_entry.scalar_subquery(), _TABLE.started_at)
    free = and_(_RUNNING, _is_free(ended(connection)), tuple_(_TABLE.game, _TABLE.rules).in_(games.items()))
    chosen = select(_TABLE.id).where(free).order_by(last_event.desc()).limit(limit).with_for_update(skip_locked=True)
    ids = list(connection.execute(chosen).scalars())
    connection.execute(update(schema.tables).where(_TABLE.id.in_(ids)).values(driver=id))
    with_bots = set(connection.execute(select(_SEAT.table_id).where(_SEAT.table_id.in_(ids), _SEAT.kind == "bot")).scalars())
    with_bots.update(connection.execute(entries_of_stand_ins().where(_ENTRY.table_id.in_(ids))).scalars())
    return [ClaimedTable(table, table in with_bots) for table in ids]


def _is_free(ended: Collection[str]) -> ColumnElement[bool]:
    return or_(_TABLE.driver.is_(None), _TABLE.driver.in_(ended))
