"""Queries about the private notes of players."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert as upsert

from meadhall.server.store import schema
from meadhall.server.store.queries.present import now

_NOTE = schema.notes.c


def find(connection: Connection, table: str, guest: str) -> str:
    """Return what a guest has noted at a table; "" without a note."""
    return connection.scalar(select(_NOTE.text).where(_NOTE.table_id == table, _NOTE.guest == guest)) or ""


def save(connection: Connection, table: str, guest: str, text: str) -> None:
    """Store a note in the place of the last one. An empty one is deleted."""
    if not text:
        connection.execute(delete(schema.notes).where(_NOTE.table_id == table, _NOTE.guest == guest))
        return
    values = {"text": text, "changed_at": now(connection)}
    row = upsert(schema.notes).values(table_id=table, guest=guest, **values)
    connection.execute(row.on_conflict_do_update(index_elements=["table_id", "guest"], set_=values))
