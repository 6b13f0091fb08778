"""Secrets that a hall keeps: the keys that sign cookies and tokens, and the seed of the daily puzzles."""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, insert, select

from meadhall.server.store import schema


def find(connection: Connection, name: str) -> str | None:
    """Return the secret of that name, None if it has not been created."""
    found = connection.scalar(select(schema.secrets.c.value).where(schema.secrets.c.name == name))
    return None if found is None else str(found)


def create(connection: Connection, name: str) -> None:
    """Create a random secret. Raises IntegrityError if there is one of that name."""
    connection.execute(insert(schema.secrets).values(name=name, value=secrets.token_hex(32)))
