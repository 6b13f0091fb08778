"""The health check: whether the database stores anything."""

from __future__ import annotations

from sqlalchemy import Connection, func, select, update

from meadhall.server.store import schema
from meadhall.server.store.queries.present import now


def check(connection: Connection) -> None:
    """Write to the database. Raises an error of SQLAlchemy if that is impossible."""
    connection.execute(update(schema.health_checks).values(checked_at=now(connection)))


def clock(connection: Connection) -> float:
    """Return the time of PostgreSQL's clock, in seconds since 1970."""
    return float(connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())
