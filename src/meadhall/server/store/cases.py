"""Queries about cases: what people have reported, and what was done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from meadhall.server.store import guests
from meadhall.server.store.database import Db, Row, in_utc, in_utc_or_none
from meadhall.server.store.models import Guest, new_id
from meadhall.server.store.talk import ChatLine, lines_around


@dataclass(frozen=True)
class Subject:
    """What is reported.

    Attributes:
        kind: ``line``, ``name`` (with the crest) or ``conduct``.
        key: names it among all of its kind: reports with the same one are one case.
        person: of whom it is.
        evidence: the line or the name as it is now.
        table: the id of the table where it was seen; None if it was elsewhere.
    """

    kind: str
    key: str
    person: Guest
    evidence: str
    table: str | None = None


@dataclass(frozen=True)
class Case:
    """A case. ``name`` and ``evidence`` are from the first report. ``closed_at`` is None, ``outcome`` "" until it is decided."""

    id: str
    kind: str
    subject: str
    person: str
    name: str
    evidence: str
    table: str | None
    address: str | None
    created_at: datetime
    closed_at: datetime | None
    outcome: str


@dataclass(frozen=True)
class Context:
    """A case with what helps to decide it.

    Attributes:
        person: who it is about, as they are now.
        reports: the reasons of the reporters and their words.
        lines: the lines around one that was reported, heard by the same audience.
        earlier: other cases of the person, the last first.
    """

    case: Case
    person: Guest
    reports: Sequence[tuple[str, str]]
    lines: Sequence[ChatLine]
    earlier: Sequence[Case]


AROUND = 4
"""Lines that are shown before and after one that was reported."""

EARLIER = 8
"""Other cases of a person that are shown."""


def report(db: Db, subject: Subject, address: str | None, guest: str, reason: str, words: str) -> None:
    """Store a report. The first one of a thing opens a case, and a second one of the same guest changes nothing.

    ``address``: the hash of the person's network address, if it is known.
    """
    case = db.value("SELECT id FROM cases WHERE kind = ? AND subject = ? AND closed_at IS NULL", subject.kind, subject.key)
    if case is None:
        case, person = new_id(), subject.person
        row: dict[str, Any] = {"id": case, "kind": subject.kind, "subject": subject.key, "person": person.id, "name": person.name}
        row |= {"evidence": subject.evidence, "table_id": subject.table, "address": address, "created_at": db.now()}
        db.insert("cases", row)
    row = {"case_id": case, "guest": guest, "reason": reason, "words": words, "created_at": db.now()}
    db.insert("reports", row, conflict="ON CONFLICT DO NOTHING")


def count_reports(db: Db, guest: str, since: datetime) -> int:
    """Return how many reports of a guest since then are in cases that wait."""
    query = """SELECT count(*) FROM reports JOIN cases ON cases.id = case_id
        WHERE guest = ? AND reports.created_at > ? AND closed_at IS NULL"""
    count: int = db.value(query, guest, since)
    return count


def find(db: Db, id: str) -> Case | None:
    """Return the case with that id."""
    row = db.one("SELECT * FROM cases WHERE id = ?", id)
    return None if row is None else _case(row)


def waiting(db: Db, most: int) -> list[Case]:
    """Return the cases that wait for a decision, the first ones first."""
    return [_case(row) for row in db.rows("SELECT * FROM cases WHERE closed_at IS NULL ORDER BY created_at LIMIT ?", most)]


def decided(db: Db, most: int) -> list[Case]:
    """Return the cases that were decided last, the last first."""
    query = "SELECT * FROM cases WHERE closed_at > ? ORDER BY closed_at DESC LIMIT ?"
    return [_case(row) for row in db.rows(query, db.now() - timedelta(days=3650), most)]


def context(db: Db, case: Case) -> Context | None:
    """Return a case with what helps to decide it; None if its person has been deleted meanwhile."""
    person = guests.find(db, case.person)
    if person is None:
        return None
    reports = [(row["reason"], row["words"]) for row in db.rows("SELECT * FROM reports WHERE case_id = ?", case.id)]
    lines = lines_around(db, case.subject, AROUND) if case.kind == "line" else []
    query = "SELECT * FROM cases WHERE person = ? AND id <> ? ORDER BY created_at DESC LIMIT ?"
    return Context(case, person, reports, lines, [_case(row) for row in db.rows(query, case.person, case.id, EARLIER)])


def decide(db: Db, case: Case, deed: str) -> list[str]:
    """Note what was done in a case. Return the ids of the reporters if that has closed it."""
    outcome = " ".join(dict.fromkeys([*case.outcome.split(), deed]))
    change = "UPDATE cases SET outcome = ?, closed_at = coalesce(closed_at, ?), address = NULL WHERE id = ?"
    db.run(change, outcome, db.now(), case.id)
    return [] if case.closed_at else db.values("SELECT guest FROM reports WHERE case_id = ?", case.id)


def _case(row: Row) -> Case:
    values = {name: row[name] for name in ("id", "kind", "subject", "person", "name", "evidence", "address", "outcome")}
    times: dict[str, Any] = {"created_at": in_utc(row["created_at"]), "closed_at": in_utc_or_none(row["closed_at"])}
    return Case(table=row["table_id"], **values, **times)
