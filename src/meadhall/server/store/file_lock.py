"""The lock that keeps a second process from the same SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.store.private_files import PRIVATE_FILE, PRIVATE_FOLDER, make_private


class StoreBusy(MeadhallError):
    """Another process uses the database file."""


class StoreUnusable(MeadhallError):
    """The database can't be opened: it doesn't exist, access is denied, or it is not a database of this Meadhall."""


@contextmanager
def lock_database(file: Path, folder: Path) -> Iterator[None]:
    """Lock the database ``file`` during the block, and take the access of other users to it and to the data ``folder``.

    The lock lies beside the file itself, also if the path is a link.

    Raises:
        StoreBusy: another process has the lock.
        StoreUnusable: the folder can't be created or written to.
    """
    file = file.resolve()
    lock = FileLock(file.with_name(f"{file.name}.lock"), mode=PRIVATE_FILE)
    try:
        file.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        lock.acquire(timeout=0)
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
