"""Where transactions run: on the SQLite file of the hall, in the thread of the event loop."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from meadhall.server.ops.logs import OncePerInterval
from meadhall.server.ops.time import Time
from meadhall.server.store.schema import GUEST_COLUMNS

T = TypeVar("T")
Row = sqlite3.Row

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

_READING: Final = ("SELECT", "WITH", "PRAGMA", "EXPLAIN")
"""Beginnings of the statements that write nothing."""

_PERSONAL: Final = {each.table for each in GUEST_COLUMNS if (each.delete, each.export) == ("delete", "rows")}
_ERASING: Final = ("UPDATE chat_lines ", *(f"DELETE FROM {table} " for table in sorted(_PERSONAL)))
"""Beginnings of the statements that delete personal content: lines of chat, guests, sessions and so on."""

_PRAGMAS: Final = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "secure_delete=ON", "busy_timeout=0")

_STATEMENTS: Final = 400
"""Prepared statements that a connection keeps: more than the hall has."""

_CHECKPOINT_INTERVAL: Final = 500
"""Number of transactions that write, after which SQLite's write-ahead log is copied into the database."""

_SYNC_INTERVAL: Final = 1.0
"""Seconds after a transaction within which it is safe from a power cut: then the write-ahead log is flushed to the disk."""

_PATIENCE: Final = 10
"""Attempts at emptying the log at a moment when nothing of it has still to be copied. The next one copies what remains."""

_LARGEST_LOG: Final = 20_000
"""Pages of 4 KB after which SQLite copies the log by itself, within the transaction that exceeds this size.

That happens only if every checkpoint overlaps with a write: then the log never starts again from its beginning.
"""

_STORAGE_ERRORS: Final = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
)
"""SQLite's error codes for files that can't be written or read. The lower byte of an extended code is such a code."""


class NoAnswer(Exception):
    """The database does not answer. The same transaction may succeed later."""


class NotStored(NoAnswer):
    """The database can't write or read its files: the disk is full, read-only or broken. Nothing has been changed."""


class Locked(NoAnswer):
    """Another program holds the lock of the SQLite file. Nothing has been changed."""


# --------------------------------------------------------------------------------------------------------------------- values

sqlite3.register_adapter(datetime, lambda at: at.astimezone(UTC).isoformat(" ", "microseconds")[:26])
"""Times are stored in UTC, as texts of equal length: they sort by time."""


def in_utc(stored: str) -> datetime:
    """Return a stored time."""
    return datetime.fromisoformat(stored).replace(tzinfo=UTC)


def in_utc_or_none(stored: str | None) -> datetime | None:
    return None if stored is None else in_utc(stored)


def as_json(value: Any) -> str | None:
    """Return a value as it is stored in a column of the type JSON. None stays None."""
    return None if value is None else msgspec.json.encode(value).decode()


def of_json(stored: str | None) -> Any:
    """Return the value of a column of the type JSON."""
    return None if stored is None else msgspec.json.decode(stored)


def each_of(values: Iterable[object]) -> str:
    """Return a parameter for ``IN (SELECT value FROM json_each(?))``: the statement is the same for every number of values."""
    return msgspec.json.encode([*values]).decode()


# ----------------------------------------------------------------------------------------------------------------- connections


