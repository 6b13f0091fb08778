"""Queries about the puzzles of the day: attempts and their results. None of them reads all attempts of a day."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from meadhall.server.store import tables
from meadhall.server.store.database import Db, as_json
from meadhall.server.store.models import TableRow


@dataclass(frozen=True)
class Score:
    """A result of a daily puzzle: its place in the order, its figures, and the number of attempts that have it."""

    standing: str
    figures: dict[str, int]
    attempts: int


def attempts(db: Db, day: str, guest: str) -> list[TableRow]:
    """Return a guest's attempts at the puzzle of a day: the guest's own, and one that was carried to this device."""
    query = """id IN (SELECT id FROM tables WHERE daily = ? AND host = ?
        UNION SELECT id FROM tables JOIN seat_guests ON table_id = id WHERE guest = ? AND daily = ?)"""
    return tables.select(db, query, day, guest, guest, day)


def attempted_game(db: Db, day: str) -> str | None:
    """Return the game of the attempts at the puzzle of a day; None without attempts."""
    found: str | None = db.value("SELECT game FROM tables WHERE daily = ? LIMIT 1", day)
    return found


def attempted_days(db: Db, limit: int = 30) -> list[str]:
    """Return the days whose puzzle has been attempted, latest first. Each takes one step in the index."""
    query = """WITH RECURSIVE found (day) AS (
            SELECT max(daily) FROM tables
            UNION ALL SELECT (SELECT max(daily) FROM tables WHERE daily < day) FROM found WHERE day IS NOT NULL LIMIT ?
        ) SELECT day FROM found WHERE day IS NOT NULL"""
    return db.values(query, limit)


def save_figures(db: Db, table: str, figures: dict[str, int]) -> None:
    """Store how an attempt went."""
    db.run("UPDATE tables SET version = version + 1, figures = ? WHERE id = ?", as_json(figures), table)


def unranked(db: Db, day: str, game: str, rules: int, limit: int = 200) -> list[TableRow]:
    """Return attempts that count and have no place yet, the first finished first.

    Attempts that have not been measured are left out unless they were played under these rules: others can't be replayed.
    """
    end = datetime.combine(datetime.fromisoformat(day) + timedelta(days=1), time(), UTC)
    query = "daily = ? AND standing IS NULL AND finished_at < ? AND (figures IS NOT NULL OR (game = ? AND rules = ?))"
    return tables.select(db, query, day, end, game, rules, order="finished_at", limit=limit)


def rank(db: Db, table: str, day: str, figures: dict[str, int], standing: str) -> None:
    """Store the place of a measured attempt among the others, once."""
    change = "UPDATE tables SET version = version + 1, standing = ? WHERE id = ? AND standing IS NULL"
    if db.run(change, standing, table):
        score = {"day": day, "figures": json.dumps(figures, sort_keys=True), "standing": standing, "attempts": 1}
        db.insert("daily_scores", score, conflict="ON CONFLICT (day, figures) DO UPDATE SET attempts = attempts + 1")


def best(db: Db, day: str, limit: int) -> list[TableRow]:
    """Return the best attempts of a day; of equal ones those that were finished first."""
    query = "daily = ? AND standing IS NOT NULL"
    return tables.select(db, query, day, order="standing, finished_at", limit=limit)


def scores(db: Db, day: str) -> list[Score]:
    """Return the results of a day with the number of attempts that have them, the best first."""
    rows = db.rows("SELECT standing, figures, attempts FROM daily_scores WHERE day = ? ORDER BY standing", day)
    return [Score(standing, json.loads(figures), attempts) for standing, figures, attempts in rows]
