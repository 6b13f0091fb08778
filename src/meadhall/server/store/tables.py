"""Queries about tables and their seats, and about the keys of requests for new tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from meadhall.bots.ranks import JARL
from meadhall.server.store import matches
from meadhall.server.store.database import Db, Row, as_json, each_of, in_utc, in_utc_or_none, of_json
from meadhall.server.store.models import FINISHED, RULES_CHANGED, Clock, SeatRow, TableRow, TableStatus, new_link_token


@dataclass(frozen=True)
class RequestKey:
    """The key that a program gives a request for a new table, so that it can repeat the request safely.

    Attributes:
        key: the key, unique among the requests of a guest.
        fingerprint: the SHA-256 of the request's body.
    """

    key: str
    fingerprint: str


IDLE_LOBBY: Final = timedelta(days=1)
"""Age from which a table whose match has not begun no longer counts against its host's limit."""

REQUESTS_KEPT_FOR: Final = timedelta(days=1)
"""How long the key of a request is kept."""

REQUESTS_PER_GUEST: Final = 100
"""Number of keys that are kept for a guest. Older ones are deleted."""

_BELONGS: Final = "id IN (SELECT id FROM tables WHERE host = ? UNION SELECT table_id FROM seat_guests WHERE guest = ?)"
"""The condition that a guest hosts a table or sits at it. SQLite answers an OR over two tables by reading all rows."""

_FINISHED: Final = "status IN ('over', 'abandoned')"

_WITH_STAND_INS: Final = "SELECT table_id FROM match_entries WHERE kind = 'stand_in'"
"""The query for the ids of tables where a bot has taken over a person's seat, perhaps only for a while."""

_COLUMNS: Final = (
    *("id", "game", "rules", "options", "status", "host", "is_public", "seed", "created_at", "started_at", "finished_at"),
    *("abandon_reason", "outcome", "rematch", "daily", "figures", "standing", "clock", "version"),
)
_SAVE: Final = (
    f"UPDATE tables SET {', '.join(f'{name} = :{name}' for name in _COLUMNS)} WHERE id = :id AND version = :version - 1"
)


# -------------------------------------------------------------------------------------------------------------------- reading


def find(db: Db, id: str) -> TableRow | None:
    """Return the table with that id."""
    found = select(db, "id = ?", id)
    return found[0] if found else None


def find_by_link(db: Db, token: str) -> tuple[TableRow, int] | None:
    """Return the table and the seat that a private link leads to."""
    row = db.one("SELECT table_id, seat FROM seats WHERE link_token = ?", token)
    table = None if row is None else find(db, row["table_id"])
    return None if row is None or table is None else (table, row["seat"])


def of_guest(db: Db, guest: str, limit: int | None = 30, skip: int = 0) -> list[TableRow]:
    """Return tables that the guest hosts or sits at, unfinished ones first, then newest first; none that were closed."""
    return select(db, f"{_BELONGS} AND status != 'closed'", guest, guest, order=_FINISHED, limit=limit, skip=skip)


def finished_of(db: Db, guest: str, limit: int, skip: int = 0) -> tuple[list[TableRow], int]:
    """Return finished tables that the guest hosts or sits at, the match that ended last first, and the number of all of them."""
    kept = f"{_BELONGS} AND {_FINISHED}"
    count: int = db.value(f"SELECT count(*) FROM tables WHERE {kept}", guest, guest)
    return select(db, kept, guest, guest, order="finished_at DESC", limit=limit, skip=skip), count


def count_of(db: Db, guest: str) -> int:
    """Count the tables that the guest hosts or sits at, except closed ones."""
    query = f"SELECT count(*) FROM tables WHERE {_BELONGS} AND status != 'closed'"
    return int(db.value(query, guest, guest))


def unfinished_of(db: Db, guest: str) -> list[TableRow]:
    """Return the tables that a guest hosts or sits at and whose match has not ended, in the order of their ids."""
    return select(db, f"{_BELONGS} AND status IN ('gathering', 'running')", guest, guest, order="id")


