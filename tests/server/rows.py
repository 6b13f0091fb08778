"""Rows of the database."""

from __future__ import annotations

from dataclasses import replace

from meadhall.server.ops.time import Time
from meadhall.server.store import matches, tables
from meadhall.server.store.database import Db, in_utc, of_json
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import Entry, SeatRow, TableRow, new_id, new_link_token
from meadhall.server.store.store import Store


def table_of(host: str, **changes: object) -> TableRow:
    seats = (
        SeatRow(0, "human", "Ada", None, frozenset({host, host + "2"}), new_link_token()),
        SeatRow(1, "bot", "Gorm", "karl", frozenset(), new_link_token()),
        SeatRow(2, "open", "", None, frozenset(), new_link_token()),
    )
    table = TableRow(new_id(), "hoard", 3, {"hand": "few"}, "gathering", host, True, b"\0" * 32, Time().now(), seats)
    return replace(table, **changes)  # type: ignore[arg-type]


def stored_jobs(store: Store, kind: str | None = None, key: str | None = None) -> list[Job]:
    """Return the jobs that wait, of a kind and with a key, the first due first."""

    def read(db: Db) -> list[Job]:
        query = "SELECT * FROM jobs WHERE kind = coalesce(?, kind) AND key = coalesce(?, key) ORDER BY due_at"
        return [
            Job(**{**dict(row), "due_at": in_utc(row["due_at"]), "payload": of_json(row["payload"])})
            for row in db.rows(query, kind, key)
        ]

    return store.transact(read)


def append(store: Store, table: TableRow, *new: Entry) -> None:
    """Append entries to a match, without its room."""
    store.transact(matches.append, table.id, new)


def save(store: Store, table: TableRow) -> TableRow:
    """Store a changed table, without its room, and return it with its new version."""
    return store.transact(tables.save, table)
