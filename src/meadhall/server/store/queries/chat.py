"""Queries about the lines of chat at tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, update

from meadhall.server.store import schema
from meadhall.server.store.models import Audience, ChatLine, in_utc
from meadhall.server.store.queries.idempotency import KEPT_FOR
from meadhall.server.store.queries.present import now

_LINE = schema.chat_lines.c
_CLOSED = schema.closed_chats.c


@dataclass(frozen=True)
class NewLine:
    """A line that a guest wants to say.

    Attributes:
        key: the guest's key of the request; None without one. A request that repeats a key adds no line.
    """

    id: str
    table: str
    audience: Audience
    guest: str
    seat: int | None
    name: str
    text: str
    phrase: str | None
    key: str | None


@dataclass(frozen=True)
class LineFilter:
    """Which lines a host of a hall reviews: those of a table, of a person and of a time; None: of all.

    Attributes:
        guest: id of a guest.
        ids: ids of lines.
    """

    table: str | None = None
    guest: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    ids: Collection[str] | None = None


def said(connection: Connection, guest: str, key: str) -> tuple[str, ChatLine] | None:
    """Return the line that the guest has said with this key, and before it its table; None if the key is new."""
    is_recent = (_LINE.guest == guest) & (_LINE.created_at > now(connection) - KEPT_FOR)
    row = connection.execute(select(schema.chat_lines).where(is_recent, _LINE.request_key == key).limit(1)).one_or_none()
    return None if row is None else (row.table_id, _line(row))


def count_since(connection: Connection, guest: str, *times: datetime) -> list[int]:
    """Return how many lines the guest has said since each of these times."""
    counts = [func.count().filter(_LINE.created_at > time) for time in times]
    found = connection.execute(select(*counts).where(_LINE.guest == guest, _LINE.created_at > min(times))).one()
    return [int(count) for count in found]


def add(connection: Connection, line: NewLine) -> ChatLine:
    """Store a line, with the next number."""
    last = select(func.coalesce(func.max(_LINE.number), 0)).where(_of(line.table, line.audience))
    number = int(connection.execute(last).scalar_one()) + 1
    at = now(connection)
    values = {name: getattr(line, name) for name in ("id", "audience", "guest", "seat", "name", "text", "phrase")}
    connection.execute(
        insert(schema.chat_lines).values(table_id=line.table, number=number, request_key=line.key, created_at=at, **values)
    )
    return ChatLine(line.id, number, line.audience, line.guest, line.seat, line.name, line.text, line.phrase, False, at)


def following(connection: Connection, table: str, known: Mapping[Audience, int], limit: int) -> list[ChatLine]:
    """Return the lines after those numbers, by audience: of each the last ``limit``, in their order."""
    found: list[ChatLine] = []
    for audience, number in known.items():
        query = select(schema.chat_lines).where(_of(table, audience), _LINE.number > number)
        rows = connection.execute(query.order_by(_LINE.number.desc()).limit(limit)).all()
        found += [_line(row) for row in reversed(rows)]
    return found


def before(
    connection: Connection, table: str, audiences: Collection[Audience], line: str | None, limit: int
) -> list[ChatLine] | None:
    """Return the last ``limit`` lines that these audiences have heard, or the last before a line. None if there is no such line.

    They are in the order of time.
    """
    query = select(schema.chat_lines).where(_LINE.table_id == table, _LINE.audience.in_(audiences))
    if line is not None:
        at = connection.execute(
            select(_LINE.created_at).where(_LINE.id == line, _LINE.table_id == table, _LINE.audience.in_(audiences))
        ).scalar_one_or_none()
        if at is None:
            return None
        query = query.where(or_(_LINE.created_at < at, (_LINE.created_at == at) & (_LINE.id < line)))
    rows = connection.execute(query.order_by(_LINE.created_at.desc(), _LINE.id.desc()).limit(limit)).all()
    return [_line(row) for row in reversed(rows)]


def is_closed(connection: Connection, table: str) -> bool:
    """Return whether the host of a table has closed its chat."""
    return connection.execute(select(_CLOSED.table_id).where(_CLOSED.table_id == table)).first() is not None


def close(connection: Connection, table: str, closed: bool) -> None:
    """Close the chat of a table, or open it again."""
    connection.execute(delete(schema.closed_chats).where(_CLOSED.table_id == table))
    if closed:
        connection.execute(insert(schema.closed_chats).values(table_id=table, closed_at=now(connection)))


def found(connection: Connection, wanted: LineFilter, limit: int) -> list[tuple[str, ChatLine]]:
    """Return the last lines that fit a filter, each after the id of its table, in the order of time."""
    query = select(schema.chat_lines).where(*_conditions(wanted)).order_by(_LINE.created_at.desc(), _LINE.id.desc()).limit(limit)
    return [(row.table_id, _line(row)) for row in reversed(connection.execute(query).all())]


def erase(connection: Connection, wanted: LineFilter) -> tuple[int, list[str]]:
    """Delete what the lines that fit a filter say. The lines stay, as deleted.

    Return the number of the lines and the ids of their tables.
    """
    fits = [*_conditions(wanted), _LINE.is_deleted.is_(False)]
    tables = connection.execute(select(_LINE.table_id).where(*fits).distinct()).scalars().all()
    erased = connection.execute(update(schema.chat_lines).where(*fits).values(text="", phrase=None, is_deleted=True))
    return erased.rowcount, list(tables)


def _conditions(wanted: LineFilter) -> Sequence[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.table is not None:
        conditions.append(_LINE.table_id == wanted.table)
    if wanted.guest is not None:
        conditions.append(_LINE.guest == wanted.guest)
    if wanted.since is not None:
        conditions.append(_LINE.created_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(_LINE.created_at < wanted.until)
    if wanted.ids is not None:
        conditions.append(_LINE.id.in_(wanted.ids))
    return conditions


def _of(table: str, audience: Audience) -> ColumnElement[bool]:
    return (_LINE.table_id == table) & (_LINE.audience == audience)


def _line(row: Any) -> ChatLine:
    return ChatLine(
        id=row.id,
        number=row.number,
        audience=row.audience,
        guest=row.guest,
        seat=row.seat,
        name=row.name,
        text=row.text,
        phrase=row.phrase,
        is_deleted=row.is_deleted,
        at=in_utc(row.created_at),
    )
