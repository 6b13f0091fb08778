"""The database's history. ``upgrade`` brings any older database to today's form."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

_LOCK = 0x6D656164
"""The advisory lock under which one of several processes that start together upgrades their PostgreSQL database."""


def upgrade(connection: Connection) -> None:
    """Bring the database behind ``connection`` to today's form."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
