"""Delete what a hall doesn't keep for ever, in small steps: between two of them the hall does what has come meanwhile.

These are keys, sessions and links that have expired; and lobbies, given-up matches, chats and guests after days that the host
chooses. To look for these may take long in a large hall: it runs in a thread, and looks at one slice of the ids in an hour.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from meadhall.server.settings import Retention
from meadhall.server.store import accounts, evenings, jobs, questions, schema, sessions, tables
from meadhall.server.store.database import Db

STEP: Final = 300
"""Rows that a step deletes at most, of one table of the database."""

MOST: Final = 1000
"""Tables or guests that are deleted at most in an hour."""

_EXPIRED: Final = {
    "idempotency_keys": ("created_at", tables.REQUESTS_KEPT_FOR),
    "retired_secrets": ("valid_until", timedelta(0)),
    "challenges": ("expires_at", timedelta(0)),
    "failed_attempts": ("last_at", accounts.ATTEMPTS_FORGOTTEN_AFTER),
    "orders": ("created_at", jobs.ORDERS_KEPT_FOR),
    "questions": ("changed_at", questions.KEPT_FOR),
    "evenings": ("created_at", evenings.KEPT_FOR),
    "identity_links": ("expires_at", timedelta(0)),
    "closings": ("ends_at", timedelta(0)),
    "mail_confirmations": ("expires_at", timedelta(0)),
}
"""Tables of the database whose rows expire: by which time, and how long after it."""

_FIRST_CHARACTERS: Final = sorted("-_" + string.digits + string.ascii_letters)
"""The characters with which an id may begin, in the order of ASCII. Each is one slice."""

Step = Callable[[Db], bool]
"""Deletes a part, and returns whether there may be more to delete."""


@dataclass(frozen=True)
class Deletion:
    """What is deleted of one kind.

    Attributes:
        find: returns the ids of tables or guests. It only reads, and may take long.
        step: deletes a part of what belongs to such an id, and returns whether there may be more.
        spares_tables_in_use: whether a table stays as it is that is shown or played at.
    """

    find: Callable[[Db], list[str]]
    step: Callable[[Db, str], bool]
    spares_tables_in_use: bool = False


# -------------------------------------------------------------------------------------------------------------------- expired


def expired() -> list[Step]:
    """Return what deletes rows that are not accepted any more: keys, replaced secrets, sessions and so on."""
    of_table = [partial(_delete_expired, table=table) for table in _EXPIRED]
    return [*of_table, _delete_expired_sessions, _delete_departures]


def _delete_expired(db: Db, table: str) -> bool:
    column, kept_for = _EXPIRED[table]
    return _delete_some(db, table, f"{column} <= ?", db.now() - kept_for)


def _delete_expired_sessions(db: Db) -> bool:
    """Delete sessions that were not used for too long, and what they have opened."""
    ids = db.values("SELECT id FROM sessions WHERE last_used_at <= ? LIMIT ?", db.now() - sessions.KEPT_FOR, STEP)
    for id in ids:
        db.run("DELETE FROM sessions WHERE id = ?", id)
    sessions.end_opened(db, *ids)
    return len(ids) == STEP


def _delete_departures(db: Db) -> bool:
    """Delete the departures from matches that have ended."""
    return _delete_some(db, "departures", "table_id NOT IN (SELECT id FROM tables WHERE status = 'running')")


def _delete_some(db: Db, table: str, where: str, *values: object, order: str = "") -> bool:
    """Delete the rows of a table that fulfil a condition, a step of them. Return whether there may be more."""
    rows = f"SELECT rowid FROM {table} WHERE {where} {order} LIMIT ?"
    return db.run(f"DELETE FROM {table} WHERE rowid IN ({rows})", *values, STEP) == STEP


# ------------------------------------------------------------------------------------------------------- as long as a host says


def outdated(at: datetime, kept: Retention) -> Iterator[Deletion]:
    """Yield what is deleted of the things that are older at this time than the host wants to keep."""
    first = _FIRST_CHARACTERS[int(at.timestamp()) // 3600 % len(_FIRST_CHARACTERS)]
    part = (first, chr(ord(first) + 1))
    if kept.lobbies:
        before = at - timedelta(days=kept.lobbies)
        yield _tables("status IN ('gathering', 'closed') AND created_at < ?", before)
    if kept.abandoned:
        before = at - timedelta(days=kept.abandoned)
        yield _tables("status = 'abandoned' AND created_at < ? AND finished_at < ? AND outcome IS NULL", before, before)
    if kept.chat:
        before = at - timedelta(days=kept.chat)
        yield Deletion(partial(_find_chats, part=part, before=before), partial(_delete_chat, before=before))
        yield Deletion(lambda _db: ["cases"], lambda db, table: _delete_some(db, table, "closed_at < ?", before))
    if kept.guests:
        before = at - timedelta(days=kept.guests)
        yield Deletion(partial(_find_guests, part=part, before=before), _delete_guest)


def _tables(which: str, *values: datetime) -> Deletion:
    """Return the deletion of tables. Attempts at daily puzzles stay: each guest has one."""
    which += " AND daily IS NULL"

    def find(db: Db) -> list[str]:
        return db.values(f"SELECT id FROM tables WHERE {which} ORDER BY created_at LIMIT ?", *values, MOST)

    def step(db: Db, id: str) -> bool:
        if db.value(f"SELECT 1 FROM tables WHERE {which} AND id = ?", *values, id) is None:
            return False
        for part in ("chat_lines", "match_entries"):  # the last first: a match whose end is missing can still be opened
            if _delete_some(db, part, "table_id = ?", id, order="ORDER BY number DESC"):
                return True
        db.run("DELETE FROM tables WHERE id = ?", id)  # and the few rows that belong to it, by cascade
        return False

    return Deletion(find, step, spares_tables_in_use=True)


def _find_chats(db: Db, part: tuple[str, str], before: datetime) -> list[str]:
    query = """SELECT DISTINCT table_id FROM chat_lines JOIN tables ON tables.id = table_id
        WHERE table_id >= ? AND table_id < ? AND chat_lines.created_at < ?
        AND status IN ('over', 'abandoned', 'closed') AND finished_at < ?"""
    return db.values(query, *part, before, before)


def _delete_chat(db: Db, table: str, before: datetime) -> bool:
    return _delete_some(db, "chat_lines", "table_id = ? AND created_at < ?", table, before)


_UNKNOWN: Final = " AND ".join(
    [
        "admitted_at IS NULL AND (closed_at IS NULL OR closed_until < datetime('now'))",
        *(
            f"NOT EXISTS (SELECT 1 FROM {each.table} WHERE {each.table}.{each.column} = guests.id)"
            for each in schema.GUEST_COLUMNS
            if each.table != "guests"
        ),
    ]
)
"""The condition that no row of another table refers to a guest whom no invitation has admitted, and who isn't shut out now."""


def _find_guests(db: Db, part: tuple[str, str], before: datetime) -> list[str]:
    query = f"SELECT id FROM guests WHERE id >= ? AND id < ? AND created_at < ? AND {_UNKNOWN} LIMIT ?"
    return db.values(query, *part, before, MOST)


def _delete_guest(db: Db, id: str) -> bool:
    db.run(f"DELETE FROM guests WHERE id = ? AND {_UNKNOWN}", id)
    return False
