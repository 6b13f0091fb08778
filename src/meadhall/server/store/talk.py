"""Queries about what people write at tables: lines of chat, and private notes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from meadhall.server.store.database import Db, Row, each_of, in_utc
from meadhall.server.store.tables import REQUESTS_KEPT_FOR

Audience = Literal["players", "spectators"]
"""Who hears a line of chat."""


@dataclass(frozen=True)
class ChatLine:
    """A line of chat.

    Attributes:
        id: names the line. It can't be guessed, and tells nothing about other lines.
        number: 1 for the first line that this audience of the table has heard. Guests must not learn it: it counts hidden lines.
        audience: who hears it.
        guest: id of the guest who wrote it.
        seat: the seat of its author; None for a spectator.
        name: the name of its author when it was written.
        text: what was written; "" for a phrase, and if it was deleted.
        phrase: the key of a preset phrase; None otherwise.
        at: when it was written.
    """

    id: str
    number: int
    audience: Audience
    guest: str
    seat: int | None
    name: str
    text: str
    phrase: str | None
    is_deleted: bool
    at: datetime


# ----------------------------------------------------------------------------------------------------------------------- chat


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


def said(db: Db, guest: str, key: str) -> tuple[str, ChatLine] | None:
    """Return the line that the guest has said with this key, and before it its table; None if the key is new."""
    query = "SELECT * FROM chat_lines WHERE guest = ? AND created_at > ? AND request_key = ? LIMIT 1"
    row = db.one(query, guest, db.now() - REQUESTS_KEPT_FOR, key)
    return None if row is None else (row["table_id"], _line(row))


def count_said_since(db: Db, guest: str, *times: datetime) -> list[int]:
    """Return how many lines the guest has said since each of these times."""
    query = "SELECT created_at FROM chat_lines WHERE guest = ? AND created_at > ?"
    found = [in_utc(at) for at in db.values(query, guest, min(times))]
    return [sum(at > time for at in found) for time in times]


def add_line(db: Db, line: NewLine) -> ChatLine:
    """Store a line, with the next number."""
    last = "SELECT coalesce(max(number), 0) FROM chat_lines WHERE table_id = ? AND audience = ?"
    number, at = int(db.value(last, line.table, line.audience)) + 1, db.now()
    values = {name: getattr(line, name) for name in ("id", "audience", "guest", "seat", "name", "text", "phrase")}
    row = {"table_id": line.table, "number": number, "request_key": line.key, "created_at": at, **values}
    db.insert("chat_lines", row)
    return ChatLine(**values, number=number, is_deleted=False, at=at)


def lines_after(db: Db, table: str, known: Mapping[Audience, int], limit: int) -> list[ChatLine]:
    """Return the lines after those numbers, by audience: of each the last ``limit``, in their order."""
    found: list[ChatLine] = []
    query = "SELECT * FROM chat_lines WHERE table_id = ? AND audience = ? AND number > ? ORDER BY number DESC LIMIT ?"
    for audience, number in known.items():
        found += [_line(row) for row in reversed(db.rows(query, table, audience, number, limit))]
    return found


def lines_before(db: Db, table: str, audiences: Collection[Audience], line: str | None, limit: int) -> list[ChatLine] | None:
    """Return the last ``limit`` lines that these audiences have heard, or the last before a line. None if there is no such line.

    They are in the order of time.
    """
    heard = "FROM chat_lines WHERE table_id = ? AND audience IN (SELECT value FROM json_each(?))"
    values: list[Any] = [table, each_of(audiences)]
    is_before = ""
    if line is not None:
        at = db.value(f"SELECT created_at {heard} AND id = ?", *values, line)
        if at is None:
            return None
        is_before = "AND (created_at, id) < (?, ?)"
        values += [at, line]
    rows = db.rows(f"SELECT * {heard} {is_before} ORDER BY created_at DESC, id DESC LIMIT ?", *values, limit)
    return [_line(row) for row in reversed(rows)]


def is_chat_closed(db: Db, table: str) -> bool:
    """Return whether the host of a table has closed its chat."""
    return db.value("SELECT 1 FROM closed_chats WHERE table_id = ?", table) is not None


def close_chat(db: Db, table: str, closed: bool) -> None:
    """Close the chat of a table, or open it again."""
    db.run("DELETE FROM closed_chats WHERE table_id = ?", table)
    if closed:
        db.insert("closed_chats", {"table_id": table, "closed_at": db.now()})


def find_lines(db: Db, wanted: LineFilter, limit: int) -> list[tuple[str, ChatLine]]:
    """Return the last lines that fit a filter, each after the id of its table, in the order of time."""
    fits, values = _conditions(wanted)
    query = f"SELECT * FROM chat_lines WHERE {fits} ORDER BY created_at DESC, id DESC LIMIT ?"
    return [(row["table_id"], _line(row)) for row in reversed(db.rows(query, *values, limit))]


def lines_around(db: Db, id: str, most: int = 4) -> list[ChatLine]:
    """Return a line with the ``most`` before and after it that its audience has heard; none if it doesn't exist any more."""
    query = """SELECT chat_lines.* FROM chat_lines JOIN chat_lines here ON here.id = ? AND here.table_id = chat_lines.table_id
        AND here.audience = chat_lines.audience WHERE chat_lines.number BETWEEN here.number - ? AND here.number + ?
        ORDER BY chat_lines.number"""
    return [_line(row) for row in db.rows(query, id, most, most)]


