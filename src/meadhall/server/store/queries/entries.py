"""Queries about the entries of a match."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Text, and_, bindparam, cast, func, insert, select
from sqlalchemy.dialects.postgresql import asyncpg
from sqlalchemy.exc import IntegrityError

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.store import schema
from meadhall.server.store.models import Changes, Conflict, Entry, in_utc
from meadhall.server.store.notices import CHANNEL
from meadhall.server.store.queries import tables

_ENTRY = schema.match_entries.c
_TABLE = schema.tables.c

# Built once: they run with every action.
INSERT = insert(schema.match_entries)
_INSERT_AND_TELL = INSERT.returning(func.pg_notify(CHANNEL, bindparam("notice")))
_CHANGES = (
    select(_TABLE.version, _ENTRY.number, _ENTRY.kind, _ENTRY.seat, _ENTRY.value, cast(_ENTRY.data, Text), _ENTRY.created_at)
    .select_from(schema.tables)
    .outerjoin(schema.match_entries, and_(_ENTRY.table_id == _TABLE.id, _ENTRY.number > bindparam("known")))
    .where(_TABLE.id == bindparam("id"))
    .order_by(_ENTRY.number)
)
CHANGES: Final = str(_CHANGES.compile(dialect=asyncpg.dialect()))  # type: ignore[no-untyped-call]
"""The query for a table's version and new entries as asyncpg runs it: $1 is the number of known entries, $2 the table's id."""


def all_of(connection: Connection, table: str) -> list[Entry]:
    """Return a match's history, oldest first."""
    query = select(schema.match_entries).where(_ENTRY.table_id == table).order_by(_ENTRY.number)
    found = connection.execute(query)
    return [Entry(row.number, row.kind, row.seat, row.value, row.data, in_utc(row.created_at)) for row in found]


def changes_since(connection: Connection, table: str, version: int, entry_count: int) -> Changes:
    """Return what has changed at a table since this version and number of entries. Both are of the same time.

    Raises NotFound if the table was deleted.
    """
    while True:
        rows = connection.execute(_CHANGES, {"id": table, "known": entry_count}).all()
        if not rows:
            raise NotFound(_("There is no such table here."))
        changed = None if rows[0].version == version else tables.find(connection, table)
        if changed is None or changed.version == rows[0].version:  # else it has changed between the two queries
            return Changes(changed, of_rows(rows))


def of_rows(rows: Sequence[Any]) -> tuple[Entry, ...]:
    """Return the new entries in the rows of ``CHANGES``."""
    return tuple(
        Entry(number, kind, seat, value, None if data is None else json.loads(data), in_utc(at))
        for _version, number, kind, seat, value, data, at in rows
        if number is not None
    )


def row(table: str, entry: Entry) -> dict[str, Any]:
    """Return a new entry as ``INSERT`` stores it."""
    values = {**vars(entry), "table_id": table}
    values["created_at"] = values.pop("at")
    return values


def append(connection: Connection, table: str, new: Sequence[Entry], notice: str | None = None) -> None:
    """Append entries to a match, and send the ``notice``, if there is one. Raises Conflict if there is an entry of a number."""
    rows = [row(table, entry) for entry in new]
    try:
        if notice is None:
            connection.execute(INSERT, rows)
        else:
            connection.execute(_INSERT_AND_TELL, {**rows[0], "notice": notice})
            if rows[1:]:
                connection.execute(INSERT, rows[1:])
    except IntegrityError:
        raise Conflict from None
