"""Queries about tables and their seats."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Update,
    and_,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    tuple_,
    update,
)

from meadhall.server.store import schema
from meadhall.server.store.clock import Clock
from meadhall.server.store.models import FINISHED, SeatRow, TableRow
from meadhall.server.store.queries import results
from meadhall.server.store.queries.present import now

IDLE_LOBBY: Final = timedelta(days=1)
"""Age from which a table whose match has not begun no longer counts against its host's limit."""

_TABLE = schema.tables.c
_COLUMNS = list(schema.tables.columns)
_SEAT = schema.seats.c
_ENTRY = schema.match_entries.c
_SEAT_GUEST = schema.seat_guests.c


# -------------------------------------------------------------------------------------------------------------------- reading


def find(connection: Connection, id: str) -> TableRow | None:
    """Return the table with that id."""
    found = read(connection, _TABLE.id == id, limit=1)
    return found[0] if found else None


def find_by_link(connection: Connection, token: str) -> tuple[TableRow, int] | None:
    """Return the table and the seat that a private link leads to."""
    row = connection.execute(select(_SEAT.table_id, _SEAT.seat).where(_SEAT.link_token == token)).one_or_none()
    table = None if row is None else find(connection, row.table_id)
    return None if row is None or table is None else (table, row.seat)


def of_guest(connection: Connection, guest: str, limit: int | None = 30, skip: int = 0) -> list[TableRow]:
    """Return tables that the guest hosts or sits at, unfinished ones first, then newest first; none that were closed."""
    kept = and_(belongs_to(guest), _TABLE.status != "closed")
    return read(connection, kept, limit, _TABLE.status.in_(FINISHED), skip=skip)


def finished_of(connection: Connection, guest: str, limit: int, skip: int = 0) -> tuple[list[TableRow], int]:
    """Return finished tables that the guest hosts or sits at, the match that ended last first, and the number of all of them."""
    kept = and_(belongs_to(guest), _TABLE.status.in_(FINISHED))
    count = connection.execute(select(func.count()).select_from(schema.tables).where(kept)).scalar_one()
    return read(connection, kept, limit, _TABLE.finished_at.desc(), skip=skip), count


def count_of(connection: Connection, guest: str) -> int:
    """Count the tables that the guest hosts or sits at, except closed ones."""
    query = select(func.count()).select_from(schema.tables).where(belongs_to(guest), _TABLE.status != "closed")
    return connection.execute(query).scalar_one()


def public(connection: Connection, status: str, limit: int = 30, skip: int = 0) -> list[TableRow]:
    """Return public tables with that status, newest first."""
    return read(connection, and_(_TABLE.status == status, _TABLE.is_public), limit, skip=skip)


def running_with_bots(connection: Connection, game: str) -> list[str]:
    """Return the ids of running tables of a game where a bot has a seat or has taken over one, newest first."""
    with_bot = select(_SEAT.table_id).where(_SEAT.kind == "bot").union(entries_of_stand_ins())
    running = and_(_TABLE.status == "running", _TABLE.game == game, _TABLE.id.in_(with_bot))
    return list(connection.execute(select(_TABLE.id).where(running).order_by(_TABLE.created_at.desc())).scalars())


def entries_of_stand_ins() -> Select[tuple[str]]:
    """Return the query for the ids of tables where a bot has taken over a person's seat, perhaps only for a while."""
    return select(_ENTRY.table_id).where(_ENTRY.kind == literal_column("'stand_in'"))  # as in the index


def close_outdated(connection: Connection, game: str, rules: int, reason: str) -> list[str]:
    """End the running matches of a game that began under older rules than this version. Return the ids of their tables."""
    outdated = and_(_TABLE.status == "running", _TABLE.game == game, _TABLE.rules < rules)
    ids = list(connection.execute(select(_TABLE.id).where(outdated)).scalars())
    closed = {"status": "abandoned", "finished_at": now(connection), "abandon_reason": reason, "version": _TABLE.version + 1}
    connection.execute(update(schema.tables).where(outdated).values(**closed))
    for id in ids:
        _record_results(connection, id)
    return ids


def adopt_rules(connection: Connection, game: str, rules: int) -> None:
    """Let the running matches of a game go on under this version of its rules."""
    running = and_(_TABLE.status == "running", _TABLE.game == game, _TABLE.rules != rules)
    connection.execute(update(schema.tables).where(running).values(rules=rules, version=_TABLE.version + 1))


