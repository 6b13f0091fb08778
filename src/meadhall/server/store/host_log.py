"""The log of what hosts and helpers have done. The database refuses to change or to delete its rows."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from meadhall.server.store.database import Db, in_utc

LATEST: Final = 1 << 62
"""A number above all ids."""


@dataclass(frozen=True)
class Logged:
    """A line of the log.

    Attributes:
        by: the public id of the host or helper; "" for a command.
        name: what they are called now; "" for a command, and for someone who has deleted their account.
        deed: what was done, such as ``close``.
        subject: to whom or what, as a public id or another name.
        reason: why, in their words.
    """

    id: int
    at: datetime
    by: str
    name: str
    deed: str
    subject: str
    reason: str


def note(db: Db, by: str, deed: str, subject: str, reason: str = "") -> None:
    """Append a line, in the transaction of the deed. ``by``: a public id; "" for a command."""
    line = {"at": db.now(), "done_by": by, "deed": deed[:20], "subject": subject[:80], "reason": reason[:300]}
    db.insert("host_log", line)


def lines_before(db: Db, id: int, most: int) -> list[Logged]:
    """Return the last lines before the one with that id, the newest first."""
    query = """SELECT host_log.id, at, done_by, coalesce(name, ''), deed, subject, host_log.reason
        FROM host_log LEFT JOIN guests ON public_id = done_by WHERE host_log.id < ? ORDER BY host_log.id DESC LIMIT ?"""
    return [Logged(number, in_utc(at), *rest) for number, at, *rest in db.rows(query, id, most)]


def as_file(db: Db) -> str:
    """Return the whole log as CSV, the first line first."""
    file = io.StringIO()
    csv.writer(file).writerows(
        [("time", "by", "name", "deed", "subject", "reason"), *map(_row, lines_before(db, LATEST, -1)[::-1])]
    )
    return file.getvalue()


def _row(line: Logged) -> list[str]:
    values = [line.at.isoformat(" ", "seconds"), line.by, line.name, line.deed, line.subject, line.reason]
    return [f"'{value}" if value[:1] in ("=", "+", "-", "@") else value for value in values]  # no formula of a spreadsheet
