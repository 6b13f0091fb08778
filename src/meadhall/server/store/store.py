"""The store: tables, seats, guests, and the actions of every match, which are appended and never changed."""

from __future__ import annotations

import logging
import secrets as randomness
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from alembic.util import CommandError
from filelock import FileLock, Timeout
from sqlalchemy import URL, ColumnElement, Connection, Row, Update, and_, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from meadhall.engine.errors import MeadhallError
from meadhall.engine.language import gettext as _
from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.pages.models import SeatKind, TableStatus
from meadhall.server.settings import Settings
from meadhall.server.store import schema
from meadhall.server.store.database import Away, Database, T, first_line, open_database
from meadhall.server.store.migrations import upgrade

log = logging.getLogger(__name__)

FORGOTTEN = timedelta(days=1)
"""After so long a table where nobody has begun to play is not counted among its host's any more."""

RECORDS_KEPT = 1000
"""How many uploaded records are kept; the oldest make room."""

_APPEND = insert(schema.entries)


class StoreBusy(MeadhallError):
    """Another process has the database file."""


class StoreUnusable(MeadhallError):
    """The database can't be opened: it is not there, not ours to use, or no database of ours."""


class Conflict(Exception):
    """Somebody else has written first: that entry of a match, that table, or the guest's own attempt of a day."""


@dataclass(frozen=True)
class Guest:
    """A visitor. ``known`` is False until something about them was stored."""

    id: str
    name: str
    language: str = "en"
    theme: str = "auto"
    known: bool = False


@dataclass(frozen=True)
class SeatRow:
    """A seat at a table; ``guests`` are those it belongs to (more than one when it was carried to another device)."""

    seat: int
    kind: SeatKind
    name: str
    bot: str | None
    guests: frozenset[str]
    key: str


FINISHED: tuple[TableStatus, ...] = ("over", "abandoned")


@dataclass(frozen=True)
class TableRow:
    """A table, before, during and after its match.

    Attributes:
        daily: the day whose puzzle it is; ``figures`` how that went.
        version: how often it was changed since it was opened; only who knows the latest may change it.
    """

    id: str
    game: str
    rules: int
    options: dict[str, Any]
    status: TableStatus
    host: str
    public: bool
    seed: bytes
    created: datetime
    seats: tuple[SeatRow, ...]
    started: datetime | None = None
    finished: datetime | None = None
    abandoned: str | None = None
    rematch: str | None = None
    daily: str | None = None
    figures: dict[str, int] | None = None
    version: int = 0

    def seat_of(self, guest: str) -> int | None:
        """The guest's seat (the lowest, if an old table has given them several), None if they have none."""
        return next((seat.seat for seat in self.seats if guest in seat.guests), None)

    def replace_seat(self, seat: SeatRow) -> TableRow:
        """The table with one seat changed."""
        return replace(self, seats=tuple(seat if other.seat == seat.seat else other for other in self.seats))


@dataclass(frozen=True)
class Entry:
    """One line of a match's history: an action (of kind ``hinted`` if a hint was asked for before), an undo of the last ``value``
    actions, or a hint that was asked for at decision ``value``.
    """

    entry: int
    kind: str
    seat: int
    value: int


def new_id() -> str:
    """A short identifier that can't be guessed."""
    return randomness.token_urlsafe(9)


