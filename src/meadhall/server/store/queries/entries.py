"""Queries about the entries of a match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, insert, select

from meadhall.server.store import schema
from meadhall.server.store.models import Conflict, Entry, now
from meadhall.server.store.queries import tables

_INSERT = insert(schema.match_entries)  # built once: it runs with every action


def all_of(connection: Connection, table: str) -> list[Entry]:
    """Return a match's history, oldest first."""
    columns = schema.match_entries.c
    query = select(schema.match_entries).where(columns.table_id == table).order_by(columns.number)
    return [Entry(row.number, row.kind, row.seat, row.value) for row in connection.execute(query)]


def count(connection: Connection, table: str) -> int:
    """Return the number of entries of a match."""
    query = select(func.count()).where(schema.match_entries.c.table_id == table)
    return connection.execute(query).scalar_one()


def append(
    connection: Connection,
    table: str,
    entry: Entry,
    over: bool,
    version: int | None,
    outcome: Mapping[str, Any] | None,
) -> None:
    """Append an entry; ``over``: it ends the match, with this ``outcome``.

    With a ``version`` the row of the table is locked, so that it can't change before the transaction ends.

    Raises:
        Conflict: the table has another version than the given one, or was abandoned before the entry ended its match.
        IntegrityError: there is an entry of that number.
    """
    if version is not None and tables.locked_version(connection, table) != version:
        raise Conflict
    connection.execute(_INSERT, {"table_id": table, "created_at": now(), **vars(entry)})
    if over and not tables.finish(connection, table, outcome):
        raise Conflict
