"""Many rows in every table that grows with a hall: the plans of queries depend on them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import JSON, Boolean, Column, Connection, DateTime, LargeBinary, String, Table, Text, text
from sqlalchemy.types import Float, Integer

from meadhall.server.store import schema

SMALL: Final = frozenset(
    {
        *("secrets", "retired_secrets", "counters", "health_checks", "processes", "pulse", "downtimes", "release"),
        "admission_links",
        "challenges",  # they are deleted after minutes
    }
)
"""Tables whose rows don't become more with every guest or match."""

_MATCHES: Final = frozenset({schema.tables, schema.seats, schema.seat_guests, schema.match_entries, schema.results})

_BASE: Final = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())

_VALUES: Final = {
    "tables.game": "'axxa'",
    "tables.rules": "1",
    "tables.status": "CASE n % 50 WHEN 0 THEN 'gathering' WHEN 1 THEN 'running' ELSE 'over' END",
    "tables.daily": "NULL",
    "tables.driver": "NULL",
    "seats.seat": "0",
    "seat_guests.seat": "0",
    "seats.kind": "CASE n % 50 WHEN 0 THEN 'open' ELSE 'human' END",
    "match_entries.kind": "'action'",
    "results.game": "'axxa'",
    "results.daily": "NULL",
    "jobs.claimed_by": "NULL",
    "chat_lines.audience": "'players'",
    "push_subscriptions.endpoint": "'https://push.example.org/' || n",
}
"""SQL for columns whose values matter, by row number ``n``."""


def fill(connection: Connection, matches: int, others: int) -> None:
    """Insert that many matches, and rows into the other tables that grow."""
    numbers = "WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < :count)"
    for table in schema.metadata.sorted_tables:
        if table.name not in SMALL:
            names = ", ".join(f'"{column.name}"' for column in table.columns)
            values = ", ".join(_value(table, column) for column in table.columns)
            query = text(f"INSERT INTO {table.name} ({names}) {numbers} SELECT {values} FROM k")  # noqa: S608 - of this file
            connection.execute(query, {"count": matches if table in _MATCHES else others})


def _value(table: Table, column: Column[Any]) -> str:
    """Return SQL for a value that refers to row ``n`` of other tables, and is different in every row where it must be."""
    given = _VALUES.get(f"{table.name}.{column.name}")
    if given is not None:
        return given
    kind = column.type
    if isinstance(kind, DateTime):
        seconds = f"{_BASE * (20 if table is schema.jobs else 1)} + n"
        return f"strftime('%Y-%m-%d %H:%M:%S.000000', {seconds}, 'unixepoch')"
    if isinstance(kind, Boolean):
        return "n % 2 = 0"
    if isinstance(kind, Float | Integer):
        return "n" if column.primary_key and not column.foreign_keys else "n % 2"
    if isinstance(kind, JSON):
        return "'{}'"
    if isinstance(kind, LargeBinary):
        return "x'00'"
    assert isinstance(kind, String | Text)
    return "'x' || n"
