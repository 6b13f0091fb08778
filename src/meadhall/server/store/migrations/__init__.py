"""The history of the database's schema, as Alembic migrations."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

_LOCK: Final = 0x6D656164
"""Number of the advisory lock on PostgreSQL: of several processes that start together, one upgrades the database."""


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Upgrade a database to a revision of the schema, or create the schema in an empty one.

    Runs in the connection's transaction: if a migration fails, the database is as before. Raises CommandError for a database
    with an unknown revision.
    """
    _begin(connection)
    command.upgrade(_config(connection), revision)


def current_revision(connection: Connection) -> str | None:
    """Return the revision of a database's schema, None for a database without one."""
    return MigrationContext.configure(connection).get_current_revision()


def newest_revision() -> str:
    """Return the revision of the schema that this Meadhall uses."""
    return str(ScriptDirectory(str(Path(__file__).parent)).get_current_head())


@cache
def known_revisions() -> frozenset[str]:
    """Return all revisions of the schema from which this Meadhall can upgrade, the newest included."""
    return frozenset(script.revision for script in ScriptDirectory(str(Path(__file__).parent)).walk_revisions())


def lock_schema(connection: Connection) -> None:
    """Let no other process upgrade this PostgreSQL database, and so start a hall on it, until the transaction ends."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


def _begin(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        lock_schema(connection)
    elif not connection.connection.in_transaction:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # else SQLite commits each statement that changes the schema


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    return config
