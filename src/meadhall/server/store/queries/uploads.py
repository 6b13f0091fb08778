"""Queries about uploaded records."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, delete, insert, select

from meadhall.server.store import schema
from meadhall.server.store.models import new_link_token
from meadhall.server.store.queries.present import now

UPLOADS_KEPT: Final = 1000
"""Number of uploaded records that are kept. Older ones are deleted."""


def add(connection: Connection, record: str) -> str:
    """Keep a verified record and return the token of its link. Delete the oldest records beyond the limit."""
    token, columns = new_link_token(), schema.uploads.c
    connection.execute(insert(schema.uploads).values(link_token=token, record=record, created_at=now(connection)))
    surplus = select(columns.link_token).order_by(columns.created_at.desc()).offset(UPLOADS_KEPT)
    old = connection.execute(surplus).scalars().all()
    if old:
        connection.execute(delete(schema.uploads).where(columns.link_token.in_(old)))
    return token


def find(connection: Connection, token: str) -> str | None:
    """Return the record behind a link, None if there is none."""
    found = connection.scalar(select(schema.uploads.c.record).where(schema.uploads.c.link_token == token))
    return None if found is None else str(found)
