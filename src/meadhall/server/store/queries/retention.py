"""Delete what a hall doesn't keep for ever: lobbies, given-up matches, chats and guests, after days that its host chooses.

A call deletes a part. It looks at some tables only, or at one slice of the ids, so that it is short in a large hall, too.
"""

from __future__ import annotations

import string
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, and_, delete, exists, null, select

from meadhall.server.settings import Retention
from meadhall.server.store import schema
from meadhall.server.store.models import FINISHED
from meadhall.server.store.queries.present import now

_TABLE: Final = schema.tables.c
_LINE: Final = schema.chat_lines.c
_GUEST: Final = schema.guests.c

_MOST: Final = 100
"""Tables or guests that a call deletes at most."""

_FIRST_CHARACTERS: Final = sorted("-_" + string.digits + string.ascii_letters)
"""The characters with which an id may begin, in the order of ASCII. Each is one slice."""


def delete_old(connection: Connection, retention: Retention, in_use: Collection[str]) -> None:
    """Delete a part of what is older than the host wants to keep, except the tables that are ``in_use``."""
    at = now(connection)
    hour = int(at.timestamp()) // 3600

    def limit(days: int) -> datetime | None:
        return at - timedelta(days=days) if days else None

    if (before := limit(retention.lobbies)) is not None:
        never_begun = and_(_TABLE.status.in_(("gathering", "closed")), _TABLE.created_at < before)
        _delete_tables(connection, never_begun, in_use)
    if (before := limit(retention.abandoned)) is not None:
        given_up = and_(_TABLE.status == "abandoned", _TABLE.created_at < before, _TABLE.finished_at < before)
        _delete_tables(connection, and_(given_up, _TABLE.outcome.is_(null())), in_use)
    if (before := limit(retention.chat)) is not None:
        has_ended = exists().where(
            _TABLE.id == _LINE.table_id, _TABLE.status.in_((*FINISHED, "closed")), _TABLE.finished_at < before
        )
        old = and_(_slice(_LINE.table_id, hour), _LINE.created_at < before, has_ended)
        connection.execute(delete(schema.chat_lines).where(old))
    if (before := limit(retention.guests)) is not None:
        _delete_guests(connection, and_(_slice(_GUEST.id, hour), _GUEST.created_at < before))


def _delete_tables(connection: Connection, which: ColumnElement[bool], in_use: Collection[str]) -> None:
    """Delete tables with everything that belongs to them. Attempts at daily puzzles stay: each guest has one."""
    found = select(_TABLE.id).where(which, _TABLE.daily.is_(None)).order_by(_TABLE.created_at).limit(_MOST)
    ids = set(connection.execute(found).scalars()) - set(in_use)
    if ids:
        connection.execute(delete(schema.tables).where(_TABLE.id.in_(ids), which))


def _delete_guests(connection: Connection, which: ColumnElement[bool]) -> None:
    """Delete guests without any rows in other tables. Guests that the host has admitted or shut out stay."""
    referring = [each.column for each in schema.GUEST_COLUMNS if each.column is not _GUEST.id]
    unknown = [~exists().where(column == _GUEST.id) for column in referring]
    undecided = and_(_GUEST.admitted_at.is_(None), _GUEST.closed_at.is_(None))
    found = select(_GUEST.id).where(which, undecided, *unknown).limit(_MOST)
    connection.execute(delete(schema.guests).where(_GUEST.id.in_(list(connection.execute(found).scalars()))))


def _slice(id: Column[Any], number: int) -> ColumnElement[bool]:
    """Return the condition that an id begins with one character: all of them in turn, by the number."""
    first = _FIRST_CHARACTERS[number % len(_FIRST_CHARACTERS)]
    return and_(id >= first, id < chr(ord(first) + 1))
