"""The lock that keeps a second process from the same SQLite file."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import URL

from meadhall.engine.errors import MeadhallError


class StoreBusy(MeadhallError):
    """Another process uses the database file."""


class StoreUnusable(MeadhallError):
    """The database can't be opened: it doesn't exist, access is denied, or it is not a database of this Meadhall."""


def lock_database(url: URL) -> FileLock:
    """Lock the SQLite file at ``url``. The lock lies beside the file itself, also if the path is a link.

    Raises:
        StoreBusy: another process has the lock.
        StoreUnusable: the folder can't be created or written to.
    """
    file = Path(str(url.database)).resolve()
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
