"""The revisions of the database's schema, as Alembic migrations. ``schema.py`` has the current one."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, insert, inspect, text

from meadhall.server.store import schema


def upgrade(connection: Connection) -> None:
    """Create the schema in an empty database, or upgrade an older one.

    Runs in the connection's transaction: if a migration fails, the database is as before. Raises CommandError for a database
    with an unknown revision.
    """
    begin(connection)
    if known_revision(connection) is not None:
        command.upgrade(_config(connection), "head")
        return
    schema.metadata.create_all(connection)
    connection.execute(insert(schema.counters).values(name="starts", value=0))
    connection.execute(insert(schema.health_checks).values(id=1))
    command.stamp(_config(connection), "head")


def differences(connection: Connection) -> list[Any]:
    """Return how the schema of a database differs from the current one, for example by a table that is missing."""
    return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_server_default": True}), schema.metadata))


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


def begin(connection: Connection) -> None:
    """Begin a transaction in which a database is upgraded."""
    if not connection.connection.in_transaction:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # else SQLite commits each statement that changes the schema


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    return config
