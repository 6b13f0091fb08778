"""Rows of the database."""

from __future__ import annotations

from dataclasses import replace

from meadhall.server.ops.time import Time
from meadhall.server.store.models import Entry, SeatRow, TableRow, new_id, new_link_token
from meadhall.server.store.queries import entries, tables
from meadhall.server.store.store import Store


def table_of(host: str, **changes: object) -> TableRow:
    seats = (
        SeatRow(0, "human", "Ada", None, frozenset({host, host + "2"}), new_link_token()),
        SeatRow(1, "bot", "Gorm", "karl", frozenset(), new_link_token()),
        SeatRow(2, "open", "", None, frozenset(), new_link_token()),
    )
    table = TableRow(new_id(), "hoard", 3, {"hand": "few"}, "gathering", host, True, b"\0" * 32, Time().now(), seats)
    return replace(table, **changes)  # type: ignore[arg-type]


def append(store: Store, table: TableRow, *new: Entry) -> None:
    """Append entries to a match, without its room."""
    store.transact(entries.append, table.id, new)


def save(store: Store, table: TableRow) -> TableRow:
    """Store a changed table, without its room, and return it with its new version."""
    return store.transact(tables.save, table)
