"""Queries about whom guests have muted and blocked."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, delete, insert, select

from meadhall.server.store import schema
from meadhall.server.store.models import Ignored, IgnoreKind, in_utc
from meadhall.server.store.queries.present import now

_ROW = schema.ignored_guests.c


def of_guest(connection: Connection, guest: str) -> Ignored:
    """Return the guests that a guest ignores, and those that have blocked the guest."""
    rows = connection.execute(select(_ROW.kind, _ROW.other).where(_ROW.guest == guest)).all()
    query = select(_ROW.guest, _ROW.created_at).where(_ROW.other == guest, _ROW.kind == "block")
    return Ignored(
        frozenset(row.other for row in rows if row.kind == "mute"),
        frozenset(row.other for row in rows if row.kind == "block"),
        {row.guest: in_utc(row.created_at) for row in connection.execute(query)},
    )


def blocks(connection: Connection, guest: str) -> frozenset[str]:
    """Return the ids of all guests whom this guest has blocked, and of those who have blocked this guest.

    These people must not meet in a quick match.
    """
    ignored = of_guest(connection, guest)
    return ignored.blocked | ignored.blocked_by.keys()


def change(connection: Connection, guest: str, others: Collection[str], kind: IgnoreKind, on: bool) -> None:
    """Mute or block others, or stop doing so. What is already so stays as it is, with its time."""
    fits = (_ROW.guest == guest) & (_ROW.kind == kind) & _ROW.other.in_(others)
    if not on:
        connection.execute(delete(schema.ignored_guests).where(fits))
        return
    known = set(connection.execute(select(_ROW.other).where(fits)).scalars())
    rows = [
        {"guest": guest, "kind": kind, "other": other, "created_at": now(connection)}
        for other in sorted({*others} - known - {guest})
    ]
    if rows:
        connection.execute(insert(schema.ignored_guests), rows)
