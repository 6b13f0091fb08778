"""What the host sets while the hall runs: switches, quotas, an announcement, a maintenance. Each is a text by its name."""

from __future__ import annotations

from meadhall.server.store.database import Db


def read(db: Db) -> dict[str, str]:
    """Return everything that is set."""
    return dict(map(tuple, db.rows("SELECT name, value FROM switches")))


def put(db: Db, name: str, value: str) -> None:
    """Set a value in place of the last one."""
    db.insert("switches", {"name": name, "value": value}, conflict="ON CONFLICT (name) DO UPDATE SET value = excluded.value")