def newcomers(connection: Connection, table: TableRow) -> frozenset[int]:
    """Return the seats whose guests have never begun another match of the table's game."""
    guests = {guest for seat in table.seats for guest in seat.guests}
    others = and_(_TABLE.game == table.game, _TABLE.id != table.id, _TABLE.started_at.is_not(None))
    seated = select(_SEAT_GUEST.guest).join(schema.tables, _SEAT_GUEST.table_id == _TABLE.id)
    known = set(connection.execute(seated.where(others, _SEAT_GUEST.guest.in_(guests)).distinct()).scalars())
    known |= set(connection.execute(select(_TABLE.host).where(others, _TABLE.host.in_(guests)).distinct()).scalars())
    return frozenset(seat.seat for seat in table.seats if seat.guests and not seat.guests & known)


def count_unfinished(connection: Connection, host: str, rules: Mapping[str, int]) -> int:
    """Count the tables that count against a host's limit.

    Running matches count if ``rules`` has their game in their version of the rules; others can't be finished. Lobbies count until
    they are a day old. Attempts at a daily puzzle don't count.
    """
    gathering = and_(_TABLE.status == "gathering", _TABLE.created_at > now(connection) - IDLE_LOBBY)
    playable = or_(*(and_(_TABLE.game == name, _TABLE.rules == version) for name, version in rules.items()))
    unfinished = or_(gathering, and_(_TABLE.status == "running", playable))
    query = select(func.count()).where(_TABLE.host == host, _TABLE.daily.is_(None), unfinished)
    return connection.execute(query).scalar_one()


def attempts(connection: Connection, day: str, guest: str) -> list[TableRow]:
    """Return a guest's attempts at the puzzle of a day: the guest's own, and one that was carried to this device."""
    hosted = select(_TABLE.id).where(_TABLE.daily == day, _TABLE.host == guest)
    carried = select(_TABLE.id).join(schema.seat_guests, _SEAT_GUEST.table_id == _TABLE.id)
    found = connection.execute(hosted).scalars().all()
    found = [*found, *connection.execute(carried.where(_SEAT_GUEST.guest == guest, _TABLE.daily == day)).scalars()]
    return read(connection, _TABLE.id.in_(found), None)


def attempted_game(connection: Connection, day: str) -> str | None:
    """Return the game of the attempts at the puzzle of a day; None without attempts."""
    return connection.scalar(select(_TABLE.game).where(_TABLE.daily == day).limit(1))


def days(connection: Connection, limit: int = 30) -> list[str]:
    """Return the days whose puzzle has been attempted, latest first. Each takes one step in the index."""
    found: list[str] = []
    while len(found) < limit:
        before = _TABLE.daily.is_not(None) if not found else _TABLE.daily < found[-1]
        day = connection.scalar(select(func.max(_TABLE.daily)).where(before))
        if day is None:
            break
        found.append(str(day))
    return found


def belongs_to(guest: str) -> ColumnElement[bool]:
    """Return the condition that a guest hosts a table or sits at it.

    It is a union because databases answer an OR over two tables by reading all rows.
    """
    hosted = select(_TABLE.id).where(_TABLE.host == guest).correlate(None)
    return _TABLE.id.in_(hosted.union(select(_SEAT_GUEST.table_id).where(_SEAT_GUEST.guest == guest)))


def read(
    connection: Connection, condition: ColumnElement[bool], limit: int | None, *order: ColumnElement[Any], skip: int = 0
) -> list[TableRow]:
    """Return the tables that fulfil a condition, in an order; equal ones newest first."""
    query = select(*_COLUMNS).where(condition).order_by(*order, _TABLE.created_at.desc(), _TABLE.id).limit(limit).offset(skip)
    rows = connection.execute(query).all()
    seats = _seats(connection, [row.id for row in rows])
    return [_table_row(row, tuple(seats[row.id])) for row in rows]


def _seats(connection: Connection, tables: Sequence[str]) -> Mapping[str, list[SeatRow]]:
    guests: dict[tuple[str, int], set[str]] = defaultdict(set)
    for row in connection.execute(select(schema.seat_guests).where(_SEAT_GUEST.table_id.in_(tables))):
        guests[row.table_id, row.seat].add(row.guest)
    seats: dict[str, list[SeatRow]] = defaultdict(list)
    for row in connection.execute(select(schema.seats).where(_SEAT.table_id.in_(tables)).order_by(_SEAT.seat)):
        owners = frozenset(guests[row.table_id, row.seat])
        more = (owners, row.link_token, row.is_ready, row.crest or "")
        seats[row.table_id].append(SeatRow(row.seat, row.kind, row.name, row.bot, *more))
    return seats


