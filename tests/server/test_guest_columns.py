"""The list of all columns that refer to a guest: nothing is missing from it, and what it says can be done."""

from __future__ import annotations

import re

from sqlalchemy import Column, MetaData, String, Table

from meadhall.server.store.schema import GUEST_COLUMNS, metadata

SUSPICIOUS = re.compile("guest|host|person|people|player|author|sender|owner|invit|block|mute|account|friend|member|user")

NO_GUESTS = {"seats.link_token", "uploads.link_token"}
"""Columns as long as the id of a guest with something else in them."""


def suspects(of: MetaData) -> set[str]:
    """Return the columns that may refer to a guest, by their type or their name."""
    return {
        f"{table.name}.{column.name}"
        for table in of.sorted_tables
        for column in table.columns
        if isinstance(column.type, String) and (column.type.length == 32 or SUSPICIOUS.search(column.name))
    }


def test_every_column_that_refers_to_a_guest_is_in_the_list() -> None:
    missing = suspects(metadata) - NO_GUESTS - {str(each.column) for each in GUEST_COLUMNS}
    assert not missing, f"add to GUEST_COLUMNS in store/schema.py what happens to {missing} on merge, deletion and export"


def test_a_new_table_with_a_guest_is_noticed() -> None:
    other = MetaData()
    Table("notes", other, Column("id", String(16)), Column("written_by", String(32)), Column("author", String(40)))
    assert suspects(other) == {"notes.written_by", "notes.author"}


def test_the_list_has_every_column_once_and_only_clears_columns_that_may_be_empty() -> None:
    columns = [each.column for each in GUEST_COLUMNS]
    assert len({str(column) for column in columns}) == len(columns)
    for each in GUEST_COLUMNS:
        assert each.column.table in metadata.sorted_tables
        assert each.delete != "clear" or each.column.nullable, each
