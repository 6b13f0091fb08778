"""Queries about seeks: guests who wait for other people to start a match with, see ``hall/matching/quick_match.py``.

Seeks for the same game, number of players and options are in one *pool*. Before a transaction looks for the people of a match
it locks their pool. So two processes never seat a guest at two tables.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, delete, func, select, update

from meadhall.server.store import schema
from meadhall.server.store.clock import Clock
from meadhall.server.store.queries.present import now
from meadhall.server.store.queries.upserts import insert_into
from meadhall.server.store.seek import Seek

PRESENT_FOR: Final = timedelta(seconds=20)
"""How long after the last sign of its page a guest counts as waiting."""

LEAVING_FOR: Final = timedelta(seconds=5)
"""How long after its page was closed a guest counts as waiting: the page may be loaded again."""

_KEPT_FOR: Final = timedelta(hours=1)

_SEEK = schema.seeks.c


def lock_pools(connection: Connection, *pools: str) -> None:
    """Keep other transactions from matching the guests of these pools until this one ends. On SQLite they come one by one anyway.

    A transaction locks all the pools that it needs at once, and before any seek. So two of them never wait for each other.
    """
    if connection.dialect.name == "postgresql":
        for pool in sorted(set(pools)):
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(pool, 0))))


def find(connection: Connection, guest: str) -> Seek | None:
    """Return the seek of a guest."""
    row = connection.execute(select(schema.seeks).where(_SEEK.guest == guest)).one_or_none()
    return None if row is None else _seek(row)


def guest_of(connection: Connection, id: str) -> str | None:
    """Return the guest who has the seek with this id."""
    return connection.execute(select(_SEEK.guest).where(_SEEK.id == id)).scalar_one_or_none()


def put(connection: Connection, seek: Seek) -> None:
    """Store a seek, in place of another one of the guest."""
    values = {
        "id": seek.id,
        "game": seek.game,
        "players": seek.players,
        "options": dict(seek.options),
        "pool": seek.pool,
        "bot": seek.bot,
        "bots_after": seek.bots_after,
        "clock": None if seek.clock is None else seek.clock.to_json(),
        "created_at": seek.created_at,
        "seen_at": now(connection),
        "table_id": None,
        "matched_at": None,
    }
    insert = insert_into(connection, schema.seeks).values(guest=seek.guest, **values)
    connection.execute(insert.on_conflict_do_update(index_elements=["guest"], set_=values))


def touch(connection: Connection, guest: str) -> None:
    """Note that the guest's page is still open."""
    connection.execute(update(schema.seeks).where(_SEEK.guest == guest, _is_unmatched()).values(seen_at=now(connection)))


def leave(connection: Connection, guest: str) -> None:
    """Note that the guest's page was closed."""
    last = now(connection) - PRESENT_FOR + LEAVING_FOR
    connection.execute(update(schema.seeks).where(_SEEK.guest == guest, _is_unmatched()).values(seen_at=last))


def end(connection: Connection, guest: str) -> Seek | None:
    """Delete the seek of a guest, and return it; None if the guest has none that waits."""
    deleted = delete(schema.seeks).where(_SEEK.guest == guest, _is_unmatched()).returning(*schema.seeks.columns)
    row = connection.execute(deleted).one_or_none()
    return None if row is None else _seek(row)


def waiting(connection: Connection, pool: str | None = None) -> list[Seek]:
    """Return the seeks of a pool, or of all pools, whose guests wait, the oldest first.

    On PostgreSQL those of a pool can't be changed by others until the transaction ends.
    """
    query = select(schema.seeks).where(_is_unmatched(), _SEEK.seen_at > now(connection) - PRESENT_FOR)
    query = query.order_by(_SEEK.created_at, _SEEK.guest)
    rows = connection.execute(query if pool is None else query.where(_SEEK.pool == pool).with_for_update())
    return [_seek(row) for row in rows]


def matched(connection: Connection, guests: Collection[str], table: str) -> None:
    """Store at which table these guests play."""
    found = {"table_id": table, "matched_at": now(connection)}
    connection.execute(update(schema.seeks).where(_SEEK.guest.in_(guests)).values(**found))


def delete_outdated(connection: Connection) -> None:
    """Delete the seeks of guests who left or were matched long ago."""
    connection.execute(delete(schema.seeks).where(_SEEK.seen_at <= now(connection) - _KEPT_FOR))


def _is_unmatched() -> ColumnElement[bool]:
    return _SEEK.table_id.is_(None)


def _seek(row: Row[Any]) -> Seek:
    values: dict[str, Any] = {name: value for name, value in row._mapping.items() if name != "pool"}
    for name in ("created_at", "seen_at", "matched_at"):
        if values[name] is not None:
            values[name] = _in_utc(values[name])
    return Seek(**{**values, "clock": Clock.of_json(row.clock)})


def _in_utc(time: datetime) -> datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)  # SQLite stores no time zone
