"""The list of all columns that refer to a guest: nothing is missing from it, and what it says can be done."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

from meadhall.server.settings import Settings
from meadhall.server.store.schema import GUEST_COLUMNS

SUSPICIOUS = re.compile("guest|host|person|people|player|author|sender|owner|invit|block|mute|account|friend|member|user")

NO_GUESTS = {"seats.link_token", "uploads.link_token"}
"""Columns as long as the id of a guest with something else in them."""

COLUMNS = """SELECT tables.name || '.' || columns.name, columns.type, columns."notnull"
    FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'"""


def suspects(connection: sqlite3.Connection) -> set[str]:
    """Return the columns that may refer to a guest, by their type or their name."""
    return {
        name
        for name, kind, _is_needed in connection.execute(COLUMNS)
        if kind == "VARCHAR(32)" or (kind.startswith("VARCHAR") and SUSPICIOUS.search(name.partition(".")[2]))
    }


def test_every_column_that_refers_to_a_guest_is_in_the_list(on_sqlite: Settings) -> None:
    with closing(sqlite3.connect(on_sqlite.database)) as connection:
        missing = suspects(connection) - NO_GUESTS - {f"{each.table}.{each.column}" for each in GUEST_COLUMNS}
    assert not missing, f"add to GUEST_COLUMNS in store/schema.py what happens to {missing} on merge, deletion and export"


def test_a_new_table_with_a_guest_is_noticed() -> None:
    with closing(sqlite3.connect(":memory:")) as other:
        other.execute("CREATE TABLE notes (id VARCHAR(16), written_by VARCHAR(32), author VARCHAR(40))")
        assert suspects(other) == {"notes.written_by", "notes.author"}


def test_the_list_has_every_column_once_and_only_clears_columns_that_may_be_empty(on_sqlite: Settings) -> None:
    with closing(sqlite3.connect(on_sqlite.database)) as connection:
        needed = {name: bool(is_needed) for name, _kind, is_needed in connection.execute(COLUMNS)}
    listed = [f"{each.table}.{each.column}" for each in GUEST_COLUMNS]
    assert len({*listed}) == len(listed)
    for each, name in zip(GUEST_COLUMNS, listed, strict=True):
        assert name in needed
        assert each.delete != "clear" or not needed[name], each
