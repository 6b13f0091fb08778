"""Queries about evenings: who takes part, and who has sat at which table in which round.

Everything else about an evening follows from these rows and those of its tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.store import guests, matches, tables
from meadhall.server.store.database import Db, Row, as_json, in_utc, in_utc_or_none, of_json
from meadhall.server.store.models import Clock, Guest, TableRow, TableStatus

KEPT_FOR: Final = timedelta(days=365)
"""How long an evening is kept."""

LISTED_FOR: Final = timedelta(days=1)
"""How long the hall lists an evening that has not ended."""

MOST_LISTED: Final = 15
"""Evenings that the hall lists at most."""

ROUND_CLOSED: Final = "the round was closed"
"""Why a match is given up that still runs when its round is closed."""

_IS_HERE: Final = "(left_at IS NULL AND (closed_at IS NULL OR coalesce(closed_until, '9') <= :now))"
"""Whether a person takes part in the next round: they have not left, and the host has not shut them out."""


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

    def is_led_by(self, guest: Guest) -> bool:
        """Return whether a guest may lead it: its leader, and every host of the hall, because the leader may have gone."""
        return guest.id == self.leader or guest.role == "host"


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


def find(db: Db, id: str) -> Evening:
    """Return an evening. Raises NotFound."""
    row = db.one("SELECT * FROM evenings WHERE id = ?", id)
    if row is None:
        raise NotFound(_("There is no such evening here."))
    return _evening(row)


def newest(db: Db, most: int) -> list[Evening]:
    """Return the evenings that were opened last."""
    return [_evening(row) for row in db.rows("SELECT * FROM evenings ORDER BY created_at DESC LIMIT ?", most)]


def shown_to(db: Db, guest: str) -> list[Evening]:
    """Return the evenings of the last day that have not ended: a guest's, and then those that anyone may join."""
    query = """WITH own(id) AS (SELECT id FROM evenings WHERE leader = :guest
            UNION SELECT evening FROM evening_people WHERE guest = :guest AND left_at IS NULL)
        SELECT * FROM evenings WHERE ended_at IS NULL AND created_at > :since AND (is_public OR id IN own)
        ORDER BY id IN own DESC, created_at DESC LIMIT :most"""
    return [_evening(row) for row in db.rows(query, guest=guest, since=db.now() - LISTED_FOR, most=MOST_LISTED)]


def mark(db: Db, id: str) -> Row | None:
    """Return values that change when anything changes that an evening shows, except moves at its tables. None without one."""
    query = f"""SELECT ended_at, leader,
        (SELECT group_concat(guest || name || coalesce(crest, '') || {_IS_HERE})
            FROM evening_people JOIN guests ON guests.id = guest WHERE evening = evenings.id),
        (SELECT count(*) FROM evening_seats WHERE evening = evenings.id),
        (SELECT sum(version) FROM tables WHERE id IN (SELECT table_id FROM evening_seats WHERE evening = evenings.id))
        FROM evenings WHERE id = :id"""
    return db.one(query, id=id, now=db.now())


# --------------------------------------------------------------------------------------------------------------------- people


def people_of(db: Db, id: str) -> tuple[list[Guest], set[str]]:
    """Return all who have joined an evening, in that order, and the ids of those who take part in the next round."""
    query = f"""SELECT guest, {_IS_HERE} FROM evening_people JOIN guests ON guests.id = guest WHERE evening = :id
        ORDER BY joined_at, guest"""
    is_here = dict(map(tuple, db.rows(query, id=id, now=db.now())))
    return guests.find_all(db, [*is_here]), {guest for guest in is_here if is_here[guest]}


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
    query = """SELECT round, sat.table_id, sat.guest, score, place, sat.seat, iif(results.guest IS NULL, outcome, NULL) FROM (
            SELECT *, row_number() OVER (PARTITION BY table_id ORDER BY rowid) - 1 AS seat FROM evening_seats WHERE evening = ?
        ) sat LEFT JOIN tables ON tables.id = sat.table_id
        LEFT JOIN results ON results.guest = sat.guest AND results.table_id = sat.table_id
        ORDER BY round, sat.table_id, sat.seat"""
    found = []
    for number, table, guest, *own, seat, of_gone in db.rows(query, id):
        outcome = of_json(of_gone)
        of_seat = own if outcome is None else (outcome["scores"][seat], matches.place_of(outcome, seat))
        found.append(Sitting(number, table, guest, *of_seat))
    return found


def tables_of(db: Db, id: str, number: int) -> dict[str, TableRow]:
    """Return the tables of a round that still exist, by their ids."""
    round = "id IN (SELECT table_id FROM evening_seats WHERE evening = ? AND round = ?)"
    return {table.id: table for table in tables.select(db, round, id, number)}


def all_tables(db: Db) -> dict[str, str]:
    """Return the ids of all tables of evenings, with those of their evenings."""
    return dict(map(tuple, db.rows("SELECT table_id, evening FROM evening_seats")))


def add_round(db: Db, id: str, number: int, seated: Sequence[TableRow]) -> None:
    """Store a round: its tables, and the people who sit at each."""
    for table in seated:
        tables.add(db, table)
        sitting = [guest for seat in table.seats for guest in seat.guests]
        db.insert("evening_seats", *({"evening": id, "round": number, "guest": guest, "table_id": table.id} for guest in sitting))


def close(db: Db, id: str, ends: bool) -> list[str]:
    """Give up the matches of an evening that still run, and perhaps end it. Return the ids of their tables."""
    if ends:
        db.run("UPDATE evenings SET ended_at = coalesce(ended_at, ?) WHERE id = ?", db.now(), id)
    running = "status IN ('gathering', 'running') AND id IN (SELECT table_id FROM evening_seats WHERE evening = ?)"
    found = tables.select(db, running, id)
    for table in found:
        status: TableStatus = "closed" if table.status == "gathering" else "abandoned"
        tables.save(db, replace(table, status=status, finished_at=db.now(), abandon_reason=ROUND_CLOSED))
    return [table.id for table in found]


def _evening(row: Row) -> Evening:
    clock, games = Clock.of_json(of_json(row["clock"])), tuple(of_json(row["games"]))
    times = {"created_at": in_utc(row["created_at"]), "ended_at": in_utc_or_none(row["ended_at"])}
    return Evening(**{**dict(row), "games": games, "clock": clock, "is_public": bool(row["is_public"]), **times})
