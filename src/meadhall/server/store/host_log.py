"""The log of what hosts and helpers have done. The database refuses to change or to delete its rows."""

from __future__ import annotations

import csv
import io

from meadhall.server.store.database import Db, Row

_LINES = """SELECT host_log.id, at, done_by, coalesce(doer.name, '') AS name, deed, subject, host_log.reason, whom.name AS whom
    FROM host_log LEFT JOIN guests AS doer ON doer.public_id = done_by
    LEFT JOIN guests AS whom ON whom.public_id = substr(subject, 1, 12) WHERE host_log.id"""


def note(db: Db, by: str, deed: str, subject: str, reason: str) -> None:
    """Append a line, in the transaction of the deed.

    Args:
        db: the transaction.
        by: the public id of the host or helper; "" for a command.
        deed: what was done, such as ``close``.
        subject: to whom or what, as a public id or another name that is no secret.
        reason: why, in their words.
    """
    line = {"at": db.now(), "done_by": by, "deed": deed[:20], "subject": subject[:80], "reason": reason[:300]}
    db.insert("host_log", line)


def lines_before(db: Db, id: int, most: int) -> list[Row]:
    """Return the last lines before the one with that id, the newest first.

    ``name`` and ``whom`` are the present names of the host or helper, and of the person whose public id the subject begins with.
    """
    return db.rows(f"{_LINES} < ? ORDER BY host_log.id DESC LIMIT ?", id, most)


def as_file(db: Db) -> str:
    """Return the whole log as CSV, the first line first. No cell is the formula of a spreadsheet."""
    file = io.StringIO()
    lines = [
        [f"'{cell}" if str(cell)[:1] in "=+-@" and cell != "" else cell for cell in row[1:7]] for row in db.rows(f"{_LINES} > 0")
    ]
    csv.writer(file).writerows([("time", "by", "name", "deed", "subject", "reason"), *lines])
    return file.getvalue()
