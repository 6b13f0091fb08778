"""A backup before a migration: with SQLite the hall writes one, with PostgreSQL it demands one.

So an upgrade can be taken back: the older Meadhall restores that backup.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

from sqlalchemy import URL, Connection

from meadhall.engine.text.language import gettext as _
from meadhall.server.ops import systemd
from meadhall.server.store.backup_file import BadBackup, write_backup
from meadhall.server.store.file_lock import StoreUnusable
from meadhall.server.store.migrations import newest_revision
from meadhall.server.store.queries.health import last_backup
from meadhall.server.store.queries.present import now
from meadhall.server.store.transfer import DatabaseSource

log = logging.getLogger(__name__)

_YOUNG_ENOUGH: Final = 3600.0
"""Seconds since a backup within which PostgreSQL is migrated."""


def backup_beside(url: URL, revision: str) -> Path:
    """Return the file for the backup that an SQLite hall writes before it is migrated from a revision."""
    file = Path(str(url.database))
    return file.with_name(f"{file.stem}-{revision}.backup")


def ensure_backup(connection: Connection, url: URL, revision: str) -> None:
    """Write a backup of a hall that will be migrated from a revision, or check that there is one. Raises StoreUnusable."""
    if connection.dialect.name == "sqlite":
        file = backup_beside(url, revision)
        log.info("before the migration from schema %s to %s a backup is written: %s", revision, newest_revision(), file)
        try:
            write_backup(file, DatabaseSource.open(connection), lambda _rows: systemd.notify(systemd.MORE_TIME))
        except BadBackup as error:
            raise StoreUnusable(_("no backup, so the database is not migrated: {reason}").format(reason=error)) from None
        return
    if now(connection).timestamp() - last_backup(connection) > _YOUNG_ENOUGH:
        raise StoreUnusable(
            _(
                "this Meadhall migrates the database {database} from schema {old} to {new}. Make a backup first: "
                "meadhall backup FILE. Then start the hall within an hour"
            ).format(database=url, old=revision, new=newest_revision())
        )
