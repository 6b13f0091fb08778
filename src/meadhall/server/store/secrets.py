"""Secrets that a hall keeps: the keys that sign cookies and tokens, and the seed of the daily puzzles."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime

from meadhall.server.store.database import Db, in_utc


@dataclass(frozen=True)
class RetiredSecret:
    """A secret that was replaced, and the time until which it is accepted."""

    value: str
    valid_until: datetime


def find(db: Db, name: str) -> str | None:
    """Return the secret of that name, None if it has not been created."""
    found: str | None = db.value("SELECT value FROM secrets WHERE name = ?", name)
    return found


def create(db: Db, name: str) -> str:
    """Create a random secret, and return it."""
    value = secrets.token_hex(32)
    db.insert("secrets", {"name": name, "value": value})
    return value


def rotate(db: Db, name: str, valid_until: datetime) -> None:
    """Replace a secret. The old one is accepted until then. Do nothing if there is no secret of that name yet."""
    old = find(db, name)
    if old is not None:
        db.run("UPDATE secrets SET value = ? WHERE name = ?", secrets.token_hex(32), name)
        db.insert("retired_secrets", {"name": name, "value": old, "valid_until": valid_until})


def retired(db: Db, name: str) -> list[RetiredSecret]:
    """Return the replaced secrets of a name that are still accepted, the first replaced first."""
    query = "SELECT value, valid_until FROM retired_secrets WHERE name = ? AND valid_until > ? ORDER BY id"
    return [RetiredSecret(value, in_utc(until)) for value, until in db.rows(query, name, db.now())]


def drop_retired(db: Db, name: str) -> None:
    """Accept no replaced secret of this name any more."""
    db.run("DELETE FROM retired_secrets WHERE name = ?", name)
