"""Queries about the entries of a match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert, select

from meadhall.server.store import schema
from meadhall.server.store.models import Entry, in_utc

_ENTRY = schema.match_entries.c

INSERT = insert(schema.match_entries)


def all_of(connection: Connection, table: str) -> list[Entry]:
    """Return a match's history, oldest first."""
    query = select(schema.match_entries).where(_ENTRY.table_id == table).order_by(_ENTRY.number)
    found = connection.execute(query)
    return [Entry(row.number, row.kind, row.seat, row.value, row.data, in_utc(row.created_at)) for row in found]


def row(table: str, entry: Entry) -> dict[str, Any]:
    """Return a new entry as ``INSERT`` stores it."""
    values = {**vars(entry), "table_id": table}
    values["created_at"] = values.pop("at")
    return values


def append(connection: Connection, table: str, new: Sequence[Entry]) -> None:
    """Append entries to a match."""
    connection.execute(INSERT, [row(table, entry) for entry in new])
