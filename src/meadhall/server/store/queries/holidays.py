"""Queries about the holidays of guests."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from meadhall.server.store import schema
from meadhall.server.store.models import Holiday, in_utc

_ROW = schema.holidays.c


def of_guests(connection: Connection, guests: Collection[str]) -> list[Holiday]:
    """Return all holidays of some guests, the earliest first."""
    query = select(_ROW.began_at, _ROW.ended_at).where(_ROW.guest.in_(guests)).order_by(_ROW.began_at)
    return [Holiday(in_utc(row.began_at), in_utc(row.ended_at)) for row in connection.execute(query)]


def add(connection: Connection, guest: str, holiday: Holiday) -> None:
    """Store a holiday."""
    connection.execute(insert(schema.holidays).values(guest=guest, began_at=holiday.began_at, ended_at=holiday.ended_at))


def end(connection: Connection, guest: str, began_at: datetime, at: datetime) -> None:
    """End a holiday at a time. One that would begin later is deleted."""
    row = (_ROW.guest == guest) & (_ROW.began_at == began_at)
    if began_at >= at:
        connection.execute(delete(schema.holidays).where(row))
    else:
        connection.execute(update(schema.holidays).where(row, _ROW.ended_at > at).values(ended_at=at))