def erase_lines(db: Db, wanted: LineFilter) -> tuple[int, list[str]]:
    """Delete what the lines that fit a filter say. The lines stay, as deleted.

    Return the number of the lines and the ids of their tables.
    """
    fits, values = _conditions(wanted)
    erasing = "UPDATE chat_lines SET text = '', phrase = NULL, is_deleted = 1"
    found = db.values(f"{erasing} WHERE {fits} AND NOT is_deleted RETURNING table_id", *values)
    return len(found), sorted({*found})


def _conditions(wanted: LineFilter) -> tuple[str, list[Any]]:
    """Return the condition that a line fits a filter, and its values."""
    ids = None if wanted.ids is None else each_of(wanted.ids)
    conditions = {
        "table_id = ?": wanted.table,
        "guest = ?": wanted.guest,
        "created_at >= ?": wanted.since,
        "created_at < ?": wanted.until,
        "id IN (SELECT value FROM json_each(?))": ids,
    }
    given = {condition: value for condition, value in conditions.items() if value is not None}
    return " AND ".join(given) or "TRUE", [*given.values()]


def _line(row: Row) -> ChatLine:
    values = {name: row[name] for name in ("id", "number", "audience", "guest", "seat", "name", "text", "phrase")}
    return ChatLine(**values, is_deleted=bool(row["is_deleted"]), at=in_utc(row["created_at"]))


# ---------------------------------------------------------------------------------------------------------------------- notes


def find_note(db: Db, table: str, guest: str) -> str:
    """Return what a guest has noted at a table; "" without a note."""
    return db.value("SELECT text FROM notes WHERE table_id = ? AND guest = ?", table, guest) or ""


def noted(db: Db, guest: str) -> frozenset[str]:
    """Return the ids of the tables where a guest has a note."""
    return frozenset(db.values("SELECT table_id FROM notes WHERE guest = ?", guest))


def save_note(db: Db, table: str, guest: str, text: str) -> None:
    """Store a note in the place of the last one. An empty one is deleted."""
    if not text:
        db.run("DELETE FROM notes WHERE table_id = ? AND guest = ?", table, guest)
        return
    row = {"table_id": table, "guest": guest, "text": text, "changed_at": db.now()}
    same = "ON CONFLICT (table_id, guest) DO UPDATE SET text = excluded.text, changed_at = excluded.changed_at"
    db.insert("notes", row, conflict=same)