def _table_row(row: Row[Any], seats: tuple[SeatRow, ...]) -> TableRow:
    values = dict(row._mapping)
    for name in ("created_at", "started_at", "finished_at"):
        if values[name] is not None and values[name].tzinfo is None:  # SQLite stores no time zone
            values[name] = values[name].replace(tzinfo=UTC)
    values["clock"] = Clock.of_json(values["clock"])
    return TableRow(**values, seats=seats)


# -------------------------------------------------------------------------------------------------------------------- writing


def add(connection: Connection, table: TableRow) -> None:
    """Insert a table with its seats. Raises IntegrityError if its host has another table of the same daily puzzle."""
    connection.execute(insert(schema.tables).values(**_table_values(table)))
    _insert_seats(connection, table)


def save(connection: Connection, table: TableRow) -> TableRow:
    """Update a table with its seats, and return it with its new version. It must have the stored version."""
    saved = replace(table, version=table.version + 1)
    stored = and_(_TABLE.id == table.id, _TABLE.version == table.version)
    changed = connection.execute(update(schema.tables).where(stored).values(**_table_values(saved)))
    assert changed.rowcount == 1, f"table {table.id} was changed, and its room doesn't know it"
    connection.execute(delete(schema.seats).where(_SEAT.table_id == table.id))  # and their guests, by cascade
    _insert_seats(connection, table)
    if saved.status in FINISHED:
        results.record(connection, saved)
    return saved


def save_figures(connection: Connection, table: str, figures: dict[str, int]) -> None:
    """Store how an attempt at a daily puzzle went."""
    connection.execute(change(table, figures=figures))


def save_outcome(connection: Connection, table: str, outcome: Mapping[str, Any]) -> None:
    """Store how a match ended that was finished before outcomes were stored."""
    connection.execute(change(table, outcome=outcome))
    _record_results(connection, table)


def version_of(connection: Connection, table: str) -> int | None:
    """Return a table's version."""
    return connection.scalar(select(_TABLE.version).where(_TABLE.id == table))


def change(table: str, **values: Any) -> Update:
    """Return the change of some columns that doesn't depend on the table's version, and raises it."""
    return update(schema.tables).where(_TABLE.id == table).values(version=_TABLE.version + 1, **values)


def change_all_of(connection: Connection, guest: str) -> set[str]:
    """Raise the version of all tables that a guest hosts or sits at, because it is about to change. Return their ids."""
    raised = update(schema.tables).where(belongs_to(guest)).values(version=_TABLE.version + 1)
    return set(connection.execute(raised.returning(_TABLE.id)).scalars())


def change_crest(connection: Connection, guest: str, crest: str) -> list[str]:
    """Give all seats of a guest a crest. Return the ids of the tables that have changed."""
    changed = sorted(change_all_of(connection, guest))
    set_crest(connection, guest, crest)
    return changed


def set_crest(connection: Connection, guest: str, crest: str) -> None:
    """Store the crest of all seats of a guest. The versions of their tables have been raised in this transaction."""
    own = select(_SEAT_GUEST.table_id, _SEAT_GUEST.seat).where(_SEAT_GUEST.guest == guest)
    connection.execute(update(schema.seats).where(tuple_(_SEAT.table_id, _SEAT.seat).in_(own)).values(crest=crest))


def _record_results(connection: Connection, table: str) -> None:
    ended = find(connection, table)
    assert ended is not None
    results.record(connection, ended)


def _table_values(table: TableRow) -> dict[str, Any]:
    values = {column.name: getattr(table, column.name) for column in _COLUMNS}
    return values | {"clock": None if table.clock is None else table.clock.to_json()}


def _insert_seats(connection: Connection, table: TableRow) -> None:
    seats = [
        {
            "table_id": table.id,
            "seat": seat.seat,
            "kind": seat.kind,
            "name": seat.name,
            "bot": seat.bot,
            "link_token": seat.link_token,
            "is_ready": seat.is_ready,
            "crest": seat.stored_crest or None,
        }
        for seat in table.seats
    ]
    connection.execute(insert(schema.seats), seats)
    guests = [{"table_id": table.id, "seat": seat.seat, "guest": guest} for seat in table.seats for guest in sorted(seat.guests)]
    if guests:
        connection.execute(insert(schema.seat_guests), guests)
