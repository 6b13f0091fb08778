"""Connections for commands that read or replace a whole database, beside a running hall or instead of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from meadhall.engine.text.language import gettext as _
from meadhall.server.ops.time import Time
from meadhall.server.store import migrations
from meadhall.server.store.database import first_line
from meadhall.server.store.file_lock import StoreUnusable, lock_database
from meadhall.server.store.queries.present import timed

_PRAGMAS: Final = ("foreign_keys=ON", "secure_delete=ON", "busy_timeout=5000")


@contextmanager
def snapshot(file: Path) -> Iterator[Connection]:
    """Connect for reading, in one transaction that sees the database as it is now while a hall goes on writing to it.

    It is a read transaction on the write-ahead log, which makes no hall wait.

    Raises:
        StoreUnusable: the database can't be read, or there is none.
    """
    _check_file(file)
    with _explained(file), _engine(file) as engine, engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only=ON")
        connection.exec_driver_sql("BEGIN")
        yield connection


@contextmanager
def writing(file: Path) -> Iterator[Connection]:
    """Connect for trying a change, in one transaction that is rolled back, while a hall may use the database.

    Raises:
        StoreUnusable: the database can't be changed, or there is none.
    """
    _check_file(file)
    with _explained(file), _engine(file) as engine, engine.begin() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield connection


@contextmanager
def sole_use(file: Path, folder: Path) -> Iterator[Connection]:
    """Connect for writing while no hall uses the database, in one transaction.

    The transaction is committed after the block, or rolled back if it raises. The file is created if there is none, and removed
    again if the block raises.

    Args:
        file: the database.
        folder: the hall's data folder, which is made private.

    Raises:
        StoreBusy: a hall uses the database.
        StoreUnusable: the database can't be written.
    """
    is_new = not file.exists() or not file.stat().st_size
    with lock_database(file, folder):
        try:
            with _explained(file), _engine(file) as engine:
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


def _check_file(file: Path) -> None:
    """Refuse a file that doesn't exist: SQLite would create it."""
    if not file.is_file():
        raise StoreUnusable(_("there is no database {file}").format(file=file))


@contextmanager
def _engine(file: Path) -> Iterator[Engine]:
    url = URL.create("sqlite", database=str(file))
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


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    """Convert errors of the database into StoreUnusable."""
    try:
        yield
    except migrations.UnknownRevision as error:
        raise StoreUnusable(
            _("{database} was written by a newer or another Meadhall ({reason}); update this one").format(
                database=file, reason=first_line(error)
            )
        ) from None
    except SQLAlchemyError as error:
        reason = first_line(error)
        raise StoreUnusable(_("the database {database} can't be used: {reason}").format(database=file, reason=reason)) from None