def public(db: Db, status: str, limit: int = 30, skip: int = 0) -> list[TableRow]:
    """Return public tables with that status, newest first."""
    return select(db, "status = ? AND is_public", status, limit=limit, skip=skip)


def with_match_after(db: Db, id: str, limit: int) -> list[TableRow]:
    """Return the next tables with a match, in the order of their ids."""
    return select(db, "status IN ('running', 'over', 'abandoned') AND id > ?", id, order="id", limit=limit)


def between_people(db: Db, game: str, limit: int) -> list[TableRow]:
    """Return the tables of a game whose match between people has ended, the last first; none that other rules have ended."""
    among = "(SELECT count(*) > 1 AND min(kind) = 'human' AND max(kind) = 'human' FROM seats WHERE table_id = tables.id)"
    ended = f"game = ? AND status IN ('over', 'abandoned') AND daily IS NULL AND started_at IS NOT NULL AND {among}"
    return select(db, f"{ended} AND abandon_reason IS NOT ?", game, RULES_CHANGED, order="finished_at DESC", limit=limit)


def count_with_match(db: Db) -> int:
    """Return the number of tables with a match."""
    return int(db.value("SELECT count(*) FROM tables WHERE status IN ('running', 'over', 'abandoned')"))


def running_with_bots(db: Db, game: str) -> list[str]:
    """Return the ids of running tables of a game where a bot has a seat or has taken over one, newest first."""
    with_bot = f"SELECT table_id FROM seats WHERE kind = 'bot' UNION {_WITH_STAND_INS}"
    running = f"SELECT id FROM tables WHERE status = 'running' AND game = ? AND id IN ({with_bot}) ORDER BY created_at DESC"
    return db.values(running, game)


def newcomers(db: Db, table: TableRow) -> frozenset[int]:
    """Return the seats whose guests have never begun another match of the table's game."""
    query = """SELECT guest FROM seat_guests JOIN tables ON table_id = id
        WHERE game = :game AND id != :id AND started_at IS NOT NULL AND guest IN (SELECT value FROM json_each(:guests))
        UNION SELECT host FROM tables
        WHERE game = :game AND id != :id AND started_at IS NOT NULL AND host IN (SELECT value FROM json_each(:guests))"""
    guests = {guest for seat in table.seats for guest in seat.guests}
    known = set(db.values(query, game=table.game, id=table.id, guests=each_of(guests)))
    return frozenset(seat.seat for seat in table.seats if seat.guests and not seat.guests & known)


def count_unfinished(db: Db, host: str, rules: Mapping[str, int]) -> int:
    """Count the tables that count against a host's limit.

    Running matches count if ``rules`` has their game in their version of the rules; others can't be finished. Lobbies count until
    they are a day old. Attempts at a daily puzzle don't count.
    """
    query = """SELECT count(*) FROM tables WHERE host = ? AND daily IS NULL AND (
        (status = 'gathering' AND created_at > ?)
        OR (status = 'running' AND (game, rules) IN (SELECT key, value FROM json_each(?))))"""
    return int(db.value(query, host, db.now() - IDLE_LOBBY, as_json(rules)))


def select(
    db: Db, where: str, *values: Any, order: str = "created_at DESC", limit: int | None = None, skip: int = 0
) -> list[TableRow]:
    """Return the tables that fulfil a condition, in an order; equal ones newest first."""
    query = f"SELECT * FROM tables WHERE {where} ORDER BY {order}, created_at DESC, id LIMIT ? OFFSET ?"
    rows = db.rows(query, *values, -1 if limit is None else limit, skip)
    seats = _seats(db, [row["id"] for row in rows]) if rows else {}
    return [_table(row, tuple(seats[row["id"]])) for row in rows]


