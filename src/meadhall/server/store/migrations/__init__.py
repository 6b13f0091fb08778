"""The history of the database's schema, as Alembic migrations."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, inspect, text

_LOCK: Final = 0x6D656164
"""Number of the advisory lock on PostgreSQL: of several processes that start together, one upgrades the database."""


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Upgrade a database to a revision of the schema, or create the schema in an empty one.

    Runs in the connection's transaction: if a migration fails, the database is as before. Raises CommandError for a database
    with an unknown revision.
    """
    begin(connection)
    known_revision(connection)
    command.upgrade(_config(connection), revision)


def current_revision(connection: Connection) -> str | None:
    """Return the revision of a database's schema, None for a database without one."""
    return MigrationContext.configure(connection).get_current_revision()


def known_revision(connection: Connection) -> str | None:
    """Return the revision of a database's schema, None for a database without one.

    Raises CommandError for an unknown one. It names the version of Meadhall that has written the database.
    """
    revision = current_revision(connection)
    if revision is not None and revision not in known_revisions():
        written_by = writer(connection)
        raise CommandError(f"schema {revision}" if written_by is None else f"version {written_by}, schema {revision}")
    return revision


def writer(connection: Connection) -> str | None:
    """Return the version of Meadhall that has opened a hall last; None if that was not noted."""
    if not inspect(connection).has_table("release"):
        return None
    return connection.execute(text("SELECT meadhall FROM release")).scalar()


def note_writer(connection: Connection) -> None:
    """Note that this Meadhall has opened the hall."""
    here = {"meadhall": version("meadhall")}
    if writer(connection) != here["meadhall"]:
        connection.execute(text("DELETE FROM release"))
        connection.execute(text("INSERT INTO release (id, meadhall) VALUES (1, :meadhall)"), here)


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


def begin(connection: Connection) -> None:
    """Begin a transaction in which a database is upgraded."""
    if connection.dialect.name == "postgresql":
        lock_schema(connection)
    elif not connection.connection.in_transaction:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # else SQLite commits each statement that changes the schema


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    return config