def new_key() -> str:
    """A secret for a private link."""
    return randomness.token_urlsafe(18)


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class Store:
    """All that must survive a restart. Open it with ``Store.open``."""

    def __init__(self, database: Database, lock: FileLock | None) -> None:
        self._database = database
        self._lock = lock

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings) -> AsyncIterator[Store]:
        """The database of these settings, brought to today's form. Raises StoreBusy, StoreUnusable."""
        lock = _lock_file(Path(str(settings.url.database))) if settings.embedded else None
        database = open_database(settings.url)
        try:
            try:
                await _bring_up_to_date(settings.url)
            except CommandError as error:
                raise StoreUnusable(
                    f"the database {settings.url} was written by a newer or another Meadhall ({first_line(error)}); "
                    "update this one, or choose another database with MEADHALL_DATA or MEADHALL_DATABASE_URL"
                ) from None
            except (Away, SQLAlchemyError, TypeError) as error:  # TypeError: its address has a parameter that nobody knows
                raise StoreUnusable(f"the database {settings.url} can't be used: {first_line(error)}") from None
            yield cls(database, lock)
        finally:
            await database.close()
            if lock is not None:
                lock.release()

    @property
    def shared(self) -> bool:
        """Whether other processes may write to it too."""
        return self._lock is None

    async def _do(self, work: Callable[[Connection], T]) -> T:
        """What ``work`` returns, done in one transaction. Refuses while the database is away."""
        try:
            return await self._database.transact(work)
        except Away as away:
            log.warning("the database does not answer: %s", away)
            raise DatabaseUnavailable(_("The hall's database doesn't answer at the moment. Please try again in a while.")) from None

    # ------------------------------------------------------------------------------------------------------------ secrets

    async def secret(self, name: str) -> str:
        """The lasting secret of that name, made when first asked for."""
        query = select(schema.secrets.c.value).where(schema.secrets.c.name == name)
        found = await self._do(lambda connection: connection.scalar(query))
        if found is not None:
            return str(found)
        made = insert(schema.secrets).values(name=name, value=randomness.token_hex(32))
        with suppress(IntegrityError):  # another process was faster: its secret is ours too
            await self._do(lambda connection: connection.execute(made))
        return await self.secret(name)

    async def alive(self) -> bool:
        """Whether the database answers."""
        try:
            return await self._database.transact(lambda connection: connection.scalar(select(1)) == 1)
        except (Away, SQLAlchemyError):
            return False

    # ------------------------------------------------------------------------------------------------------------- guests

    async def guest(self, id: str) -> Guest | None:
        """The guest with that id, if anything about them was stored."""
        query = select(schema.guests).where(schema.guests.c.id == id)
        row = await self._do(lambda connection: connection.execute(query).one_or_none())
        return None if row is None else Guest(row.id, row.name, row.language, row.theme, known=True)

    async def save_guest(self, guest: Guest) -> Guest:
        """Store what a guest is called and how they like the page."""
        values = {"name": guest.name, "language": guest.language, "theme": guest.theme}
        change = update(schema.guests).where(schema.guests.c.id == guest.id).values(**values)

        def save(connection: Connection) -> None:
            if connection.execute(change).rowcount == 0:
                connection.execute(insert(schema.guests).values(id=guest.id, created=now(), **values))

        try:
            await self._do(save)
        except IntegrityError:  # another request of the same guest was faster
            await self._do(lambda connection: connection.execute(change))
        return replace(guest, known=True)

    # ------------------------------------------------------------------------------------------------------------- tables

    async def add_table(self, table: TableRow) -> None:
        """Store a new table with its seats. Raises Conflict for a second attempt of its host at the puzzle of a day."""
        try:
            await self._do(lambda connection: _add(connection, table))
        except IntegrityError:
            if table.daily is None:
                raise
            raise Conflict from None

    async def save_table(self, table: TableRow) -> TableRow:
        """Store a table's changed facts and seats; the table as it is then. Raises Conflict if another process has changed it."""
        return await self._do(lambda connection: _save(connection, table))

    async def add_rematch(self, table: TableRow, rematch: TableRow) -> TableRow:
        """Store a new table, and that it is the rematch of another: both or nothing; the other as it is then. Raises Conflict if
        another process has changed that.
        """

        def add(connection: Connection) -> TableRow:
            saved = _save(connection, replace(table, rematch=rematch.id))
            _add(connection, rematch)
            return saved

        return await self._do(add)

    async def table(self, id: str) -> TableRow | None:
        """The table with that id."""
        found = await self._tables(schema.tables.c.id == _storable(id), limit=1)
        return found[0] if found else None

    async def table_by_seat_key(self, key: str) -> tuple[TableRow, int] | None:
        """The table and seat that a private link leads to."""
        query = select(schema.seats.c.table_id, schema.seats.c.seat).where(schema.seats.c.key == _storable(key))
        row = await self._do(lambda connection: connection.execute(query).one_or_none())
        table = None if row is None else await self.table(row.table_id)
        return None if row is None or table is None else (table, row.seat)

    async def tables_of(self, guest: str, limit: int = 30) -> list[TableRow]:
        """The tables that a guest sits at or hosts: those that are not finished before the others, the newest first."""
        return await self._tables(_theirs(guest), limit, schema.tables.c.status.in_(FINISHED))

    async def open_tables(self, limit: int = 30) -> list[TableRow]:
        """Public tables that still gather, the newest first."""
        return await self._tables(and_(schema.tables.c.status == "gathering", schema.tables.c.public), limit)

    async def running_tables(self, limit: int = 30) -> list[TableRow]:
        """Public tables whose match is running, the newest first."""
        return await self._tables(and_(schema.tables.c.status == "running", schema.tables.c.public), limit)

    async def running_with_bots(self, game: str) -> list[str]:
        """The ids of the tables of a game whose match is running with a bot, the newest first."""
        columns = schema.tables.c
        with_bot = select(schema.seats.c.table_id).where(schema.seats.c.kind == "bot")
        query = select(columns.id).where(columns.status == "running", columns.game == game, columns.id.in_(with_bot))
        query = query.order_by(columns.created.desc())
        return list(await self._do(lambda connection: connection.execute(query).scalars().all()))

    async def count_unfinished(self, host: str, rules: Mapping[str, int]) -> int:
        """How many unfinished tables a guest hosts, of games with these versions of their rules: others can't be finished.

        A puzzle of the day that was left is none, nor is a table where nobody has begun to play for a day.
        """
        columns = schema.tables.c
        gathering = and_(columns.status == "gathering", columns.created > now() - FORGOTTEN)
        playable = or_(*(and_(columns.game == name, columns.rules == version) for name, version in rules.items()))
        unfinished = or_(gathering, and_(columns.status == "running", playable))
        query = select(func.count()).where(columns.host == host, columns.daily.is_(None), unfinished)
        return await self._do(lambda connection: connection.execute(query).scalar_one())

    async def attempts(self, day: str, guest: str | None = None) -> list[TableRow]:
        """The attempts at the puzzle of a day, all or a guest's, the newest first."""
        of_day = schema.tables.c.daily == day
        return await self._tables(of_day if guest is None else and_(of_day, _theirs(guest)), None)

    async def days(self, limit: int = 30) -> list[str]:
        """The days whose puzzle somebody has tried, the newest first."""
        day = schema.tables.c.daily
        query = select(day).where(day.is_not(None)).distinct().order_by(day.desc()).limit(limit)
        return list(await self._do(lambda connection: connection.execute(query).scalars().all()))

    async def save_figures(self, table: str, figures: dict[str, int]) -> None:
        """Store how an attempt at the puzzle of a day went."""
        await self._do(lambda connection: connection.execute(_change(table, figures=figures)))

    async def _tables(self, condition: ColumnElement[bool], limit: int | None, *order: ColumnElement[bool]) -> list[TableRow]:
        query = select(schema.tables).where(condition).order_by(*order, schema.tables.c.created.desc()).limit(limit)

        def read(connection: Connection) -> list[TableRow]:
            rows = connection.execute(query).all()
            ids = [row.id for row in rows]
            seats: dict[str, list[SeatRow]] = {id: [] for id in ids}
            holders: dict[tuple[str, int], set[str]] = {}
            for holder in connection.execute(select(schema.carried).where(schema.carried.c.table_id.in_(ids))):
                holders.setdefault((holder.table_id, holder.seat), set()).add(holder.guest)
            for seat in connection.execute(
                select(schema.seats).where(schema.seats.c.table_id.in_(ids)).order_by(schema.seats.c.seat)
            ):
                guests = holders.get((seat.table_id, seat.seat), set()) | ({seat.guest} if seat.guest else set())
                seats[seat.table_id].append(SeatRow(seat.seat, seat.kind, seat.name, seat.bot, frozenset(guests), seat.key))
            return [_table_row(row, tuple(seats[row.id])) for row in rows]

        return await self._do(read)

    # ------------------------------------------------------------------------------------------------------------ matches

    async def entries(self, table: str) -> list[Entry]:
        """A match's history, from the first entry on."""
        query = select(schema.entries).where(schema.entries.c.table_id == table).order_by(schema.entries.c.entry)
        rows = await self._do(lambda connection: connection.execute(query).all())
        return [Entry(row.entry, row.kind, row.seat, row.value) for row in rows]

    async def count_entries(self, table: str) -> int:
        """How many entries a match's history has."""
        query = select(func.count()).where(schema.entries.c.table_id == table)
        return await self._do(lambda connection: connection.execute(query).scalar_one())

    async def append(self, table: str, entry: Entry, over: bool, version: int | None = None) -> None:
        """Append one entry, and mark the match as over with it. Raises Conflict if that entry is there already, if the match
        that would be over with it was given up, or if another process has changed the table since it had that ``version``.
        """
        values = {"table_id": table, "at": now(), **vars(entry)}
        held = select(schema.tables.c.version).where(schema.tables.c.id == table).with_for_update(key_share=True)

        def add(connection: Connection) -> None:
            if version is not None and self.shared and connection.scalar(held) != version:
                raise Conflict
            connection.execute(_APPEND, values)
            running = schema.tables.c.status == "running"
            if over and connection.execute(_change(table, status="over", finished=now()).where(running)).rowcount == 0:
                raise Conflict

        try:
            await self._do(add)
        except IntegrityError:
            raise Conflict from None

    # ------------------------------------------------------------------------------------------------------------ records

    async def add_record(self, record: str) -> str:
        """Keep an uploaded record that was verified; its key."""
        key = new_key()
        stale = select(schema.records.c.key).order_by(schema.records.c.created.desc()).offset(RECORDS_KEPT)

        def add(connection: Connection) -> None:
            connection.execute(insert(schema.records).values(key=key, record=record, created=now()))
            old = connection.execute(stale).scalars().all()
            if old:
                connection.execute(delete(schema.records).where(schema.records.c.key.in_(old)))

        await self._do(add)
        return key

    async def record(self, key: str) -> str | None:
        """The uploaded record with that key."""
        query = select(schema.records.c.record).where(schema.records.c.key == _storable(key))
        found = await self._do(lambda connection: connection.scalar(query))
        return None if found is None else str(found)


