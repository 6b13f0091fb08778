"""Many rows in every table that grows with a hall: the plans of queries depend on them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from meadhall.server.store.database import Db

SMALL: Final = frozenset(
    {
        *("secrets", "retired_secrets", "counters", "health_checks", "pulse", "downtimes", "release", "switches"),
        "admission_links",
        "challenges",  # they are deleted after minutes
        "closings",  # only of people who are shut out
        "switches",
    }
)
"""Tables whose rows don't become more with every guest or match."""

_MATCHES: Final = frozenset({"tables", "seats", "seat_guests", "match_entries", "results"})

_BASE: Final = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())

_VALUES: Final = {
    "tables.game": "'axxa'",
    "tables.rules": "1",
    "tables.status": "CASE n % 50 WHEN 0 THEN 'gathering' WHEN 1 THEN 'running' ELSE 'over' END",
    "tables.daily": "NULL",
    "seats.seat": "0",
    "seat_guests.seat": "0",
    "seats.kind": "CASE n % 50 WHEN 0 THEN 'open' ELSE 'human' END",
    "match_entries.kind": "'action'",
    "results.game": "'axxa'",
    "results.daily": "NULL",
    "questions.game": "'axxa'",
    "questions.content": """'{"name": "?", "players": [2], "variants": []}'""",
    "evenings.games": """'["axxa"]'""",
    "evenings.clock": "NULL",
    "chat_lines.audience": "'players'",
    "push_subscriptions.endpoint": "'https://push.example.org/' || n",
}
"""SQL for columns whose values matter, by row number ``n``."""


def growing(db: Db) -> list[str]:
    """Return the names of the tables that grow, a table after those that it refers to."""
    found = db.values("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rootpage")
    return [name for name in found if name not in SMALL]


def fill(db: Db, matches: int, others: int) -> None:
    """Insert that many matches, and rows into the other tables that grow."""
    numbers = "WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < ?)"
    for table in growing(db):
        columns = db.rows("SELECT name, type, pk FROM pragma_table_info(?)", table)
        referring = db.values('SELECT "from" FROM pragma_foreign_key_list(?)', table)
        names = ", ".join(name for name, _type, _key in columns)
        values = ", ".join(_value(table, name, kind, key and name not in referring) for name, kind, key in columns)
        db.run(
            f"INSERT INTO {table} ({names}) {numbers} SELECT {values} FROM k",  # noqa: S608 - of this file
            matches if table in _MATCHES else others,
        )


def _value(table: str, column: str, kind: str, is_key: bool) -> str:
    """Return SQL for a value that refers to row ``n`` of other tables, and is different in every row where it must be."""
    given = _VALUES.get(f"{table}.{column}")
    if given is not None:
        return given
    if kind == "DATETIME":
        seconds = f"{_BASE * (20 if table == 'jobs' else 1)} + n"
        return f"strftime('%Y-%m-%d %H:%M:%S.000000', {seconds}, 'unixepoch')"
    if kind in ("FLOAT", "INTEGER", "BIGINT"):
        return "n" if is_key else "n % 2"
    others = {"BOOLEAN": "n % 2 = 0", "JSON": "'{}'", "BLOB": "x'00'"}
    return others.get(kind, "'x' || n")
