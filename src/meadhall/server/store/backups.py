"""Backups: copies of a hall's database that SQLite makes, each one file."""

from __future__ import annotations

import logging
import os
import secrets
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.ops import systemd
from meadhall.server.ops.time import Time
from meadhall.server.store import schema
from meadhall.server.store.database import Db
from meadhall.server.store.files import BESIDE, PRIVATE_FILE, StoreUnusable, lock_database, snapshot, writing

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Is called with the number of pages that are copied, and of all pages."""

log = logging.getLogger(__name__)

_PAGES: Final = 1000
"""Pages of 4 KB that are copied together."""

_MORE_STARTS: Final = 100
"""By how much the counter of starts is raised: the hall may have been started after its backup, and versions that open pages know
must never go back."""


class BadBackup(MeadhallError):
    """A file is not a backup, is damaged, or can't be written."""


class NotEmpty(MeadhallError):
    """There is already a hall where a backup would be restored."""


def back_up_before_migration(file: Path, version: int) -> None:
    """Write a backup of a hall that will be migrated from a version of the schema, so that an older Meadhall can restore it.

    Raises StoreUnusable.
    """
    backup = file.with_name(f"{file.stem}-{version}.backup")
    log.info("before the migration from schema %s to %s a backup is written: %s", version, schema.newest_version(), backup)
    try:
        write_backup(file, backup, lambda _done, _total: systemd.notify(systemd.MORE_TIME))
    except BadBackup as error:
        raise StoreUnusable(_("no backup, so the database is not migrated: {reason}").format(reason=error)) from None


def write_backup(file: Path, backup: Path, progress: Progress) -> None:
    """Copy a database as it is now, while a hall goes on writing to it, to a file that only its owner can read.

    The copy appears under its name when it is complete and on the disk. An older backup of that name is replaced.

    Raises:
        BadBackup: another file has this name, or the copy can't be written.
        StoreUnusable: there is no hall in the database.
    """
    if backup.exists() and not _is_backup(backup):
        raise BadBackup(_("{file} exists and is not a backup; choose another name").format(file=backup))
    with snapshot(file) as db:
        if schema.known_version(db) is None:
            raise StoreUnusable(_("there is no hall in this database"))
        with _unfinished(backup) as copy:
            _copy(db.raw, copy, progress)


def restore_backup(backup: Path, file: Path, folder: Path, replace: bool, progress: Progress, check: Callable[[Path], T]) -> T:
    """Put a copy of a backup in the place of a database, upgraded to the current schema. Return what ``check`` finds in the copy.

    The copy is whole and has the schema of a hall before it takes its place. ``replace``: delete the hall that is there.

    Raises:
        BadBackup: the file is not a backup, is damaged, or can't be copied.
        NotEmpty: there is a hall, and ``replace`` is not set.
        StoreBusy: a hall uses the database.
        StoreUnusable: the folder can't be used.
    """
    if file.exists() and file.stat().st_size and not replace:
        text = _("there is already a hall in {database}; --replace deletes it and puts the backup in its place")
        raise NotEmpty(text.format(database=file))
    with lock_database(file, folder), _unfinished(file) as copy:
        before = _starts(file)
        with closing(sqlite3.connect(f"{backup.resolve().as_uri()}?mode=ro", uri=True)) as source:
            _refuse_others(backup, source)
            _copy(source, copy, progress)
        with writing(copy) as db:
            schema.upgrade(db)
            more = "UPDATE counters SET value = value + ? WHERE name = 'starts'"
            if db.run(more, before + _MORE_STARTS) != 1 or schema.differences(db):
                raise _damaged(backup)
        found = check(copy)
        for end in BESIDE:  # a log would be taken for a part of the copy
            file.with_name(f"{file.name}{end}").unlink(missing_ok=True)
    return found


def _is_backup(file: Path) -> bool:
    """Return whether a file is a backup. The database of a hall is none: it has a write-ahead log."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        return mode == "delete" and schema.current_version(Db(connection, Time())) is not None
    return False


def _refuse_others(backup: Path, connection: sqlite3.Connection) -> None:
    """Refuse a file that is not the database of a hall, is damaged, or was written by a newer Meadhall. Raises BadBackup."""
    try:
        (size,) = connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        broken = connection.execute("PRAGMA foreign_key_check").fetchone()
        others = {*connection.execute("SELECT sql FROM sqlite_master WHERE type NOT IN ('table', 'index')")} - schema.triggers()
        number, writer = schema.current_version(Db(connection, Time())), schema.writer(Db(connection, Time())) or "?"
    except (sqlite3.Error, TypeError, ValueError):
        raise BadBackup(_("{file} is not a backup of a hall").format(file=backup)) from None
    if number is None:
        raise BadBackup(_("{file} is not a backup of a hall").format(file=backup))
    if not schema.is_known(number):
        raise BadBackup(
            _("{file} was written by a newer Meadhall ({version}); update this one").format(file=backup, version=_shown(writer))
        )
    if found != "ok" or broken or others or size != backup.stat().st_size:  # SQLite would take a missing end for zeros
        raise _damaged(backup)


def _damaged(backup: Path) -> BadBackup:
    return BadBackup(_("{file} is incomplete or was changed; nothing of it is used").format(file=backup))


def _starts(file: Path) -> int:
    """Return how often the hall in a database was started. It may be damaged, or a new file."""
    with suppress(sqlite3.Error, TypeError, ValueError), closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("SELECT value FROM counters WHERE name = 'starts'").fetchone()[0])
    return 0


def _copy(source: sqlite3.Connection, to: Path, progress: Progress) -> None:
    with closing(sqlite3.connect(to)) as target:
        source.backup(target, pages=_PAGES, progress=lambda _status, left, total: progress(total - left, total))
        target.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it


@contextmanager
def _unfinished(file: Path) -> Iterator[Path]:
    """Yield the name of an empty private file. It takes the place of ``file`` when the block ends. Raises BadBackup."""
    path = file.with_name(f".{file.name}.{secrets.token_hex(4)}.unfinished")
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
        try:
            yield path
            _sync(path)
            path.replace(file)
        finally:
            for end in ("", *BESIDE):
                path.with_name(f"{path.name}{end}").unlink(missing_ok=True)
        if sys.platform != "win32":
            _sync(file.parent)  # the new name
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadBackup(_("can't write {file}: {reason}").format(file=file, reason=reason)) from None


def _sync(path: Path) -> None:
    """Make a file, or the names in a folder, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _shown(text: object) -> str:
    """Return a text of a file as a message may show it."""
    return "".join(each if each.isprintable() else "?" for each in str(text)[:40])
