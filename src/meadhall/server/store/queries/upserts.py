"""Inserts that say what to do if the row exists already. SQLite and PostgreSQL have their own, with the same methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

Insert = sqlite.Insert | postgresql.Insert

INSERTS: Final[Mapping[str, Callable[[Table], Insert]]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
"""The insert of each database, by the name of its dialect."""


def insert_into(connection: Connection, table: Table) -> Insert:
    """Return an insert statement with ``on_conflict_do_update`` and ``on_conflict_do_nothing``."""
    return INSERTS[connection.dialect.name](table)