class Db:
    """A connection to the SQLite file of a hall. All queries get one.

    The first statement that writes begins a transaction and takes the lock of the file. Statements that only read never wait
    for it.

    Statements have their values by position (``?``) or by name (``:name``).

    Attributes:
        raw: the connection of Python's module.
        erases: whether personal content was deleted since this was last set to False.
    """

    __slots__ = ("_time", "erases", "raw")

    def __init__(self, raw: sqlite3.Connection, time: Time) -> None:
        self.raw = raw
        self.erases = False
        self._time = time

    def now(self) -> datetime:
        """Return the date and time of the hall, in UTC."""
        return self._time.now()

    def rows(self, sql: str, /, *values: Any, **named: Any) -> list[Row]:
        """Return the rows of a query, or those that a statement with RETURNING has changed."""
        return self._execute(sql, named or values).fetchall()

    def one(self, sql: str, /, *values: Any, **named: Any) -> Row | None:
        """Return the first of these rows."""
        found = self._execute(sql, named or values).fetchall()
        return found[0] if found else None

    def values(self, sql: str, /, *values: Any, **named: Any) -> list[Any]:
        """Return the first column of these rows."""
        return [row[0] for row in self._execute(sql, named or values)]

    def value(self, sql: str, /, *values: Any, **named: Any) -> Any:
        """Return the first column of the first row; None without a row."""
        found = self._execute(sql, named or values).fetchall()
        return found[0][0] if found else None

    def run(self, sql: str, /, *values: Any, **named: Any) -> int:
        """Run a statement that writes. Return the number of rows that it has changed."""
        return self._execute(sql, named or values).rowcount

    def insert(self, table: str, *rows: Mapping[str, Any], conflict: str = "") -> int:
        """Insert rows, which have the same columns. Return their number.

        ``conflict``: what happens if there is such a row, for example "ON CONFLICT DO NOTHING". Otherwise IntegrityError is
        raised then.
        """
        return sum(self._execute(_insertion(table, tuple(row), conflict), row).rowcount for row in rows)

    def begin(self) -> None:
        """Begin a transaction that writes, unless one has begun."""
        if not self.raw.in_transaction:
            self.raw.execute("BEGIN IMMEDIATE")

    def _execute(self, sql: str, values: Any) -> sqlite3.Cursor:
        if not (text := sql.lstrip()).startswith(_READING):
            if not self.raw.in_transaction:
                self.raw.execute("BEGIN IMMEDIATE")
            if text.startswith(_ERASING):
                self.erases = True
        return self.raw.execute(sql, values)


Effect = Callable[[Db], None]
"""A part of a transaction."""


@cache
def _insertion(table: str, columns: tuple[str, ...], conflict: str) -> str:
    names, marks = (", ".join(form.format(column) for column in columns) for form in ('"{}"', ":{}"))
    return f"INSERT INTO {table} ({names}) VALUES ({marks}) {conflict}"


def connect(file: Path, *pragmas: str) -> sqlite3.Connection:
    """Open a database, with these pragmas. The connection begins no transactions by itself."""
    connection = sqlite3.connect(file, isolation_level=None, cached_statements=_STATEMENTS)
    try:
        connection.row_factory = sqlite3.Row
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(db: Db) -> Iterator[Db]:
    """Commit what the block writes, or roll it back if it raises."""
    try:
        yield db
        if db.raw.in_transaction:
            db.raw.execute("COMMIT")
    finally:
        if db.raw.in_transaction:
            db.raw.execute("ROLLBACK")


