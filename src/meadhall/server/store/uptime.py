"""The times in which the hall ran, and in which slow clocks stand; whether the database stores anything; backups and starts.

One row, the pulse, says when the hall was alive last. A gap between two writes is a time in which it didn't run, or couldn't
store anything.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from meadhall.server.store.database import Db, each_of, in_utc, in_utc_or_none


@dataclass(frozen=True)
class Holiday:
    """A time in which the slow clocks of a guest stand."""

    began_at: datetime
    ended_at: datetime


@dataclass(frozen=True)
class Downtime:
    """A time in which the hall didn't run, or couldn't store anything."""

    began_at: datetime
    ended_at: datetime


_BACKUP: Final = "backup"
"""The counter with the minutes from 1970 to the last backup."""


# ---------------------------------------------------------------------------------------------------------------- the hall runs


def beat(db: Db, gap: timedelta, seen_at: datetime | None = None) -> Downtime | None:
    """Note that the hall is alive. A pause longer than ``gap`` was a downtime: store and return it.

    ``seen_at``: when it was alive last; None: read it from the database.
    """
    at = db.now()
    before = seen_at or last_beat(db) or at
    db.run("INSERT INTO pulse (id, alive_at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET alive_at = excluded.alive_at", at)
    if at - before <= gap:
        return None
    db.insert("downtimes", {"began_at": before, "ended_at": at}, conflict="ON CONFLICT DO NOTHING")
    return Downtime(before, at)


def last_beat(db: Db) -> datetime | None:
    """Return when the hall was alive last, by its own time; None at the first start."""
    return in_utc_or_none(db.value("SELECT alive_at FROM pulse"))


def downtimes(db: Db) -> list[Downtime]:
    """Return all times in which the hall didn't run, the first one first."""
    rows = db.rows("SELECT began_at, ended_at FROM downtimes ORDER BY began_at")
    return [Downtime(in_utc(began), in_utc(ended)) for began, ended in rows]


def downtimes_mark(db: Db) -> tuple[float, ...]:
    """Return a mark of all downtimes, which is another one when one of them has come or changed."""
    return tuple(db.rows("SELECT count(*), total(unixepoch(ended_at)) FROM downtimes")[0])


def add_downtime(db: Db, began_at: datetime, ended_at: datetime) -> None:
    """Store a downtime that the host has planned."""
    row = {"began_at": began_at, "ended_at": ended_at}
    db.insert("downtimes", row, conflict="ON CONFLICT (began_at) DO UPDATE SET ended_at = excluded.ended_at")


def cut_downtime(db: Db, began_at: datetime | None) -> None:
    """Let a planned downtime end now, if it has begun and isn't over. One that would begin later is deleted."""
    db.run("DELETE FROM downtimes WHERE began_at = :began AND began_at >= :now", began=began_at, now=db.now())
    db.run("UPDATE downtimes SET ended_at = :now WHERE began_at = :began AND ended_at > :now", began=began_at, now=db.now())


def has_clocks(db: Db) -> bool:
    """Return whether a match with a clock is running."""
    return bool(db.value("SELECT EXISTS (SELECT 1 FROM tables WHERE status = 'running' AND clock IS NOT NULL)"))


def count_start(db: Db) -> int:
    """Count a start of the hall, and return the number of all of them."""
    return int(db.value("UPDATE counters SET value = value + 1 WHERE name = 'starts' RETURNING value"))


# ------------------------------------------------------------------------------------------------------------------- holidays


def holidays_of(db: Db, guests: Collection[str]) -> list[Holiday]:
    """Return all holidays of some guests, the earliest first."""
    query = "SELECT began_at, ended_at FROM holidays WHERE guest IN (SELECT value FROM json_each(?)) ORDER BY began_at"
    return [Holiday(in_utc(began), in_utc(ended)) for began, ended in db.rows(query, each_of(guests))]


def add_holiday(db: Db, guest: str, holiday: Holiday) -> None:
    """Store a holiday."""
    db.insert("holidays", {"guest": guest, "began_at": holiday.began_at, "ended_at": holiday.ended_at})


def end_holiday(db: Db, guest: str, began_at: datetime, at: datetime) -> None:
    """End a holiday at a time. One that would begin later is deleted."""
    if began_at >= at:
        db.run("DELETE FROM holidays WHERE guest = ? AND began_at = ?", guest, began_at)
    else:
        change = "UPDATE holidays SET ended_at = :at WHERE guest = :guest AND began_at = :began AND ended_at > :at"
        db.run(change, guest=guest, began=began_at, at=at)


# --------------------------------------------------------------------------------------------------------------------- health


def check_health(db: Db) -> None:
    """Write to the database. Raises an error of SQLite if that is impossible."""
    db.run("UPDATE health_checks SET checked_at = ?", db.now())


def count_tables(db: Db) -> dict[str, int]:
    """Return the numbers of tables whose match runs or has not begun, by their status."""
    rows = db.rows("SELECT status, count(*) FROM tables WHERE status IN ('gathering', 'running') GROUP BY status")
    return {"gathering": 0, "running": 0} | dict(map(tuple, rows))


def note_backup(db: Db, at: datetime) -> None:
    """Store when a whole backup was written, to the minute."""
    minutes = {"name": _BACKUP, "value": int(at.timestamp() // 60)}
    db.insert("counters", minutes, conflict="ON CONFLICT (name) DO UPDATE SET value = excluded.value")


def last_backup(db: Db) -> float:
    """Return when a whole backup was last written, in seconds since 1970; 0: never."""
    return 60.0 * (db.value("SELECT value FROM counters WHERE name = ?", _BACKUP) or 0)
