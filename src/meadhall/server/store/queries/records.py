"""Queries about the records of finished matches, which are written once: later rules of a game can't write them any more.

Their texts are in a language, so a match may have several. They contain names of players, as they were then.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert as upsert

from meadhall.server.store import schema
from meadhall.server.store.models import TableRow
from meadhall.server.store.queries import tables

_RECORD: Final = schema.records.c
_OWNER: Final = schema.seat_guests.c


def of_table(connection: Connection, table: str) -> dict[str, bytes]:
    """Return the records of a match by their language."""
    found = connection.execute(select(_RECORD.language, _RECORD.record).where(_RECORD.table_id == table))
    return {row.language: row.record for row in found}


def add(connection: Connection, table: str, language: str, record: bytes) -> None:
    """Store the record of a match in the transaction that ends it."""
    values = {"table_id": table, "language": language, "record": record}
    connection.execute(upsert(schema.records).values(values).on_conflict_do_nothing())


def add_later(connection: Connection, table: TableRow, language: str, record: bytes) -> None:
    """Store a record that was written from a table of this version, unless the table has changed: a player may be deleted."""
    if tables.version_of(connection, table.id) == table.version:
        add(connection, table.id, language, record)


def forget(connection: Connection, guest: str) -> None:
    """Delete the records with the name of a guest. They are written again with the name that the seat has then."""
    own = select(_OWNER.table_id).where(_OWNER.guest == guest)
    connection.execute(delete(schema.records).where(_RECORD.table_id.in_(own)))
