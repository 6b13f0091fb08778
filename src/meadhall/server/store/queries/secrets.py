"""Secrets that a hall keeps: the keys that sign cookies and tokens, and the seed of the daily puzzles."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select, update

from meadhall.server.store import schema
from meadhall.server.store.models import RetiredSecret
from meadhall.server.store.queries.present import now

_RETIRED = schema.retired_secrets.c


def find(connection: Connection, name: str) -> str | None:
    """Return the secret of that name, None if it has not been created."""
    found = connection.scalar(select(schema.secrets.c.value).where(schema.secrets.c.name == name))
    return None if found is None else str(found)


def create(connection: Connection, name: str) -> str:
    """Create a random secret, and return it."""
    value = secrets.token_hex(32)
    connection.execute(insert(schema.secrets).values(name=name, value=value))
    return value


def rotate(connection: Connection, name: str, valid_until: datetime) -> None:
    """Replace a secret. The old one is accepted until then. Do nothing if there is no secret of that name yet."""
    old = find(connection, name)
    if old is None:
        return
    connection.execute(update(schema.secrets).where(schema.secrets.c.name == name).values(value=secrets.token_hex(32)))
    connection.execute(insert(schema.retired_secrets).values(name=name, value=old, valid_until=valid_until))


def retired(connection: Connection, name: str) -> list[RetiredSecret]:
    """Return the replaced secrets of a name that are still accepted, the first replaced first."""
    query = select(_RETIRED.value, _RETIRED.valid_until).where(_RETIRED.name == name).order_by(_RETIRED.id)
    found = [RetiredSecret(row.value, row.valid_until.replace(tzinfo=UTC)) for row in connection.execute(query)]
    return [each for each in found if each.valid_until > now(connection)]


def drop_retired(connection: Connection, name: str) -> None:
    """Accept no replaced secret of this name any more."""
    connection.execute(delete(schema.retired_secrets).where(_RETIRED.name == name))


def delete_outdated(connection: Connection) -> None:
    """Delete the replaced secrets that are not accepted any more."""
    connection.execute(delete(schema.retired_secrets).where(_RETIRED.valid_until <= now(connection)))
