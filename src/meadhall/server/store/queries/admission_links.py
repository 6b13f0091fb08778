"""Queries about links that admit people to a hall for invited guests. Only the hash of a link's token is stored.

Also whom the host of the hall has admitted or shut out.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, or_, select, update

from meadhall.server.store import schema
from meadhall.server.store.hashed_link import AdmissionLink
from meadhall.server.store.models import in_utc
from meadhall.server.store.queries.present import now

_LINK: Final = schema.admission_links.c
_GUEST: Final = schema.guests.c


def add(connection: Connection, link: AdmissionLink) -> None:
    """Store a new link."""
    values = {column.name: getattr(link, column.name) for column in _LINK}
    connection.execute(insert(schema.admission_links).values(**values))


def all_links(connection: Connection) -> list[AdmissionLink]:
    """Return all links, the newest first, also those that are used up."""
    return _read(connection, _LINK.token.is_not(None))


def find(connection: Connection, token: str) -> AdmissionLink | None:
    """Return the link with a token, given by its hash; None if it is used up."""
    found = _read(connection, _is_valid(connection, token))
    return found[0] if found else None


def use(connection: Connection, token: str) -> str | None:
    """Use a link once, and return its id. Of two transactions that use the last one, one gets None."""
    used = update(schema.admission_links).where(_is_valid(connection, token)).values(used=_LINK.used + 1)
    id: str | None = connection.scalar(used.returning(_LINK.id))
    return id


def revoke(connection: Connection, id: str) -> bool:
    """Delete a link. Return whether there was one."""
    return connection.execute(delete(schema.admission_links).where(_LINK.id == id)).rowcount > 0


def admit(connection: Connection, guest: str, link: str | None) -> None:
    """Admit a stored guest, by the link with that id."""
    values = {"admitted_at": now(connection), "admitted_by": link}
    connection.execute(update(schema.guests).where(_GUEST.id == guest, _GUEST.admitted_at.is_(None)).values(**values))


def revoke_of(connection: Connection, guest: str) -> str | None:
    """Delete the link that has admitted a guest, and return its id; None if it is gone already."""
    link = connection.scalar(select(_GUEST.admitted_by).where(_GUEST.id == guest))
    return link if link is not None and revoke(connection, link) else None


def shut_out(connection: Connection, guest: str, is_closed: bool) -> None:
    """Close a guest, who can do nothing in the hall any more; or open them again."""
    connection.execute(update(schema.guests).where(_GUEST.id == guest).values(closed_at=now(connection) if is_closed else None))


def _is_valid(connection: Connection, token: str) -> ColumnElement[bool]:
    is_left = or_(_LINK.uses.is_(None), _LINK.used < _LINK.uses)
    return and_(_LINK.token == token, is_left, or_(_LINK.expires_at.is_(None), _LINK.expires_at > now(connection)))


def _read(connection: Connection, condition: ColumnElement[bool]) -> list[AdmissionLink]:
    rows = connection.execute(select(schema.admission_links).where(condition).order_by(_LINK.created_at.desc(), _LINK.id))
    return [
        AdmissionLink(
            row.id,
            row.token,
            row.note,
            row.uses,
            row.used,
            in_utc(row.created_at),
            None if row.expires_at is None else in_utc(row.expires_at),
        )
        for row in rows
    ]
