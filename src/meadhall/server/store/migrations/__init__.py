"""The revisions of the database's schema, as Alembic migrations. ``schema.py`` has the current one.

The name of a migration's file begins with its revision, and revisions sort by age. Alembic is loaded only when a schema is made,
upgraded or compared: it takes 11 MB.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, inspect, text

from meadhall.server.store import schema

if TYPE_CHECKING:
    from alembic.config import Config


class UnknownRevision(Exception):
    """A database was written by a newer or another Meadhall."""


def upgrade(connection: Connection) -> None:
    """Create the schema in an empty database, or upgrade an older one.

    Runs in the connection's transaction: if a migration fails, the database is as before. Raises UnknownRevision.
    """
    from alembic import command  # noqa: PLC0415

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
    from alembic.autogenerate import compare_metadata  # noqa: PLC0415
    from alembic.migration import MigrationContext  # noqa: PLC0415

    return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_server_default": True}), schema.metadata))


def current_revision(connection: Connection) -> str | None:
    """Return the revision of a database's schema, None for a database without one."""
    return (
        connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        if _has(connection, "alembic_version")
        else None
    )


def known_revision(connection: Connection) -> str | None:
    """Return the revision of a database's schema, None for a database without one.

    Raises UnknownRevision. It names the version of Meadhall that has written the database.
    """
    revision = current_revision(connection)
    if revision is not None and revision not in known_revisions():
        written_by = writer(connection)
        raise UnknownRevision(f"schema {revision}" if written_by is None else f"version {written_by}, schema {revision}")
    return revision


def writer(connection: Connection) -> str | None:
    """Return the version of Meadhall that has opened a hall last; None if that was not noted."""
    return connection.execute(text("SELECT meadhall FROM release")).scalar() if _has(connection, "release") else None


def note_writer(connection: Connection) -> None:
    """Note that this Meadhall has opened the hall."""
    here = {"meadhall": version("meadhall")}
    if writer(connection) != here["meadhall"]:
        connection.execute(text("DELETE FROM release"))
        connection.execute(text("INSERT INTO release (id, meadhall) VALUES (1, :meadhall)"), here)


def newest_revision() -> str:
    """Return the revision of the schema that this Meadhall uses."""
    return max(known_revisions())


@cache
def known_revisions() -> frozenset[str]:
    """Return all revisions of the schema from which this Meadhall can upgrade, the newest included."""
    return frozenset(file.stem.partition("_")[0] for file in Path(__file__).with_name("versions").glob("*.py"))


def begin(connection: Connection) -> None:
    """Begin a transaction in which a database is upgraded."""
    if not connection.connection.in_transaction:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # else SQLite commits each statement that changes the schema


def _has(connection: Connection, table: str) -> bool:
    return inspect(connection).has_table(table)


def _config(connection: Connection) -> Config:
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    return config
