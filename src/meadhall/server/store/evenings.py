"""Queries about evenings: who takes part, and who has sat at which table in which round.

Everything else about an evening follows from these rows and those of its tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from meadhall.server.store import guests, matches, tables
from meadhall.server.store.database import Db, Row, as_json, in_utc, in_utc_or_none, of_json
from meadhall.server.store.models import Clock, Guest, TableRow

KEPT_FOR: Final = timedelta(days=365)
"""How long an evening is kept."""

LISTED_FOR: Final = timedelta(days=1)
"""How long the hall lists an evening that has not ended."""

ROUND_CLOSED: Final = "the round was closed"
"""Why a match is given up that still runs when its round is closed."""


@dataclass(frozen=True)
class Evening:
    """An evening.

    Attributes:
        id: its id. Who knows it may join.
        leader: the id of the guest who leads it.
        name: its name, in words of the leader.
        games: the names of the games, which are played in turn.
        rounds: the number of rounds.
        seats: the number of players at a table that the leader wishes.
        clock: of all its tables; None without one.
        is_public: whether the hall lists it.
        created_at: when it was opened.
        ended_at: when its leader or the host of the hall has ended it; None if they have not.
    """

    id: str
    leader: str
    name: str
    games: tuple[str, ...]
    rounds: int
    seats: int
    clock: Clock | None
    is_public: bool
    created_at: datetime
    ended_at: datetime | None = None


@dataclass(frozen=True)
class Attendee:
    """A person of an evening, and whether they take part in the next round."""

    guest: Guest
    is_here: bool


@dataclass(frozen=True)
class Sitting:
    """A person at a table in a round.

    Attributes:
        round: its number, from 1 on.
        table: the id of the table.
        guest: the id of the person.
        score: what the match was worth: a share of the win; None without a result.
        place: the person's place; None without one, or if a bot has played to the end for them.
    """

    round: int
    table: str
    guest: str
    score: float | None
    place: int | None


def add(db: Db, evening: Evening) -> None:
    """Store a new evening."""
    clock = None if evening.clock is None else as_json(evening.clock.to_json())
    db.insert("evenings", {**vars(evening), "games": as_json(evening.games), "clock": clock})


def find(db: Db, id: str) -> Evening | None:
    """Return an evening, None if there is none with this id."""
    row = db.one("SELECT * FROM evenings WHERE id = ?", id)
    return None if row is None else _evening(row)


def listed(db: Db) -> list[Evening]:
    """Return the evenings that anyone may join, the newest first."""
    query = "SELECT * FROM evenings WHERE ended_at IS NULL AND created_at > ? AND is_public ORDER BY created_at DESC LIMIT 10"
    return [_evening(row) for row in db.rows(query, db.now() - LISTED_FOR)]


def newest(db: Db, limit: int) -> list[Evening]:
    """Return the evenings that were opened last."""
    return [_evening(row) for row in db.rows("SELECT * FROM evenings ORDER BY created_at DESC LIMIT ?", limit)]


def of_guest(db: Db, guest: str) -> list[Evening]:
    """Return the evenings of the last day that a guest leads or takes part in and that have not ended, the newest first."""
    query = """SELECT * FROM evenings WHERE ended_at IS NULL AND created_at > :since AND id IN (
        SELECT id FROM evenings WHERE leader = :guest
        UNION SELECT evening FROM evening_people WHERE guest = :guest AND left_at IS NULL) ORDER BY created_at DESC"""
    return [_evening(row) for row in db.rows(query, guest=guest, since=db.now() - LISTED_FOR)]


def mark(db: Db, id: str) -> tuple[Any, ...]:
    """Return values that change when anything changes that an evening shows, except moves at its tables."""
    query = """SELECT ended_at, leader,
        (SELECT group_concat(guest || coalesce(left_at, '')) FROM evening_people WHERE evening = evenings.id),
        (SELECT count(*) FROM evening_seats WHERE evening = evenings.id),
        (SELECT sum(version) FROM tables WHERE id IN (SELECT table_id FROM evening_seats WHERE evening = evenings.id))
        FROM evenings WHERE id = ?"""
    row = db.one(query, id)
    return () if row is None else tuple(row)


# --------------------------------------------------------------------------------------------------------------------- people


def people_of(db: Db, id: str) -> list[Attendee]:
    """Return all who have joined an evening, in that order. People whom the host has shut out are not here any more."""
    rows = db.rows("SELECT guest, left_at FROM evening_people WHERE evening = ? ORDER BY joined_at, guest", id)
    left = {guest for guest, left_at in rows if left_at is not None}
    found = guests.find_all(db, [guest for guest, _left_at in rows])
    return [Attendee(guest, guest.id not in left and guest.closed_until is None) for guest in found]


def join(db: Db, id: str, guest: str) -> bool:
    """Let a guest take part from the next round on. Return whether they may: the leader has not removed them."""
    query = """INSERT INTO evening_people (evening, guest, joined_at) VALUES (?, ?, ?)
        ON CONFLICT (evening, guest) DO UPDATE SET left_at = NULL WHERE NOT is_removed"""
    return db.run(query, id, guest, db.now()) > 0


def leave(db: Db, id: str, guest: str, is_removed: bool = False) -> None:
    """Let a guest take part in no further round. ``is_removed``: they can't come back."""
    query = """UPDATE evening_people SET left_at = coalesce(left_at, ?), is_removed = max(is_removed, ?)
        WHERE evening = ? AND guest = ?"""
    db.run(query, db.now(), is_removed, id, guest)


