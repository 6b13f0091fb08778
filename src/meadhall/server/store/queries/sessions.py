"""Queries about sessions: the devices and programs that are signed in to an account."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from meadhall.server.store import schema
from meadhall.server.store.models import Session, in_utc
from meadhall.server.store.queries import opened
from meadhall.server.store.queries.present import now

KEPT_FOR: Final = timedelta(days=400)
"""How long a session lasts that is not used. No browser keeps a cookie longer (RFC 6265bis, 5.5)."""

_SESSION: Final = schema.sessions.c


def add(connection: Connection, session: Session) -> None:
    """Store a new session."""
    connection.execute(insert(schema.sessions).values(**{each.name: getattr(session, each.name) for each in _SESSION}))


def find(connection: Connection, token: str) -> Session | None:
    """Return the session with a token, given by its hash."""
    found = _read(connection, _SESSION.token == token)
    return found[0] if found else None


def all_of(connection: Connection, guest: str) -> list[Session]:
    """Return the sessions of an account, the last used first."""
    return _read(connection, _SESSION.guest == guest)


def _read(connection: Connection, condition: ColumnElement[bool]) -> list[Session]:
    is_kept = _SESSION.last_used_at > now(connection) - KEPT_FOR
    query = select(schema.sessions).where(condition, is_kept).order_by(_SESSION.last_used_at.desc(), _SESSION.id)
    times = ("created_at", "confirmed_at", "last_used_at")
    return [
        Session(**{**row._mapping, **{name: in_utc(row._mapping[name]) for name in times}}) for row in connection.execute(query)
    ]


def touch(connection: Connection, id: str) -> None:
    """Note that a session is used."""
    connection.execute(update(schema.sessions).where(_SESSION.id == id).values(last_used_at=now(connection)))


def confirm(connection: Connection, id: str, token: str) -> None:
    """Note that the person has proved who they are, and give the session another token."""
    changed: dict[str, Any] = {"confirmed_at": now(connection), "last_used_at": now(connection), "token": token}
    connection.execute(update(schema.sessions).where(_SESSION.id == id).values(**changed))


def end(connection: Connection, guest: str, id: str) -> bool:
    """End a session of an account, and what it has opened. Return whether there was one."""
    has_ended = connection.execute(delete(schema.sessions).where(_SESSION.guest == guest, _SESSION.id == id)).rowcount > 0
    if has_ended:
        opened.end(connection, [id])
    return has_ended


def end_all(connection: Connection, guest: str, except_id: str | None = None) -> None:
    """End all sessions of an account, or all except one, with what they have opened, and the links that could open new ones."""
    ended = delete(schema.sessions).where(_SESSION.guest == guest)
    connection.execute(ended if except_id is None else ended.where(_SESSION.id != except_id))
    opened.end_all(connection, guest, except_id or "")


def delete_outdated(connection: Connection) -> None:
    """Delete the sessions that were not used for too long, and what they have opened."""
    is_outdated = _SESSION.last_used_at <= now(connection) - KEPT_FOR
    opened.end(connection, select(_SESSION.id).where(is_outdated))
    connection.execute(delete(schema.sessions).where(is_outdated))