def _seats(db: Db, tables: Sequence[str]) -> Mapping[str, list[SeatRow]]:
    guests, seats = defaultdict[tuple[str, int], set[str]](set), defaultdict[str, list[SeatRow]](list)
    query = "SELECT table_id, seat, guest FROM seat_guests WHERE table_id IN (SELECT value FROM json_each(?))"
    for table, seat, guest in db.rows(query, each_of(tables)):
        guests[table, seat].add(guest)
    query = """SELECT table_id, seat, kind, name, bot, link_token, is_ready, crest FROM seats
        WHERE table_id IN (SELECT value FROM json_each(?)) ORDER BY seat"""
    for table, seat, kind, name, bot, link_token, is_ready, crest in db.rows(query, each_of(tables)):
        owners = frozenset(guests[table, seat])
        seats[table].append(SeatRow(seat, kind, name, bot, owners, link_token, bool(is_ready), crest or ""))
    return seats


def _table(row: Row, seats: tuple[SeatRow, ...]) -> TableRow:
    values = {name: row[name] for name in _COLUMNS} | {
        "is_public": bool(row["is_public"]),
        "created_at": in_utc(row["created_at"]),
        "started_at": in_utc_or_none(row["started_at"]),
        "finished_at": in_utc_or_none(row["finished_at"]),
        "clock": Clock.of_json(of_json(row["clock"])),
    }
    values |= {name: of_json(row[name]) for name in ("options", "outcome", "figures")}
    return TableRow(**values, seats=seats)


# -------------------------------------------------------------------------------------------------------------------- writing


def add(db: Db, table: TableRow) -> None:
    """Insert a table with its seats. Raises IntegrityError if its host has another table of the same daily puzzle."""
    db.insert("tables", _values(table))
    _insert_seats(db, table)


def save(db: Db, table: TableRow) -> TableRow:
    """Update a table with its seats, and return it with its new version. It must have the stored version."""
    saved = replace(table, version=table.version + 1)
    assert db.run(_SAVE, **_values(saved)) == 1, f"table {table.id} was changed, and its room doesn't know it"
    db.run("DELETE FROM seats WHERE table_id = ?", table.id)  # and their guests, by cascade
    _insert_seats(db, table)
    if saved.status in FINISHED:
        matches.record_results(db, saved)
    return saved


def save_outcome(db: Db, table: str, outcome: Mapping[str, Any]) -> None:
    """Store how a match ended that was finished before outcomes were stored."""
    db.run("UPDATE tables SET version = version + 1, outcome = ? WHERE id = ?", as_json(outcome), table)
    _record_results(db, table)


def close_outdated(db: Db, game: str, rules: int, reason: str) -> list[str]:
    """End the running matches of a game that began under older rules than this version. Return the ids of their tables."""
    closing = """UPDATE tables SET status = 'abandoned', finished_at = ?, abandon_reason = ?, version = version + 1
        WHERE status = 'running' AND game = ? AND rules < ? RETURNING id"""
    ids = db.values(closing, db.now(), reason, game, rules)
    for id in ids:
        _record_results(db, id)
    return ids


def change_all_of(db: Db, guest: str) -> set[str]:
    """Raise the version of all tables that a guest hosts or sits at, because it is about to change. Return their ids."""
    raising = f"UPDATE tables SET version = version + 1 WHERE {_BELONGS} RETURNING id"
    return set(db.values(raising, guest, guest))


def change_seats(db: Db, guest: str, before_match: bool = False, **values: str | None) -> None:
    """Store the crest or the name of all seats of a guest. The versions of their tables are raised in this transaction, too.

    ``before_match``: only where no match has begun.
    """
    own = "SELECT table_id, seat FROM seat_guests JOIN tables ON id = table_id WHERE guest = :guest"
    own += " AND status = 'gathering'" if before_match else ""
    changes = ", ".join(f"{name} = :{name}" for name in values)
    db.run(f"UPDATE seats SET {changes} WHERE (table_id, seat) IN ({own})", guest=guest, **values)


def rename_seats(db: Db, guest: str, name: str, unlike_others: Callable[[str, Collection[str]], str]) -> None:
    """Give all seats of a guest a name, which ``unlike_others`` changes where another seat of the table has it."""
    for table, seat in db.rows("SELECT table_id, seat FROM seat_guests WHERE guest = ?", guest):
        others = db.values("SELECT name FROM seats WHERE table_id = ? AND seat != ? AND kind != 'open'", table, seat)
        db.run("UPDATE seats SET name = ? WHERE table_id = ? AND seat = ?", unlike_others(name, others), table, seat)