# --------------------------------------------------------------------------------------------------------------------- rounds


def sittings_of(db: Db, id: str) -> list[Sitting]:
    """Return who has sat at which table, round by round, with the results of the matches that have ended.

    People who have deleted their data have no result any more: that of their seat counts, so the points of the others stay.
    """
    query = """SELECT round, evening_seats.table_id, evening_seats.guest, score, place, outcome, results.guest IS NULL
        FROM evening_seats LEFT JOIN tables ON tables.id = evening_seats.table_id
        LEFT JOIN results ON results.guest = evening_seats.guest AND results.table_id = evening_seats.table_id
        WHERE evening = ? ORDER BY round, evening_seats.rowid"""
    found, seats = list[Sitting](), Counter[str]()
    for number, table, guest, *own, outcome, is_gone in db.rows(query, id):
        result, seat = of_json(outcome) if is_gone else None, seats[table]
        of_seat = own if result is None else (result["scores"][seat], matches.place_of(result, seat))
        found.append(Sitting(number, table, guest, *of_seat))
        seats[table] += 1
    return found


def tables_of(db: Db, id: str, number: int) -> dict[str, TableRow]:
    """Return the tables of a round that still exist, by their ids."""
    round = "id IN (SELECT table_id FROM evening_seats WHERE evening = ? AND round = ?)"
    return {table.id: table for table in tables.select(db, round, id, number)}


def all_tables(db: Db) -> dict[str, str]:
    """Return the ids of all tables of evenings, with those of their evenings."""
    return dict(map(tuple, db.rows("SELECT table_id, evening FROM evening_seats")))


def add_round(db: Db, id: str, number: int, seated: Sequence[TableRow], sitting: Sequence[Sequence[str]]) -> None:
    """Store a round: its tables, and the guests who sit at each."""
    for table, people in zip(seated, sitting, strict=True):
        tables.add(db, table)
        for guest in people:
            db.insert("evening_seats", {"evening": id, "round": number, "guest": guest, "table_id": table.id})


def close(db: Db, id: str, ends: bool) -> list[str]:
    """Give up the matches of an evening that still run, and perhaps end it. Return the ids of their tables."""
    if ends:
        db.run("UPDATE evenings SET ended_at = coalesce(ended_at, ?) WHERE id = ?", db.now(), id)
    running = "status IN ('gathering', 'running') AND id IN (SELECT table_id FROM evening_seats WHERE evening = ?)"
    found = tables.select(db, running, id)
    for table in found:
        over = replace(table, status="closed") if table.status == "gathering" else replace(table, status="abandoned")
        tables.save(db, replace(over, finished_at=db.now(), abandon_reason=ROUND_CLOSED))
    return [table.id for table in found]


def _evening(row: Row) -> Evening:
    clock, games = Clock.of_json(of_json(row["clock"])), tuple(of_json(row["games"]))
    times = {"created_at": in_utc(row["created_at"]), "ended_at": in_utc_or_none(row["ended_at"])}
    return Evening(**{**dict(row), "games": games, "clock": clock, "is_public": bool(row["is_public"]), **times})
