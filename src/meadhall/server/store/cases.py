"""Queries about cases, which reports of people make."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from meadhall.server.store import guests, talk
from meadhall.server.store.database import Db, in_utc, in_utc_or_none
from meadhall.server.store.models import new_id

Case = dict[str, Any]
"""A row of the database: ``name`` and ``evidence`` are from the first report, ``closed_at`` is None until it is decided."""

ONE: Final = "id = ?"
WAITING: Final = "closed_at IS NULL ORDER BY created_at"
DECIDED: Final = "closed_at > '' ORDER BY closed_at DESC"
"""Which cases are found."""


def find(db: Db, which: str, *values: object, most: int = 1) -> list[Case]:
    """Return cases. ``which``: one of the conditions above, for these values."""
    rows = map(dict, db.rows(f"SELECT * FROM cases WHERE {which} LIMIT ?", *values, most))
    return [row | {"created_at": in_utc(row["created_at"]), "closed_at": in_utc_or_none(row["closed_at"])} for row in rows]


def report(db: Db, case: Case, address: str | None, guest: str, reason: str, words: str) -> None:
    """Store a report. The first one of a thing opens a case, and a second one of the same guest changes nothing.

    Args:
        db: the transaction.
        case: what is reported: its ``kind`` (``line``, ``name`` or ``conduct``), a ``subject`` that is the same in all reports of
            it, the ``person`` with their ``name``, the ``evidence`` as it is now, and ``table_id``.
        address: the hash of the person's network address, if it is known.
        guest: who reports it.
        reason: why, one of ``moderation.REASONS``.
        words: what they say; "" for nothing.
    """
    found = find(db, "kind = ? AND subject = ? AND closed_at IS NULL", case["kind"], case["subject"])
    id = found[0]["id"] if found else new_id()
    if not found:
        db.insert("cases", case | {"id": id, "address": address, "created_at": db.now()})
    values = {"case_id": id, "guest": guest, "reason": reason, "words": words, "created_at": db.now()}
    db.insert("reports", values, conflict="ON CONFLICT DO NOTHING")


def count_reports(db: Db, guest: str, time: timedelta) -> int:
    """Return how many reports of a guest in the last time are in cases that wait."""
    query = """SELECT count(*) FROM reports JOIN cases ON cases.id = case_id
        WHERE guest = ? AND reports.created_at > ? AND closed_at IS NULL"""
    return int(db.value(query, guest, db.now() - time))


def with_context(db: Db, case: Case) -> Case:
    """Return a case with what helps to decide it.

    That is the ``accused`` as they are now, the ``reports`` (a reason, words), the ``lines`` around a line, as the same audience
    has heard them, and the ``others`` of the accused, the last first.
    """
    return case | {
        "accused": guests.find(db, case["person"]),
        "reports": db.rows("SELECT reason, words FROM reports WHERE case_id = ? ORDER BY reason", case["id"]),
        "lines": talk.lines_around(db, case["subject"]) if case["kind"] == "line" else [],
        "others": find(db, "person = ? AND id <> ? ORDER BY created_at DESC", case["person"], case["id"], most=8),
    }


def usual_reason(db: Db, id: str) -> str:
    """Return the reason that most reporters of a case have chosen; ``other`` if all of them have deleted their data."""
    return db.value("SELECT reason FROM reports WHERE case_id = ? GROUP BY reason ORDER BY count(*) DESC", id) or "other"


def decide(db: Db, case: Case, deed: str) -> list[str]:
    """Note what was done in a case. Return the ids of the reporters if that has closed it."""
    outcome = " ".join(dict.fromkeys([*case["outcome"].split(), deed]))
    db.run(
        "UPDATE cases SET outcome = ?, closed_at = coalesce(closed_at, ?), address = NULL WHERE id = ?",
        *(outcome, db.now(), case["id"]),
    )
    return [] if case["closed_at"] else db.values("SELECT guest FROM reports WHERE case_id = ?", case["id"])
