"""Queries about links that make another device the same guest. Only the hash of a link's token is stored.

A link is used once: the transaction that deletes its row has used it.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select

from meadhall.server.store import schema
from meadhall.server.store.hashed_link import IdentityLink
from meadhall.server.store.queries.present import now

_LINK: Final = schema.identity_links.c
_COLUMNS: Final = (_LINK.token, _LINK.guest, _LINK.for_account, _LINK.confirms, _LINK.expires_at, _LINK.session)


def put(connection: Connection, link: IdentityLink) -> None:
    """Store a link, in place of the earlier ones of its guest."""
    end_all(connection, link.guest)
    values = {column.name: getattr(link, column.name) for column in _COLUMNS}
    connection.execute(insert(schema.identity_links).values(**values))


def find(connection: Connection, token: str) -> IdentityLink | None:
    """Return the link with a token, given by its hash; None if it was used or has expired."""
    row = connection.execute(select(*_COLUMNS).where(_is_valid(connection, token))).one_or_none()
    return None if row is None else IdentityLink(**row._mapping)


def use(connection: Connection, token: str) -> IdentityLink | None:
    """Use a link up, and return it; None if it was used or has expired."""
    used = delete(schema.identity_links).where(_is_valid(connection, token)).returning(*_COLUMNS)
    row = connection.execute(used).one_or_none()
    return None if row is None else IdentityLink(**row._mapping)


def end_all(connection: Connection, guest: str) -> None:
    """Delete the links of a guest."""
    connection.execute(delete(schema.identity_links).where(_LINK.guest == guest))


def delete_outdated(connection: Connection) -> None:
    """Delete the links that have expired."""
    connection.execute(delete(schema.identity_links).where(_LINK.expires_at <= now(connection)))


def _is_valid(connection: Connection, token: str) -> ColumnElement[bool]:
    return and_(_LINK.token == token, _LINK.expires_at > now(connection))
