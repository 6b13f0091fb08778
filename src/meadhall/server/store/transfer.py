"""Copy everything in a database to another one, or from and to a backup file.

Rows are copied as of the source's own revision of the schema. The target is created in that revision, filled, compared with the
source, and then upgraded. So the source isn't changed, and a backup of an older Meadhall can be restored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, Protocol

import msgspec
from sqlalchemy import (
    JSON,
    Connection,
    DateTime,
    Dialect,
    Integer,
    MetaData,
    Table,
    create_engine,
    delete,
    event,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeDecorator

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.store.database import first_line
from meadhall.server.store.migrations import current_revision, known_revision, known_revisions, upgrade

Row = Sequence[Any]
Progress = Callable[[int], None]
"""Is called with the number of rows done since the last call."""

_BATCH: Final = 500
_LARGE_ROWS: Final = {"uploads": 1}
"""Rows that are read and written together. An upload may have 4 MB."""

_WRITTEN_BY_A_START: Final = frozenset(
    {"secrets", "retired_secrets", "counters", "health_checks", "processes", "jobs", "pulse", "downtimes", "release"}
)
"""Tables that have rows as soon as a hall has started. A hall with rows in no other table is empty."""

_VERSION_TABLE: Final = "alembic_version"

_MORE_STARTS: Final = 100
"""By how much the counter of starts is raised: the hall may have been started after its backup, and versions that open pages know
must never go back."""

_MOST_STARTS: Final = 1 << 30


class NotEmpty(MeadhallError):
    """The database already has a hall in it."""


class TransferFailed(MeadhallError):
    """Rows can't be stored in the target, or are not the same there."""


@dataclass(frozen=True)
class Batch:
    """Some rows of a table, with the names of their columns."""

    table: str
    columns: list[str]
    rows: list[Row]


class Source(Protocol):
    """Where rows come from: a database or a backup file."""

    @property
    def revision(self) -> str:
        """The revision of the schema that the rows have."""

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows of each table."""

    def batches(self) -> Iterator[Batch]:
        """Read all tables one after the other, each after those that it refers to."""


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC. SQLite stores it without its zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


@cache
def schema_at(revision: str) -> MetaData:
    """Return the tables of a revision of the schema, with types that mean the same on both databases.

    Raises CommandError for an unknown revision.
    """
    metadata = MetaData()

    @event.listens_for(metadata, "column_reflect")
    def use_portable_type(_inspector: Any, _table: Table, column: Any) -> None:
        if isinstance(column["type"], DateTime):
            column["type"] = UtcTime()
        elif isinstance(column["type"], JSON):
            column["type"] = JSON(none_as_null=True)

    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        upgrade(connection, revision)
        metadata.reflect(connection)
    engine.dispose()
    metadata.remove(metadata.tables[_VERSION_TABLE])
    return metadata


@dataclass(frozen=True)
class DatabaseSource:
    """The rows in a database, read in one transaction."""

    connection: Connection
    revision: str
    counts: dict[str, int]

    @classmethod
    def open(cls, connection: Connection) -> DatabaseSource:
        """Count the rows. Raises TransferFailed if there is no hall in this database, CommandError for an unknown schema."""
        revision = known_revision(connection)
        if revision is None:
            raise TransferFailed(_("there is no hall in this database"))
        counted = {
            f"{table.name}": connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in schema_at(revision).sorted_tables
        }
        return cls(connection, revision, counted)

    def batches(self) -> Iterator[Batch]:
        for table in schema_at(self.revision).sorted_tables:
            streaming = {"yield_per": _LARGE_ROWS.get(table.name, _BATCH)}
            columns = [f"{column.name}" for column in table.columns]  # plain texts instead of SQLAlchemy's own type
            found = self.connection.execute(select(*table.columns), execution_options=streaming)
            for rows in found.partitions():
                yield Batch(f"{table.name}", columns, [tuple(row) for row in rows])


def encoded(row: Row) -> bytes:
    """Return a row as JSON, times as in RFC 3339 and bytes in base64."""
    return msgspec.json.encode(row)


class Tally:
    """The number of rows of each table, and a digest of them that doesn't depend on their order."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[int, int]] = {}

    def add(self, batch: Batch) -> None:
        """Count rows of a table."""
        count, digest = self._tables.get(batch.table, (0, 0))
        digest += sum(int.from_bytes(hashlib.sha256(encoded(row)).digest()) for row in batch.rows)
        self._tables[batch.table] = count + len(batch.rows), digest % (1 << 256)

    def differences(self, other: Tally) -> list[str]:
        """Return the names of the tables whose rows are not the same."""
        names = self._tables.keys() | other._tables.keys()
        return sorted(name for name in names if self._tables.get(name, (0, 0)) != other._tables.get(name, (0, 0)))


