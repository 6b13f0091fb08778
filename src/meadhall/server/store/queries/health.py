"""The health check: whether the database stores anything."""

from __future__ import annotations

from sqlalchemy import Connection, update

from meadhall.server.store import schema
from meadhall.server.store.models import now


def check(connection: Connection) -> None:
    """Write to the database. Raises an error of SQLAlchemy if that is impossible."""
    connection.execute(update(schema.health_checks).values(checked_at=now()))