def renew_seat_links(db: Db, guest: str) -> list[str]:
    """Give the seats of a guest at tables that are not over other private links. Return the ids of these tables.

    Devices that have a seat by its link keep it.
    """
    changed = []
    for table in unfinished_of(db, guest):
        seats = tuple(replace(row, link_token=new_link_token()) if guest in row.guests else row for row in table.seats)
        if seats != table.seats:
            save(db, replace(table, seats=seats))
            changed.append(table.id)
    return changed


def without_seats(table: TableRow, guest: str, at: datetime, name: str | None = None) -> TableRow:
    """Return an unfinished table without the guest's seats.

    ``at``: the time; ``name``: what their seats in a match are called from now on.

    Before a match the seat is open; if the guest was the host, the next person is; without one the table is closed. In a match
    a bot takes the seat; if no person is left, the match is given up. A seat that other devices hold, too, stays theirs.
    """
    for row in table.seats:
        if guest in row.guests:
            table = table.replace_seat(_left(replace(row, name=name or row.name), guest, table.status))
    people = [min(row.guests) for row in table.seats if row.guests]
    if table.host == guest and people:
        table = replace(table, host=people[0])
    if people:
        return table
    if table.status == "gathering":
        return replace(table, status="closed", finished_at=at)
    return replace(table, status="abandoned", finished_at=at, abandon_reason="everybody left")


def _left(row: SeatRow, guest: str, status: TableStatus) -> SeatRow:
    others = row.guests - {guest}
    if others:
        return replace(row, guests=others)
    if status == "running":
        return replace(row, kind="bot", bot=JARL.name, guests=frozenset(), link_token=new_link_token())
    return SeatRow(row.seat, "open", "", None, frozenset(), new_link_token())


def _record_results(db: Db, table: str) -> None:
    ended = find(db, table)
    assert ended is not None
    matches.record_results(db, ended)


def _values(table: TableRow) -> dict[str, Any]:
    values = {name: getattr(table, name) for name in _COLUMNS}
    values |= {name: as_json(values[name]) for name in ("options", "outcome", "figures")}
    return values | {"clock": None if table.clock is None else as_json(table.clock.to_json())}


def _insert_seats(db: Db, table: TableRow) -> None:
    for seat in table.seats:
        values = {name: getattr(seat, name) for name in ("seat", "kind", "name", "bot", "link_token", "is_ready")}
        db.insert("seats", {"table_id": table.id, **values, "crest": seat.stored_crest or None})
        for guest in sorted(seat.guests):
            db.insert("seat_guests", {"table_id": table.id, "seat": seat.seat, "guest": guest})


# ------------------------------------------------------------------------------------------------------------------- requests


def find_request(db: Db, guest: str, key: str) -> tuple[str, str] | None:
    """Return the fingerprint of the first request for a table with this key and the id of its table, None if the key is new."""
    query = "SELECT fingerprint, table_id FROM idempotency_keys WHERE guest = ? AND key = ? AND created_at > ?"
    row = db.one(query, guest, key, db.now() - REQUESTS_KEPT_FOR)
    return None if row is None else (row["fingerprint"], row["table_id"])


def add_request(db: Db, guest: str, request: RequestKey, table: str) -> None:
    """Keep the key of a request for a table, and delete outdated ones of the guest."""
    db.run("DELETE FROM idempotency_keys WHERE guest = ? AND created_at <= ?", guest, db.now() - REQUESTS_KEPT_FOR)
    new = {"guest": guest, "key": request.key, "fingerprint": request.fingerprint, "table_id": table, "created_at": db.now()}
    db.insert("idempotency_keys", new)
    surplus = """DELETE FROM idempotency_keys WHERE guest = :guest AND key IN (
        SELECT key FROM idempotency_keys WHERE guest = :guest ORDER BY created_at DESC LIMIT -1 OFFSET :kept)"""
    db.run(surplus, guest=guest, kept=REQUESTS_PER_GUEST)