def load(connection: Connection, source: Source, progress: Progress, replace: bool = False) -> None:
    """Fill a database with the rows of a source, within the connection's transaction, and upgrade it to the current schema.

    Everything is read again and compared with the source, so ``progress`` is told of each row twice.

    Args:
        connection: the target, which no hall may use.
        source: where the rows come from.
        progress: is told how many rows are done.
        replace: first delete the hall that is in the database.

    Raises:
        NotEmpty: there is a hall in the database, and ``replace`` is not set.
        TransferFailed: a row can't be stored, or the target differs from the source.
        CommandError: this Meadhall doesn't know the revision of the source or of the target.
    """
    starts = _remove_hall(connection, replace)
    upgrade(connection, source.revision)
    metadata = schema_at(source.revision)
    for table in reversed(metadata.sorted_tables):
        connection.execute(delete(table))  # what the migrations have inserted
    given = Tally()
    for batch in source.batches():
        insert_rows(connection, metadata.tables[batch.table], batch)
        given.add(batch)
        progress(len(batch.rows))
    _compare(connection, given, progress)
    _continue_sequences(connection, metadata)
    upgrade(connection)
    _raise_starts(connection, starts)


def _remove_hall(connection: Connection, replace: bool) -> int:
    """Drop the tables of a hall that is empty or will be replaced. Return the number of its starts. Raises NotEmpty."""
    before = current_revision(connection)
    if before is None:
        return 0
    if replace and before not in known_revisions() and connection.dialect.name == "sqlite":
        return _remove_unknown_hall(connection)
    upgrade(connection)
    revision = current_revision(connection)
    assert revision is not None
    metadata = schema_at(revision)
    if not replace:
        for table in metadata.sorted_tables:
            if table.name not in _WRITTEN_BY_A_START and connection.execute(select(1).select_from(table).limit(1)).first():
                raise NotEmpty(_("there is already a hall in this database: its table {table} has rows").format(table=table.name))
    counters = metadata.tables["counters"]
    starts = connection.execute(select(counters.c.value).where(counters.c.name == "starts")).scalar_one()
    metadata.drop_all(connection)
    connection.execute(text(f"DROP TABLE {_VERSION_TABLE}"))
    return int(starts)


def _remove_unknown_hall(connection: Connection) -> int:
    """Drop all tables of an SQLite file that a newer Meadhall has written. Return the number of the hall's starts."""
    metadata = MetaData()
    metadata.reflect(connection)
    counters = metadata.tables["counters"]
    starts = connection.execute(select(counters.c.value).where(counters.c.name == "starts")).scalar_one()
    metadata.drop_all(connection)
    return int(starts)


def insert_rows(connection: Connection, table: Table, batch: Batch) -> None:
    """Store rows of a table. Raises TransferFailed."""
    try:
        connection.execute(insert(table), [dict(zip(batch.columns, row, strict=True)) for row in batch.rows])
    except DBAPIError as error:
        raise TransferFailed(
            _("a row of {table} can't be stored: {reason}").format(table=table.name, reason=first_line(error))
        ) from None


def _compare(connection: Connection, given: Tally, progress: Progress) -> None:
    """Check that the database has the same rows. Raises TransferFailed."""
    found = Tally()
    reading = connection.begin_nested()
    for batch in DatabaseSource.open(connection).batches():
        found.add(batch)
        progress(len(batch.rows))
    reading.rollback()  # closes the cursors: PostgreSQL changes no table that one of them has read
    different = given.differences(found)
    if different:
        raise TransferFailed(_("the copy is not the same as the original: {tables}").format(tables=", ".join(different)))


def _continue_sequences(connection: Connection, metadata: MetaData) -> None:
    """Let PostgreSQL number new rows after the copied ones. SQLite does so by itself."""
    if connection.dialect.name != "postgresql":
        return
    for table in metadata.sorted_tables:
        for column in table.primary_key:
            name = {"table": table.name, "column": column.name}
            sequence = connection.execute(text("SELECT pg_get_serial_sequence(:table, :column)"), name).scalar_one()
            last = sequence and connection.execute(select(func.max(column))).scalar_one()
            if last is not None and isinstance(column.type, Integer):
                connection.execute(select(func.setval(sequence, last)))


def _raise_starts(connection: Connection, before: int) -> None:
    counters = schema_at(current_revision(connection) or "").tables["counters"]
    is_starts = counters.c.name == "starts"
    restored = connection.execute(select(counters.c.value).where(is_starts)).scalar_one_or_none()
    if restored is None or not 0 <= restored < _MOST_STARTS:
        raise TransferFailed(
            _("a row of {table} can't be stored: {reason}").format(table="counters", reason=f"starts: {restored}")
        )
    connection.execute(update(counters).where(is_starts).values(value=max(int(restored), before) + _MORE_STARTS))
