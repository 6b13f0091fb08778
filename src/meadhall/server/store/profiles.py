"""Queries for a person's profile: their results, the people they have met, their puzzles of the day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from meadhall.server.store import guests, tables
from meadhall.server.store.database import Db, each_of, in_utc
from meadhall.server.store.models import Guest, TableRow


@dataclass(frozen=True)
class ResultGroup:
    """The matches of a guest that are alike.

    Attributes:
        variant: the options of the matches, see ``variant_of``.
        bots: level of the bots; "" without bots, ``MIXED`` for several levels.
        matches: number of matches that count.
        score: sum of the guest's payoffs.
        won, shared: number of matches that the guest has won, and of those with a payoff between 0 and 1.
        ranked, places: number of matches that rank the players, and the sum of the guest's places in them.
        decisions: sum of the decisions in all matches.
        hints, take_backs: number of hints that the guest asked for, and of take-backs after something was revealed.
        unaided: number of matches that the guest has won without hints and take-backs.
    """

    game: str
    variant: str
    players: int
    bots: str
    matches: int
    score: float
    won: int
    shared: int
    ranked: int
    places: int
    decisions: int
    hints: int
    take_backs: int
    unaided: int


@dataclass(frozen=True)
class PuzzleDay:
    """A guest's attempt at the puzzle of a day that was finished on this day."""

    day: str
    solved: bool


@dataclass(frozen=True)
class Played:
    """A finished match of a guest: its table, and the guest's seat, payoff and place."""

    table: TableRow
    seat: int
    score: float | None
    place: int | None
    hints: int


@dataclass(frozen=True)
class PlayedFilter:
    """Which matches of a guest are wanted.

    Attributes:
        games: names of the games.
        result: ``won``, ``shared``, ``lost`` or ``open`` (given up without a winner); "" for all.
        opponent: id of another guest at the table; "" for any.
        viewer: id of the guest who asks: others don't see a match at a private table with several people. None: leave nothing
            out.
    """

    games: tuple[str, ...]
    result: str = ""
    opponent: str = ""
    viewer: str | None = None


_COUNTED: Final = "guest = ? AND results.daily IS NULL AND score IS NOT NULL"
"""Matches that count: not the puzzles of the day, and none that was given up without a winner."""

_AT_THE_SAME_TABLE: Final = "EXISTS (SELECT 1 FROM results other WHERE other.guest = {} AND other.table_id = results.table_id)"

_RESULTS: Final[Mapping[str, str]] = {
    "won": "score = 1",
    "shared": "score > 0 AND score < 1",
    "lost": "score = 0",
    "open": "score IS NULL",
}
"""The conditions of the results that a filter can name."""

RESULTS: Final = tuple(_RESULTS)


def results_of(db: Db, guest: str, before: str) -> tuple[list[ResultGroup], list[float], list[PuzzleDay]]:
    """Return the matches of a guest that count in groups, the payoffs in them, and the puzzles of the days ``before``."""
    return groups_of(db, guest), scores_of(db, guest), puzzle_days(db, guest, before)


def groups_of(db: Db, guest: str) -> list[ResultGroup]:
    """Return the matches of a guest that count, in groups of equal game, options, number of players and level of bots."""
    query = f"""SELECT game, variant, players, bots, count(*), sum(score), sum(score = 1), sum(score > 0 AND score < 1),
        count(place), coalesce(sum(place), 0), sum(decisions), sum(hints), sum(take_backs),
        sum(score = 1 AND hints = 0 AND take_backs = 0)
        FROM results WHERE {_COUNTED} GROUP BY game, variant, players, bots"""
    return [ResultGroup(*row) for row in db.rows(query, guest)]


def scores_of(db: Db, guest: str) -> list[float]:
    """Return the payoffs of a guest in the matches that count for streaks, the first finished first: those without take-backs."""
    return db.values(f"SELECT score FROM results WHERE {_COUNTED} AND take_backs = 0 ORDER BY finished_at", guest)


def puzzle_days(db: Db, guest: str, before: str) -> list[PuzzleDay]:
    """Return the puzzles of the day that a guest has finished on their day, before a given day, the first one first."""
    rows = db.rows("SELECT daily, score, finished_at FROM results WHERE guest = ? AND daily < ? ORDER BY daily", guest, before)
    return [PuzzleDay(day, score == 1) for day, score, at in rows if in_utc(at).date() <= date.fromisoformat(day)]


def played(db: Db, guest: str, wanted: PlayedFilter, limit: int, skip: int = 0) -> tuple[list[Played], int]:
    """Return a part of a guest's finished matches, the match that ended last first, and the number of all that are wanted."""
    conditions = ["results.guest = :guest AND results.daily IS NULL AND results.game IN (SELECT value FROM json_each(:games))"]
    if wanted.result:
        conditions.append(_RESULTS[wanted.result])
    if wanted.opponent:
        conditions.append(_AT_THE_SAME_TABLE.format(":opponent"))
    if wanted.viewer is not None:
        conditions.append(f"(tables.is_public OR results.people = 1 OR {_AT_THE_SAME_TABLE.format(':viewer')})")
    source = f"FROM results JOIN tables ON table_id = tables.id WHERE {' AND '.join(conditions)}"
    values: dict[str, Any] = {"guest": guest, "games": each_of(wanted.games), "opponent": wanted.opponent}
    count: int = db.value(f"SELECT count(*) {source}", **values, viewer=wanted.viewer)
    columns = "SELECT table_id, seat, score, place, hints"
    order = "ORDER BY results.finished_at DESC, table_id LIMIT :limit OFFSET :skip"
    rows = db.rows(f"{columns} {source} {order}", **values, viewer=wanted.viewer, limit=limit, skip=skip)
    wanted_ids = each_of(row["table_id"] for row in rows)
    found = {table.id: table for table in tables.select(db, "id IN (SELECT value FROM json_each(?))", wanted_ids)}
    return [Played(found[table], *values) for table, *values in rows], count


def tables_with_record(db: Db, guest: str) -> list[str]:
    """Return the tables of a guest's finished matches, the first finished first."""
    return db.values("SELECT table_id FROM results WHERE guest = ? ORDER BY finished_at, table_id", guest)


def often_met(db: Db, guest: str, limit: int) -> list[Guest]:
    """Return people who have played matches with a guest, the most frequent first."""
    query = """SELECT other.guest FROM results mine
        JOIN results other ON other.table_id = mine.table_id AND other.seat != mine.seat
        WHERE mine.guest = ? AND mine.people > 1 GROUP BY other.guest ORDER BY count(*) DESC, other.guest LIMIT ?"""
    return guests.find_all(db, db.values(query, guest, limit))
