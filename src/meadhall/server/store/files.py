"""The files of a hall's database: their lock, who may read them, and connections for commands beside a hall or instead of it.

The files hold keys and the seeds of running matches, so only their owner may read them.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.ops.time import Time
from meadhall.server.store.database import Db, connect, reason_of, transaction
from meadhall.server.store.schema import UnknownVersion

log = logging.getLogger(__name__)

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700

BESIDE: Final = ("-wal", "-shm", "-journal")
"""Ends of the names of files that SQLite makes beside a database."""

_PRAGMAS: Final = ("foreign_keys=ON", "secure_delete=ON", "busy_timeout=5000")


class StoreBusy(MeadhallError):
    """Another process uses the database file."""


class StoreUnusable(MeadhallError):
    """The database can't be opened: it doesn't exist, access is denied, or it is not a database of this Meadhall."""


# ------------------------------------------------------------------------------------------------------------------- the lock


@contextmanager
def lock_database(file: Path, folder: Path, patience: float = 0) -> Iterator[None]:
    """Lock the database ``file`` during the block, and take the access of other users to it and to the data ``folder``.

    The lock lies beside the file itself, also if the path is a link. ``patience``: seconds to wait while another process has it.

    Raises:
        StoreBusy: another process has the lock.
        StoreUnusable: the folder can't be created or written to.
    """
    file = file.resolve()
    lock = FileLock(file.with_name(f"{file.name}.lock"), mode=PRIVATE_FILE)
    try:
        file.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        lock.acquire(timeout=patience)
        make_private(file, folder)
    except Timeout:
        raise StoreBusy(_("a hall uses {database}; stop it first").format(database=file)) from None
    except OSError as error:
        raise StoreUnusable(
            f"the folder {file.parent} can't be used: {error.strerror}; choose another with MEADHALL_DATA"
        ) from None
    try:
        yield
    finally:
        lock.release()


def make_private(file: Path, folder: Path) -> None:
    """Create the database file if there is none, and take the access of other users to it and the files beside it.

    SQLite creates its write-ahead log with the mode of the database file.

    Args:
        file: the database file.
        folder: the hall's data folder. It is made private too if the file lies in it. Other folders may have other purposes.
    """
    if not file.exists():
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
    for suffix in ("", *BESIDE, ".lock"):
        _tighten(file.with_name(f"{file.name}{suffix}"), PRIVATE_FILE)
    if file.parent == folder.resolve():
        _tighten(folder, PRIVATE_FOLDER)


def _tighten(path: Path, mode: int) -> None:
    """Remove the access of other users. Say so if that is impossible: the file belongs to another user."""
    try:
        current = path.stat().st_mode
        shared = current & stat.S_ISVTX  # a folder like /tmp, which is not the hall's own
        if stat.S_IMODE(current) & ~mode and not shared:
            path.chmod(stat.S_IMODE(current) & mode)
    except FileNotFoundError:
        pass
    except OSError as error:
        log.warning("other users may be able to read %s: its access can't be changed (%s)", path, error.strerror)


# ---------------------------------------------------------------------------------------------------------------- connections


@contextmanager
def snapshot(file: Path) -> Iterator[Db]:
    """Connect for reading, in one transaction that sees the database as it is now while a hall goes on writing to it.

    It is a read transaction on the write-ahead log, which makes no hall wait.

    Raises:
        StoreUnusable: the database can't be read, or there is none.
    """
    with _connected(file, "query_only=ON") as db:
        db.raw.execute("BEGIN")
        yield db


@contextmanager
def writing(file: Path) -> Iterator[Db]:
    """Connect for a change in one transaction, while a hall may use the database.

    The transaction is committed after the block, or rolled back if it raises.

    Raises:
        StoreUnusable: the database can't be changed, or there is none.
    """
    with _connected(file) as db, transaction(db):
        db.begin()
        yield db


@contextmanager
def sole_use(file: Path, folder: Path) -> Iterator[Db]:
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
            with _connected(file, "journal_mode=WAL") as db, transaction(db):
                db.begin()
                yield db
        except BaseException:
            if is_new:
                for suffix in ("", *BESIDE):
                    file.with_name(f"{file.name}{suffix}").unlink(missing_ok=True)
            raise


@contextmanager
def _connected(file: Path, *pragmas: str) -> Iterator[Db]:
    """Connect, and convert errors of the database into StoreUnusable. SQLite would create a file that doesn't exist."""
    if not file.is_file():
        raise StoreUnusable(_("there is no database {file}").format(file=file))
    try:
        with closing(connect(file, *_PRAGMAS, *pragmas)) as raw:
            yield Db(raw, Time())
    except UnknownVersion as error:
        raise StoreUnusable(
            _("{database} was written by a newer or another Meadhall ({reason}); update this one").format(
                database=file, reason=error
            )
        ) from None
    except sqlite3.Error as error:
        reason = reason_of(error)
        raise StoreUnusable(_("the database {database} can't be used: {reason}").format(database=file, reason=reason)) from None
