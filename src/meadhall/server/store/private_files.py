"""Access to the files of an SQLite database, which hold keys and the seeds of running matches: only their owner may read them."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

log = logging.getLogger(__name__)

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_SUFFIXES = ("", "-wal", "-shm", "-journal", ".lock")


def make_private(file: Path, folder: Path) -> None:
    """Create the database file if there is none, and take the access of other users to it and the files beside it.

    SQLite creates its write-ahead log with the mode of the database file.

    Args:
        file: the database file.
        folder: the hall's data folder. It is made private too if the file lies in it. Other folders may have other purposes.
    """
    if not file.exists():
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
    for suffix in _SUFFIXES:
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
