"""Queries about the entries of a match."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection, Text, and_, bindparam, cast, func, insert, select
from sqlalchemy.dialects.postgresql import asyncpg
from sqlalchemy.exc import IntegrityError

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.store import schema
from meadhall.server.store.models import Conflict, Entry, News, TableRow
from meadhall.server.store.notices import CHANNEL
from meadhall.server.store.queries import tables

_ENTRY = schema.match_entries.c
_TABLE = schema.tables.c

# Built once: they run with every action.
INSERT = insert(schema.match_entries)
_INSERT_AND_TELL = INSERT.returning(func.pg_notify(CHANNEL, bindparam("notice")))
_NEWS = (
    select(_TABLE.version, _ENTRY.number, _ENTRY.kind, _ENTRY.seat, _ENTRY.value, cast(_ENTRY.data, Text), _ENTRY.created_at)
    .select_from(schema.tables)
    .outerjoin(schema.match_entries, and_(_ENTRY.table_id == _TABLE.id, _ENTRY.number > bindparam("known")))
    .where(_TABLE.id == bindparam("id"))
    .order_by(_ENTRY.number)
)
NEWS: Final = str(_NEWS.compile(dialect=asyncpg.dialect()))  # type: ignore[no-untyped-call]
"""The query for a table's version and new entries as asyncpg runs it: $1 is the number of known entries, $2 the table's id."""


@dataclass(frozen=True)
class Change:
    """The changes that one transaction stores when a match goes on.

    Attributes:
        entries: the entries to append, in order.
        table: the changed table; None if it stays as it is.
        also: what else to store.
    """

    entries: tuple[Entry, ...]
    table: TableRow | None = None
    also: Callable[[Connection], None] | None = None


def all_of(connection: Connection, table: str) -> list[Entry]:
    """Return a match's history, oldest first."""
    query = select(schema.match_entries).where(_ENTRY.table_id == table).order_by(_ENTRY.number)
    found = connection.execute(query)
    return [Entry(row.number, row.kind, row.seat, row.value, row.data, _in_utc(row.created_at)) for row in found]


def news(connection: Connection, table: str, version: int, entry_count: int) -> News:
    """Return what has changed at a table since this version and number of entries. Both are of the same time.

    Raises NotFound if the table was deleted.
    """
    while True:
        rows = connection.execute(_NEWS, {"id": table, "known": entry_count}).all()
        if not rows:
            raise NotFound(_("There is no such table here."))
        changed = None if rows[0].version == version else tables.find(connection, table)
        if changed is None or changed.version == rows[0].version:  # else it has changed between the two queries
            return News(changed, of_news(rows))


def of_news(rows: Sequence[Any]) -> tuple[Entry, ...]:
    """Return the new entries in the rows of ``NEWS``."""
    return tuple(
        Entry(number, kind, seat, value, None if data is None else json.loads(data), _in_utc(at))
        for _version, number, kind, seat, value, data, at in rows
        if number is not None
    )


def row(table: str, entry: Entry) -> dict[str, Any]:
    """Return a new entry as ``INSERT`` stores it."""
    values = {**vars(entry), "table_id": table}
    values["created_at"] = values.pop("at")
    return values


def _in_utc(time: datetime) -> datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)  # SQLite stores no time zone


def append(
    connection: Connection,
    table: str,
    entry: Entry,
    over: bool,
    version: int | None,
    outcome: Mapping[str, Any] | None,
    notice: str | None = None,
) -> None:
    """Append an entry; ``over``: it ends the match, with this ``outcome``. Send the ``notice``, if there is one.

    With a ``version`` the row of the table is locked, so that it can't change before the transaction ends.

    Raises:
        Conflict: the table has another version than the given one, or was abandoned before the entry ended its match.
        IntegrityError: there is an entry of that number.
    """
    if version is not None and tables.locked_version(connection, table) != version:
        raise Conflict
    if notice is None:
        connection.execute(INSERT, row(table, entry))
    else:
        connection.execute(_INSERT_AND_TELL, {**row(table, entry), "notice": notice})
    if over and not tables.finish(connection, table, outcome):
        raise Conflict


def add(connection: Connection, table: str, entries: Sequence[Entry]) -> None:
    """Store the entries with which a match begins."""
    if entries:
        connection.execute(INSERT, [row(table, entry) for entry in entries])


def append_all(connection: Connection, table: TableRow, change: Change) -> TableRow:
    """Append entries to a match, and change its table. Return the table with its new version.

    Raises:
        Conflict: the table has another version than this one, or there is an entry of these numbers.
    """
    saved = table
    if change.table is not None:
        saved = tables.save(connection, change.table)
    elif tables.locked_version(connection, table.id) != table.version:
        raise Conflict
    try:
        connection.execute(INSERT, [row(table.id, entry) for entry in change.entries])
    except IntegrityError:
        raise Conflict from None
    if change.also is not None:
        change.also(connection)
    return saved
