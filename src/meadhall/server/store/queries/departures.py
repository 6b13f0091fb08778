"""Queries about the players who have left a running match without an open page."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, and_, delete, insert, select

from meadhall.server.store import schema

_DEPARTURE = schema.departures.c
_TABLE = schema.tables.c


def of_table(connection: Connection, table: str) -> dict[int, datetime]:
    """Return when the players of a table have left, by seat."""
    found = connection.execute(select(_DEPARTURE.seat, _DEPARTURE.left_at).where(_DEPARTURE.table_id == table))
    return {row.seat: row.left_at if row.left_at.tzinfo is not None else row.left_at.replace(tzinfo=UTC) for row in found}


def add(connection: Connection, table: str, seat: int, left_at: datetime) -> None:
    """Store when a player has left a table."""
    connection.execute(insert(schema.departures).values(table_id=table, seat=seat, left_at=left_at))


def remove(connection: Connection, table: str, seat: int) -> None:
    """Forget that a player has left: they are back."""
    connection.execute(delete(schema.departures).where(and_(_DEPARTURE.table_id == table, _DEPARTURE.seat == seat)))


def delete_outdated(connection: Connection) -> None:
    """Delete the departures from matches that have ended."""
    running = select(_TABLE.id).where(_TABLE.status == "running")
    connection.execute(delete(schema.departures).where(_DEPARTURE.table_id.not_in(running)))
