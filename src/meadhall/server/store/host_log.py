"""Deeds of hosts and helpers: what each changes, and the log of them. The database refuses to change or to delete its rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from meadhall.server.store.database import Db, Row

_LINES = """SELECT host_log.id, at, done_by, coalesce(doer.name, '') AS name, deed, subject, host_log.reason, whom.name AS whom
    FROM host_log LEFT JOIN guests AS doer ON doer.public_id = done_by
    LEFT JOIN guests AS whom ON whom.public_id = substr(subject, 1, 12) WHERE host_log.id"""


@dataclass(frozen=True)
class Done:
    """What a deed has changed.

    Attributes:
        answer: what it tells the host, as JSON has it.
        tables: the ids of tables that have changed.
        guests: the ids of guests who have changed, or whose sessions have ended.
        chats: the ids of tables whose chats have changed.
        subject: to whom or what it was done, for the log: a public id, or another name that is no secret. None: the log has no
            line of it.
        shut_out: the id of a guest who was shut out; "" if none was.
    """

    answer: Any = None
    tables: list[str] = field(default_factory=list)
    guests: list[str] = field(default_factory=list)
    chats: list[str] = field(default_factory=list)
    subject: str | None = ""
    shut_out: str = ""


def carried_out(db: Db, by: str, deed: str, work: Callable[..., Done], /, **arguments: Any) -> Done:
    """Carry out a deed and append a line to the log, with its argument ``reason`` if it has one.

    ``by``: the public id of the host or helper, "" for a command. ``deed``: its name, unless one of its arguments is called so.
    """
    done = work(db, **arguments)
    if done.subject is not None:
        note(db, by, str(arguments.get("deed", deed)), done.subject, str(arguments.get("reason", "")))
    return done


def note(db: Db, by: str, deed: str, subject: str, reason: str = "") -> None:
    """Append a line to the log. See ``carried_out`` and ``Done``; ``reason``: why, in the words of the host or helper."""
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
