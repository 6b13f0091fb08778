"""Queries about guests."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from meadhall.server.store import schema
from meadhall.server.store.models import Guest, now


def find(connection: Connection, id: str) -> Guest | None:
    """Return the guest with that id, None if the database has no row of them."""
    row = connection.execute(select(schema.guests).where(schema.guests.c.id == id)).one_or_none()
    if row is None:
        return None
    return Guest(row.id, row.name, row.language, row.theme, row.motion, is_stored=True, choices=row.choices or {})


def save(connection: Connection, guest: Guest) -> None:
    """Insert or update a guest. Raises IntegrityError if another transaction inserts them at the same time."""
    settings = {"language": guest.language, "theme": guest.theme, "motion": guest.motion}
    values = {"name": guest.name, **settings, "choices": dict(guest.choices) or None}
    updated = connection.execute(update(schema.guests).where(schema.guests.c.id == guest.id).values(**values))
    if updated.rowcount == 0:
        connection.execute(insert(schema.guests).values(id=guest.id, created_at=now(), **values))
