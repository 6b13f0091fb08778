"""Queries about the keys of requests for new tables. A request that repeats a key gets the table that the first one opened."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, insert, select

from meadhall.server.store import schema
from meadhall.server.store.models import RequestKey
from meadhall.server.store.queries.present import now

KEPT_FOR: Final = timedelta(days=1)
"""How long a key is kept."""
KEYS_PER_GUEST: Final = 100
"""Number of keys that are kept for a guest. Older ones are deleted."""

_KEY = schema.idempotency_keys.c


def find(connection: Connection, guest: str, key: str) -> tuple[str, str] | None:
    """Return the fingerprint of the first request with this key and the id of its table, None if the key is new."""
    query = select(_KEY.fingerprint, _KEY.table_id).where(
        _KEY.guest == guest, _KEY.key == key, _KEY.created_at > now(connection) - KEPT_FOR
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else (row.fingerprint, row.table_id)


def add(connection: Connection, guest: str, request: RequestKey, table: str) -> None:
    """Keep a key, and delete outdated ones of the guest."""
    connection.execute(delete(schema.idempotency_keys).where(_KEY.guest == guest, _is_outdated(connection)))
    values = {"key": request.key, "fingerprint": request.fingerprint, "table_id": table, "created_at": now(connection)}
    connection.execute(insert(schema.idempotency_keys).values(guest=guest, **values))
    surplus = select(_KEY.key).where(_KEY.guest == guest).order_by(_KEY.created_at.desc()).offset(KEYS_PER_GUEST)
    old = connection.execute(surplus).scalars().all()
    if old:
        connection.execute(delete(schema.idempotency_keys).where(_KEY.guest == guest, _KEY.key.in_(old)))


def delete_outdated(connection: Connection) -> None:
    """Delete the keys of all guests that are not kept any more."""
    connection.execute(delete(schema.idempotency_keys).where(_is_outdated(connection)))


def _is_outdated(connection: Connection) -> ColumnElement[bool]:
    return _KEY.created_at <= now(connection) - KEPT_FOR