async def _bring_up_to_date(url: URL) -> None:
    """Give the database today's form, however long that takes."""
    database = open_database(url, patience=None)
    try:
        await database.transact(upgrade)
    finally:
        await database.close()


def _theirs(guest: str) -> ColumnElement[bool]:
    """The tables that a guest sits at or hosts."""
    seated = select(schema.seats.c.table_id).where(schema.seats.c.guest == guest)
    carried = select(schema.carried.c.table_id).where(schema.carried.c.guest == guest)
    return or_(schema.tables.c.host == guest, schema.tables.c.id.in_(seated), schema.tables.c.id.in_(carried))


def _storable(text: str) -> str:
    """``text`` as PostgreSQL can compare it: no stored text holds a NUL."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _lock_file(database: Path) -> FileLock:
    """The lock beside a database file, where whoever comes to the same file by another way finds it."""
    file = database.resolve()
    lock = FileLock(file.with_name(f"{file.name}.lock"))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise StoreBusy(
            f"another hall already uses {file}; stop it, choose another file with MEADHALL_DATA or MEADHALL_DATABASE_URL, "
            "or let several share a PostgreSQL database"
        ) from None
    except OSError as error:
        raise StoreUnusable(
            f"the folder {file.parent} can't be used: {error.strerror}; "
            "choose another with MEADHALL_DATA or MEADHALL_DATABASE_URL"
        ) from None
    return lock


def _change(table: str, **values: Any) -> Update:
    """The change of some facts of a table that holds whatever else was changed; who knew the table before has to look again."""
    columns = schema.tables.c
    return update(schema.tables).where(columns.id == table).values(version=columns.version + 1, **values)


def _table_values(table: TableRow) -> dict[str, Any]:
    names = [column.name for column in schema.tables.columns]
    return {name: getattr(table, name) for name in names}


def _table_row(row: Row[Any], seats: tuple[SeatRow, ...]) -> TableRow:
    values = dict(row._mapping)
    for moment in ("created", "started", "finished"):
        if values[moment] is not None and values[moment].tzinfo is None:
            values[moment] = values[moment].replace(tzinfo=UTC)
    return TableRow(**values, seats=seats)


def _add(connection: Connection, table: TableRow) -> None:
    connection.execute(insert(schema.tables).values(**_table_values(table)))
    _insert_seats(connection, table)


def _save(connection: Connection, table: TableRow) -> TableRow:
    saved = replace(table, version=table.version + 1)
    known = and_(schema.tables.c.id == table.id, schema.tables.c.version == table.version)
    if connection.execute(update(schema.tables).where(known).values(**_table_values(saved))).rowcount == 0:
        raise Conflict
    connection.execute(delete(schema.carried).where(schema.carried.c.table_id == table.id))
    connection.execute(delete(schema.seats).where(schema.seats.c.table_id == table.id))
    _insert_seats(connection, table)
    return saved


def _insert_seats(connection: Connection, table: TableRow) -> None:
    rows: list[dict[str, Any]] = []
    holders: list[dict[str, Any]] = []
    for seat in table.seats:
        first, *others = [*sorted(seat.guests), None]
        rows.append(
            {
                "table_id": table.id,
                "seat": seat.seat,
                "kind": seat.kind,
                "name": seat.name,
                "bot": seat.bot,
                "guest": first,
                "key": seat.key,
            }
        )
        holders += [{"table_id": table.id, "seat": seat.seat, "guest": guest} for guest in others if guest]
    connection.execute(insert(schema.seats), rows)
    if holders:
        connection.execute(insert(schema.carried), holders)
