"""Queries about work of the hall: jobs that wait for their time, and the reports and prints that guests have ordered.

A job is identified by its kind and its key, so that a deadline can be moved or cancelled. Its ``id`` changes whenever it is put
again, so who works on an older version of it can't finish the new one. A job that is done has no row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from meadhall.server.store.database import Db, as_json, each_of, in_utc, of_json
from meadhall.server.store.models import new_id


class JobTaken(Exception):
    """The job was moved or cancelled."""


@dataclass(frozen=True)
class Job:
    """Work that is due at a certain time.

    Attributes:
        id: changes whenever the job is put again.
        kind: names the function that does the job.
        key: tells jobs of one kind apart, for example the id of a table.
        due_at: when to do it.
        payload: what the function needs to know, as JSON.
        attempts: number of attempts that have failed.
    """

    id: str
    kind: str
    key: str
    due_at: datetime
    payload: Mapping[str, Any]
    attempts: int = 0


ORDERS_KEPT_FOR: Final = timedelta(days=30)
"""How long an order is kept."""

_ADD: Final = "INSERT INTO jobs (id, kind, key, due_at, payload, attempts) VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT "
_PUT: Final = f"""{_ADD} (kind, key) DO UPDATE
SET id = excluded.id, due_at = excluded.due_at, payload = excluded.payload, attempts = 0"""


# ----------------------------------------------------------------------------------------------------------------------- jobs


def put(db: Db, kind: str, key: str, due_at: datetime, payload: Mapping[str, Any] | None = None) -> None:
    """Store a job, in place of the one with this kind and key if there is one."""
    db.run(_PUT, new_id(), kind, key, due_at, as_json(payload or {}))


def add(db: Db, kind: str, key: str, due_at: datetime, payload: Mapping[str, Any] | None = None) -> None:
    """Store a job, unless there is one with this kind and key."""
    db.run(f"{_ADD} DO NOTHING", new_id(), kind, key, due_at, as_json(payload or {}))


def cancel(db: Db, kind: str, key: str) -> None:
    """Delete a job, if there is one with this kind and key."""
    db.run("DELETE FROM jobs WHERE kind = ? AND key = ?", kind, key)


def payload_of(db: Db, kind: str, key: str) -> Mapping[str, Any] | None:
    """Return the payload of a waiting job; None if there is none with this kind and key."""
    found: Mapping[str, Any] | None = of_json(db.value("SELECT payload FROM jobs WHERE kind = ? AND key = ?", kind, key))
    return found


def due(db: Db, at: datetime, kinds: Collection[str], limit: int, running: Collection[str]) -> list[Job]:
    """Return jobs of some kinds that are due at a time, the longest overdue first, except the ``running`` ones, by their ids."""
    query = """SELECT id, kind, key, due_at, payload, attempts FROM jobs
        WHERE due_at <= ? AND kind || '' IN (SELECT value FROM json_each(?)) AND id NOT IN (SELECT value FROM json_each(?))
        ORDER BY due_at LIMIT ?"""  # with || '' SQLite uses the index of the times, not that of the kinds
    rows = db.rows(query, at, each_of(kinds), each_of(running), limit) if limit else []
    return [Job(id, kind, key, in_utc(due_at), of_json(payload), attempts) for id, kind, key, due_at, payload, attempts in rows]


def next_due(db: Db, at: datetime) -> float | None:
    """Return the seconds from a time until the next job is due that is later; None if there is none."""
    found = db.value("SELECT min(due_at) FROM jobs WHERE due_at > ?", at)
    return None if found is None else (in_utc(found) - at).total_seconds()


def is_waiting(db: Db, kind: str) -> bool:
    """Return whether a job of a kind waits."""
    return bool(db.value("SELECT EXISTS (SELECT 1 FROM jobs WHERE kind = ?)", kind))


def finish(db: Db, job: Job, again_at: datetime | None = None, payload: Mapping[str, Any] | None = None) -> None:
    """Mark a job as done; with ``again_at``, let it wait for that time again, with another ``payload`` if one is given.

    Raises JobTaken if it was moved or cancelled. Then the transaction must be rolled back.
    """
    if again_at is None:
        done = db.run("DELETE FROM jobs WHERE id = ?", job.id)
    else:
        later = "UPDATE jobs SET id = ?, due_at = ?, attempts = 0, payload = coalesce(?, payload) WHERE id = ?"
        done = db.run(later, new_id(), again_at, as_json(payload), job.id)
    if not done:
        raise JobTaken


def postpone(db: Db, job: Job, seconds: float) -> None:
    """Let a job that has failed be tried again after some seconds."""
    again_at = db.now() + timedelta(seconds=seconds)
    db.run("UPDATE jobs SET due_at = ?, attempts = ? WHERE id = ?", again_at, job.attempts + 1, job.id)


def postpone_all(db: Db, kind: str, after: datetime, by: timedelta) -> None:
    """Let the jobs of a kind that were due after a time be due later."""
    later = "UPDATE jobs SET due_at = strftime('%Y-%m-%d %H:%M:%f', due_at, ?) || '000' WHERE kind = ? AND due_at > ?"
    db.run(later, f"+{by.total_seconds():.3f} seconds", kind, after)


# --------------------------------------------------------------------------------------------------------------------- orders


def add_order(db: Db, id: str, guest: str, kind: str, request: Mapping[str, Any], question: str = "") -> None:
    """Store an order that waits. ``question``: the id of the question to which it belongs, "" for none."""
    order = {"id": id, "guest": guest, "kind": kind, "request": as_json(request), "state": "waiting", "created_at": db.now()}
    db.insert("orders", order | {"question": question or None})


def all_orders(db: Db) -> list[tuple[Any, ...]]:
    """Return the id, the guest, the kind, the request, the question and the state of all orders, the oldest first."""
    rows = db.rows("SELECT id, guest, kind, request, coalesce(question, ''), state FROM orders ORDER BY created_at")
    return [(id, guest, kind, of_json(request), *more) for id, guest, kind, request, *more in rows]


def orders_of(db: Db, question: str) -> list[str]:
    """Return the ids of the reports of a question."""
    return db.values("SELECT id FROM orders WHERE question = ?", question)


def guest_of_order(db: Db, id: str) -> str | None:
    """Return the guest who has ordered this; None if it was deleted."""
    found: str | None = db.value("SELECT guest FROM orders WHERE id = ?", id)
    return found


def answer_of(db: Db, id: str) -> Mapping[str, Any]:
    """Return what the process of an order has answered; empty before, and if it was deleted."""
    return of_json(db.value("SELECT answer FROM orders WHERE id = ?", id)) or {}


def finish_order(db: Db, id: str, state: str, answer: Mapping[str, Any]) -> None:
    """Store the answer of an order, if it was not deleted."""
    db.run("UPDATE orders SET state = ?, answer = ? WHERE id = ?", state, as_json(answer), id)


def remove_order(db: Db, id: str) -> None:
    """Delete an order."""
    db.run("DELETE FROM orders WHERE id = ?", id)
