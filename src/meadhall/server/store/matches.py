"""Queries about matches: their entries, who has left them, their results, and their records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from meadhall.engine.errors import MeadhallError
from meadhall.engine.registry import game
from meadhall.server.store import ladder
from meadhall.server.store.database import Db, as_json, in_utc, of_json
from meadhall.server.store.models import Entry, TableRow, new_link_token

MIXED: Final = "mixed"
"""The level of the bots in a match against bots of several levels."""


UPLOADS_KEPT: Final = 1000
"""Number of uploaded records that are kept. Older ones are deleted."""

_APPEND: Final = "INSERT INTO match_entries (table_id, number, kind, seat, value, data, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)"


# -------------------------------------------------------------------------------------------------------------------- entries


def entries_of(db: Db, table: str) -> list[Entry]:
    """Return a match's history, oldest first."""
    query = "SELECT number, kind, seat, value, data, created_at FROM match_entries WHERE table_id = ? ORDER BY number"
    return [
        Entry(number, kind, seat, value, of_json(data), in_utc(at))
        for number, kind, seat, value, data, at in db.rows(query, table)
    ]


def append(db: Db, table: str, new: Sequence[Entry]) -> None:
    """Append entries to a match."""
    for entry in new:
        db.run(
            _APPEND,
            table,
            entry.number,
            entry.kind,
            entry.seat,
            entry.value,
            None if entry.data is None else as_json(entry.data),
            entry.at,
        )


# ----------------------------------------------------------------------------------------------------------------- departures


def departures_of(db: Db, table: str) -> dict[int, datetime]:
    """Return when the players of a table have left without an open page, by seat."""
    return {seat: in_utc(at) for seat, at in db.rows("SELECT seat, left_at FROM departures WHERE table_id = ?", table)}


def add_departure(db: Db, table: str, seat: int, left_at: datetime) -> None:
    """Store when a player has left a table."""
    db.insert("departures", {"table_id": table, "seat": seat, "left_at": left_at})


def remove_departure(db: Db, table: str, seat: int) -> None:
    """Forget that a player has left: they are back."""
    db.run("DELETE FROM departures WHERE table_id = ? AND seat = ?", table, seat)


# -------------------------------------------------------------------------------------------------------------------- results


def record_results(db: Db, table: TableRow) -> None:
    """Store what a finished match means for each guest who had a seat in it, in place of earlier results.

    The transaction that ends the match does it, and each later change of the table.
    """
    db.run("DELETE FROM results WHERE table_id = ?", table.id)
    people = [seat for seat in table.seats if seat.guests]
    if table.started_at is None or table.finished_at is None or not people:
        return
    decisions, hints, take_backs = _counts(db, table.id)
    left = _left(db, table)
    levels = {seat.bot or "" for seat in table.seats if seat.kind == "bot"}
    common = {
        "table_id": table.id,
        "game": table.game,
        "variant": variant_of(_chosen(table)),
        "players": len(table.seats),
        "people": len(people),
        "bots": MIXED if len(levels) > 1 else next(iter(levels), ""),
        "decisions": decisions,
        "daily": table.daily,
        "finished_at": table.finished_at,
    }
    rows = [
        {
            **common,
            "guest": guest,
            "seat": seat.seat,
            "score": None if table.outcome is None else 0 if seat.seat in left else table.outcome["scores"][seat.seat],
            "place": None if seat.seat in left else place_of(table.outcome, seat.seat),
            "hints": hints.get(seat.seat, 0),
            "take_backs": take_backs.get(seat.seat, 0),
        }
        for seat in people
        for guest in sorted(seat.guests)
    ]
    unique = {row["guest"]: row for row in reversed(rows)}  # old tables may give a guest several seats: the lowest counts
    db.insert("results", *unique.values())
    ladder.note_match(db, table, [*unique.values()], left)


def _chosen(table: TableRow) -> Mapping[str, Any]:
    """Return the options without the house rules that don't hold: a new house rule leaves the groups of results as they are."""
    with suppress(MeadhallError):  # the game is gone
        return game(table.game).recorded_options(table.options)
    return table.options


def variant_of(options: Mapping[str, Any]) -> str:
    """Return the options of a match in a short form that is equal for equal options. Of a document it has the hash."""
    short = {name: value["sha256"][:12] if isinstance(value, Mapping) else value for name, value in options.items()}
    return json.dumps(short, sort_keys=True, separators=(",", ":"))


def place_of(outcome: Mapping[str, Any] | None, seat: int) -> int | None:
    """Return the place of a seat in a finished match, None if its players were not ranked."""
    if outcome is None:
        return None
    places: Sequence[int] | None = outcome.get("places")
    if places is not None:
        return places[seat]
    scores: Sequence[float] = outcome["scores"]
    return 2 - int(scores[seat]) if sorted(scores) == [0, 1] else None  # of two rivals


def _left(db: Db, table: TableRow) -> set[int]:
    """Return the seats that a bot has played to the end for their owners. They are lost, unless a win was awarded."""
    if table.outcome is None or table.outcome["why"] is not None:
        return set()
    query = """SELECT seat, kind, data FROM match_entries
        WHERE table_id = ? AND kind IN ('stand_in', 'return') ORDER BY number"""
    last = {seat: (kind, of_json(data) or {}) for seat, kind, data in db.rows(query, table.id)}
    return {seat for seat, (kind, data) in last.items() if kind == "stand_in" and data.get("lasts") != "decision"}


def _counts(db: Db, table: str) -> tuple[int, Mapping[int, int], Mapping[int, int]]:
    """Return the number of decisions in a match, and by seat those of the hints and of the counted take-backs."""
    decisions, hints, take_backs = 0, {}, {}
    query = "SELECT kind, seat, count(*), count(data), sum(value) FROM match_entries WHERE table_id = ? GROUP BY kind, seat"
    for kind, seat, count, marked, total in db.rows(query, table):
        if kind in ("action", "hinted"):
            decisions += count
        elif kind == "undo":
            decisions -= total
            take_backs[seat] = marked
        elif kind == "hint":
            hints[seat] = count
    return decisions, hints, take_backs


# -------------------------------------------------------------------------------------------------------------------- records


def add_upload(db: Db, record: str) -> str:
    """Keep a verified record and return the token of its link. Delete the oldest records beyond the limit."""
    token = new_link_token()
    db.insert("uploads", {"link_token": token, "record": record, "created_at": db.now()})
    surplus = "SELECT link_token FROM uploads ORDER BY created_at DESC LIMIT -1 OFFSET ?"
    db.run(f"DELETE FROM uploads WHERE link_token IN ({surplus})", UPLOADS_KEPT)
    return token


def find_upload(db: Db, token: str) -> str | None:
    """Return the uploaded record behind a link, None if there is none."""
    found: str | None = db.value("SELECT record FROM uploads WHERE link_token = ?", token)
    return found
