"""Inserts that say what to do if the row exists already. SQLite and PostgreSQL have their own, with the same methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

Insert = sqlite.Insert | postgresql.Insert

_INSERT: Final[Mapping[str, Callable[[Table], Insert]]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def insert_into(connection: Connection, table: Table) -> Insert:
    """Return an insert statement with ``on_conflict_do_update`` and ``on_conflict_do_nothing``."""
    return _INSERT[connection.dialect.name](table)
