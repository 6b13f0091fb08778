"""Connections for commands that read or replace a whole database, beside a running hall or instead of it.

The functions that use these connections are synchronous on both databases. Run them with ``run_offline``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from alembic.util import CommandError
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.util.concurrency import await_, greenlet_spawn

from meadhall.engine.text.language import gettext as _
from meadhall.server.ops.time import Time
from meadhall.server.store.connections import (
    APPLICATION,
    OF_HALLS,
    PROCESSES_OF_HALLS,
    postgres_engine,
    refuse_shared_connections,
)
from meadhall.server.store.database import first_line
from meadhall.server.store.file_lock import StoreBusy, StoreUnusable, lock_database
from meadhall.server.store.migrations import lock_schema
from meadhall.server.store.queries.present import timed

T = TypeVar("T")

_COMMAND: Final = f"{APPLICATION} command"
"""How the connections of commands are called in PostgreSQL, so that a hall is told from a command."""

_PRAGMAS: Final = ("foreign_keys=ON", "secure_delete=ON", "busy_timeout=5000")


def run_offline(work: Callable[[], T]) -> T:
    """Run a synchronous function that uses the connections of this module, and return its result."""

    async def spawn() -> T:
        result: T = await greenlet_spawn(work)
        return result

    return asyncio.run(spawn())


@contextmanager
def snapshot(url: URL) -> Iterator[Connection]:
    """Connect for reading, in one transaction that sees the database as it is now while halls go on writing to it.

    On SQLite this is a read transaction on the write-ahead log, in PostgreSQL one with REPEATABLE READ, READ ONLY. Neither
    makes a hall wait.

    Raises:
        StoreUnusable: the database can't be read, or there is none.
    """
    _check_file(url)
    with _explained(url), _engine(url) as engine, engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA query_only=ON")
            connection.exec_driver_sql("BEGIN")
        else:
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection


@contextmanager
def beside_halls(url: URL) -> Iterator[Connection]:
    """Connect for a short change, in one transaction, while halls may use the database.

    Halls on PostgreSQL hear of it by a notice, see ``notices.tell_from_command``. A hall on SQLite notices it within a second,
    see ``hall/processes/outside_changes.py``.

    Raises:
        StoreUnusable: the database can't be changed, or there is none.
    """
    _check_file(url)
    with _explained(url), _engine(url) as engine, engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield connection


@contextmanager
def stopped_hall(url: URL, folder: Path) -> Iterator[None]:
    """Keep halls from using a database during the block, without writing to it.

    Raises:
        StoreBusy: a hall uses the database.
        StoreUnusable: the database can't be read, or there is none.
    """
    _check_file(url)
    if url.get_backend_name() == "sqlite":
        with lock_database(url, folder):
            yield
    else:
        with _explained(url), _engine(url) as engine, engine.begin() as connection:
            _refuse_running(connection, url)
            yield


@contextmanager
def sole_use(url: URL, folder: Path) -> Iterator[Connection]:
    """Connect for writing while no hall uses the database, in one transaction.

    The transaction is committed after the block, or rolled back if it raises. An SQLite file is created if there is none, and
    removed again if the block raises.

    Args:
        url: the database.
        folder: the hall's data folder, which is made private.

    Raises:
        StoreBusy: a hall uses the database.
        StoreUnusable: the database can't be written.
    """
    if url.get_backend_name() != "sqlite":
        with _explained(url), _engine(url) as engine, engine.begin() as connection:
            _refuse_running(connection, url)
            yield connection
        return
    file = Path(str(url.database))
    is_new = not file.exists() or not file.stat().st_size
    with lock_database(url, folder):
        try:
            with _explained(url), _engine(url) as engine:
                with engine.connect() as connection:
                    connection.exec_driver_sql("PRAGMA journal_mode=WAL")  # not possible inside a transaction
                with engine.begin() as connection:
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                    yield connection
        except BaseException:
            if is_new:
                for suffix in ("", "-wal", "-shm"):
                    file.with_name(f"{file.name}{suffix}").unlink(missing_ok=True)
            raise


def _check_file(url: URL) -> None:
    """Refuse an SQLite file that doesn't exist: SQLite would create it."""
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).is_file():
        raise StoreUnusable(_("there is no database {file}").format(file=url.database))


@contextmanager
def _engine(url: URL) -> Iterator[Engine]:
    if url.get_backend_name() != "sqlite":
        engine = postgres_engine(url, None, _COMMAND, execution_options=timed(Time())).sync_engine
        try:
            await_(refuse_shared_connections(url))
        except TypeError as error:
            raise _unusable(url, error) from None  # the URL has an unknown parameter
    else:
        engine = create_engine(url, hide_parameters=True, execution_options=timed(Time()))

        @event.listens_for(engine, "connect")
        def prepare(connection: Any, _record: Any) -> None:
            with closing(connection.cursor()) as cursor:
                for pragma in _PRAGMAS:
                    cursor.execute(f"PRAGMA {pragma}")

    try:
        yield engine
    finally:
        with suppress(DBAPIError, OSError):
            engine.dispose()


def _refuse_running(connection: Connection, url: URL) -> None:
    """Refuse a PostgreSQL database that a hall uses. No hall can start on it until this transaction ends."""
    lock_schema(connection)
    if connection.execute(PROCESSES_OF_HALLS, {"halls": OF_HALLS}).first() is not None:
        raise StoreBusy(_("a hall uses {database}; stop it first").format(database=url))


@contextmanager
def _explained(url: URL) -> Iterator[None]:
    """Convert errors of the database into StoreUnusable."""
    try:
        yield
    except CommandError as error:
        raise StoreUnusable(
            _("{database} was written by a newer or another Meadhall ({reason}); update this one").format(
                database=url, reason=first_line(error)
            )
        ) from None
    except (SQLAlchemyError, ConnectionError, TimeoutError) as error:
        raise _unusable(url, error) from None


def _unusable(url: URL, error: Exception) -> StoreUnusable:
    reason = first_line(error)
    return StoreUnusable(_("the database {database} can't be used: {reason}").format(database=url, reason=reason))
