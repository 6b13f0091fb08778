"""Queries about challenges that passkeys sign. A challenge is deleted when it is answered, so it is accepted once."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from sqlalchemy import Connection, delete, insert

from meadhall.server.store import schema
from meadhall.server.store.models import Challenge, in_utc
from meadhall.server.store.queries.present import now

KEPT_FOR: Final = timedelta(minutes=5)
"""How long a challenge is accepted (WebAuthn, 15.1)."""

_CHALLENGE: Final = schema.challenges.c


def add(connection: Connection, challenge: Challenge) -> None:
    """Store a new challenge."""
    connection.execute(insert(schema.challenges).values(**{each.name: getattr(challenge, each.name) for each in _CHALLENGE}))


def take(connection: Connection, challenge: str, purpose: str, guest: str) -> Challenge | None:
    """Delete a challenge and return it; None if there is none for this purpose and guest, or if it has expired."""
    taken = delete(schema.challenges).where(_CHALLENGE.challenge == challenge).returning(*_CHALLENGE)
    row = connection.execute(taken).one_or_none()
    if row is None or row.purpose != purpose or row.guest != guest or in_utc(row.expires_at) <= now(connection):
        return None
    return Challenge(**{**row._mapping, "expires_at": in_utc(row.expires_at)})


def delete_outdated(connection: Connection) -> None:
    """Delete the challenges that have expired."""
    connection.execute(delete(schema.challenges).where(_CHALLENGE.expires_at <= now(connection)))