class Database:
    """An SQLite file that only this process writes to, in the thread of the event loop.

    A transaction takes about 0.02 ms, because its connection stays open and no write waits for the disk. Handing it to another
    thread would take longer (docs/decisions/0003). Nothing waits in the event loop: work that waits for the disk, and slow
    queries, run in a thread, and a transaction that meets the lock of another program fails at once.
    """

    def __init__(self, file: Path, time: Time) -> None:
        self._file = file
        self._time = time
        self._db: Db | None = None
        self._is_changing = False
        self._changes = 0  # rows that the connection had changed after the last transaction
        self._writes = 0  # transactions that have written
        self._flushed = 0  # how many of them are safe from a power cut
        self._copied = 0  # and how many were in the log when it was copied last
        self._erases = False  # whether the log still has deleted content
        self._upkeep: asyncio.Task[None] | None = None
        self._in_thread: asyncio.Future[Any] | None = None

    @contextmanager
    def change(self) -> Iterator[Db]:
        """Run one transaction during the block. Commit it, or roll it back if the block raises.

        Raises NoAnswer, NotStored, Locked.
        """
        db = self.begin()
        try:
            yield db
        except BaseException as error:
            self.end(error)
            raise
        self.end(None)

    def begin(self) -> Db:
        """Begin a transaction, which ``end`` ends. Raises as ``change``."""
        if self._is_changing:
            raise RuntimeError("a transaction within a transaction")
        try:
            db = self._db or self._connected()
        except sqlite3.Error as error:
            raise self._explained(error) from error
        self._is_changing = True
        return db

    def end(self, error: BaseException | None) -> None:
        """Commit the transaction, or roll it back after this error. Raises as ``change``."""
        db = self._db
        assert db is not None
        self._is_changing = False
        try:
            if error is None and db.raw.in_transaction:
                db.raw.execute("COMMIT")
        except sqlite3.Error as found:
            error = found
        if error is not None:
            with suppress(sqlite3.Error):
                db.raw.rollback()
            if isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.IntegrityError):
                raise self._explained(error) from error
        elif db.raw.total_changes != self._changes:
            self._note_changes(db)

    def check_lock(self) -> None:
        """Raise Locked if another program holds the lock of the file."""
        try:
            raw = self._connected().raw
            raw.execute("BEGIN IMMEDIATE")
            raw.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def read(self, work: Callable[[Db], T]) -> T:
        """Run ``work``, which only reads, on another connection: call it in a thread. Raises NoAnswer."""
        try:
            with closing(connect(self._file, "query_only=ON")) as raw:
                raw.execute("BEGIN")
                return work(Db(raw, self._time))
        except sqlite3.Error as error:
            raise NoAnswer(reason_of(error)) from error

    def _connected(self) -> Db:
        if self._db is None:
            raw = connect(self._file, *_PRAGMAS, f"wal_autocheckpoint={_LARGEST_LOG}")
            self._db = Db(raw, self._time)
            self._changes = raw.total_changes
        return self._db

    def _explained(self, error: sqlite3.Error) -> Exception:
        """Return what an error of SQLite means. Every one that isn't known means that the database doesn't answer."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_BUSY:
            return Locked("another program holds its lock")
        self._disconnect()  # SQLite's own view of its files may be wrong
        return (NotStored if code in _STORAGE_ERRORS else NoAnswer)(reason_of(error))

    def _note_changes(self, db: Db) -> None:
        """Look after the log soon, which has grown."""
        self._changes = db.raw.total_changes
        self._erases |= db.erases
        db.erases = False
        self._writes += 1
        if self._upkeep is None or self._upkeep.done():
            self._upkeep = asyncio.ensure_future(self._look_after_log())

    async def _look_after_log(self) -> None:
        """Flush the log to the disk, keep it short, and remove deleted content from it, until all of this is done.

        Work that waits for the disk runs in a thread. Waiting in every transaction would cost a quarter of its time.
        """
        attempts = 0
        while self._erases or self._flushed != self._writes:
            await self._time.sleep(_SYNC_INTERVAL)
            writes = self._writes
            attempts = attempts + 1 if self._erases else 0
            if self._erases or writes - self._copied >= _CHECKPOINT_INTERVAL:
                is_copied = await self._run_in_thread(self._copy_log)
                if self._erases and is_copied and (self._writes == writes or attempts >= _PATIENCE):
                    self._empty_log()
                self._copied = writes
            else:
                await self._run_in_thread(partial(_flush, f"{self._file}-wal"))
            self._flushed = writes

    async def _run_in_thread(self, work: Callable[[], T]) -> T:
        self._in_thread = running = asyncio.get_running_loop().run_in_executor(None, work)
        return await asyncio.shield(running)

    def _copy_log(self) -> bool:
        """Copy the log into the database, and return whether nothing was left to copy. Transactions don't wait for it."""
        try:
            with closing(connect(self._file, *_PRAGMAS)) as raw:
                _busy, size, copied = raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error as error:  # the transactions are still in the log, and the next checkpoint copies them
            log.warning("the write-ahead log could not be copied into the database: %s", reason_of(error))
            return False
        return bool(size == copied)

    def _empty_log(self) -> None:
        """Truncate the log, of which next to nothing has still to be copied, so that nothing deleted stays in it.

        While another program reads an older state, for example for a backup, that is impossible.
        """
        try:
            is_busy, _size, _copied = self._connected().raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            log.warning("the write-ahead log could not be emptied: %s", reason_of(error))
        else:
            self._erases = bool(is_busy)

    def _disconnect(self) -> None:
        if self._db is not None:
            self._db.raw.close()
            self._db = None

    async def close(self) -> None:
        if self._upkeep is not None:
            self._upkeep.cancel()  # closing the last connection copies the log into the database, and removes it
        if self._in_thread is not None:
            await self._in_thread
        self._disconnect()


def _flush(file: str) -> None:
    """Flush a file to the disk, if it exists."""
    try:
        descriptor = os.open(file, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        pass
    except OSError as error:
        log.warning("the write-ahead log could not be flushed to the disk: %s", error.strerror)


def reason_of(error: Exception) -> str:
    """Return the message of an error of SQLite, in one line."""
    return str(error).partition("\n")[0].strip() or type(error).__name__
