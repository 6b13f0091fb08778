"""Checks of the database: whether it answers, is current and writable, has enough connections, and agrees about the time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import SQLAlchemyError

from meadhall.engine.language import gettext as _
from meadhall.server.doctor.findings import Finding
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import schema
from meadhall.server.store.database import APPLICATION, NoAnswer, first_line, open_database
from meadhall.server.store.migrations import current_revision, known_revisions, newest_revision
from meadhall.server.store.queries import health

_TIMEOUT: Final = 10.0
"""Seconds that a query may take."""

_OLDEST_POSTGRESQL: Final = 150_000
"""Version 15, the oldest that the PostgreSQL project maintains, as ``server_version_num`` counts."""

_TOLERANCE: Final = 2.0
"""Seconds by which two clocks may differ, and the wall clock from the monotonic one."""


class _Undo(Exception):
    """Ends the transaction of a check without changing anything."""


def check_database(settings: Settings, connections_needed: int) -> Iterator[Finding]:
    """Check the database of these settings without changing it."""
    if settings.embedded and not Path(str(settings.url.database)).exists():
        yield Finding("database", "ok", _("{database} will be created").format(database=settings.url))
        return
    found: list[Finding] = []

    def examine(connection: Connection) -> None:
        found.clear()
        found.extend(_examine(connection, settings, connections_needed))
        raise _Undo

    async def run() -> None:
        database = open_database(settings.url, Time(), timeout=_TIMEOUT)
        try:
            await database.transact(examine)
        finally:
            await database.close()

    try:
        asyncio.run(run())
    except _Undo:
        pass
    except (NoAnswer, SQLAlchemyError, TypeError) as error:
        advice = (
            _("Give the user of the hall the right to read and write it, or put a backup in its place.")
            if settings.embedded
            else _("Start PostgreSQL, and compare the user, password, host and name in MEADHALL_DATABASE_URL with it.")
        )
        text = _("{database} can't be used: {reason}").format(database=settings.url, reason=first_line(error))
        found.append(Finding("database", "wrong", text, advice))
    yield from found


def _examine(connection: Connection, settings: Settings, connections_needed: int) -> Iterator[Finding]:
    is_sqlite = connection.dialect.name == "sqlite"
    if is_sqlite:
        yield from _check_damage(connection)
    revision = current_revision(connection)
    yield _schema(revision, settings)
    if not is_sqlite:
        yield from _check_server(connection, connections_needed)
        yield from _check_clocks(connection)
    if revision == newest_revision():
        yield from _check_last_time(connection)
        health.check(connection)  # an error says why nothing can be stored
        yield Finding("database", "ok", _("it stores what it is given"))


def _schema(revision: str | None, settings: Settings) -> Finding:
    if revision is None:
        return Finding("database", "ok", _("{database} is empty; the first start creates a hall").format(database=settings.url))
    if revision == newest_revision():
        return Finding("database", "ok", _("{database} answers and has the current schema").format(database=settings.url))
    if revision in known_revisions():
        return Finding(
            "database",
            "warning",
            _("{database} has an older schema ({revision})").format(database=settings.url, revision=revision),
            _("Make a backup. The next start of the hall migrates the database."),
        )
    return Finding(
        "database",
        "wrong",
        _("{database} was written by a newer or another Meadhall ({revision})").format(database=settings.url, revision=revision),
        _("Update this Meadhall, or choose another database."),
    )


def _check_damage(connection: Connection) -> Iterator[Finding]:
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        advice = _("Stop the hall and restore a backup, or save what can be read with: sqlite3 meadhall.db .recover")
        yield Finding("database", "wrong", _("the file is damaged ({reason})").format(reason=found), advice)


def _check_server(connection: Connection, needed: int) -> Iterator[Finding]:
    """Check what kind of PostgreSQL this is, and its settings."""

    def setting(name: str) -> Any:
        return connection.execute(text("SELECT current_setting(:name, true)"), {"name": name}).scalar()

    version = int(setting("server_version_num"))
    if version < _OLDEST_POSTGRESQL:
        yield Finding(
            "database",
            "warning",
            _("PostgreSQL {version} is no longer maintained").format(version=setting("server_version")),
            _("Update PostgreSQL to version 15 or newer."),
        )
    else:
        yield Finding("database", "ok", _("PostgreSQL {version}").format(version=setting("server_version")))
    if setting("server_encoding") != "UTF8":
        yield Finding(
            "database",
            "wrong",
            _("the database has the encoding {encoding}").format(encoding=setting("server_encoding")),
            _("Create it with the encoding UTF8: createdb -E UTF8 -T template0 NAME."),
        )
    if setting("transaction_read_only") == "on":
        yield Finding(
            "database",
            "wrong",
            _("the server is read-only, e.g. a standby"),
            _("Let MEADHALL_DATABASE_URL name the primary server."),
        )
    if "off" in (setting("fsync"), setting("synchronous_commit")):
        yield Finding(
            "database",
            "warning",
            _("a power cut can lose actions that the hall has confirmed, because fsync or synchronous_commit is off"),
            _("Switch both on in postgresql.conf."),
        )
    yield _connections(connection, setting, needed)


def _connections(connection: Connection, setting: Any, needed: int) -> Finding:
    reserved = int(setting("superuser_reserved_connections")) + int(setting("reserved_connections") or 0)
    others = connection.execute(
        text("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> :name"),
        {"name": APPLICATION},
    ).scalar_one()
    limits = connection.execute(
        text(
            "SELECT rolconnlimit, datconnlimit FROM pg_roles, pg_database "
            "WHERE rolname = current_user AND datname = current_database()"
        )
    ).one()
    free = int(setting("max_connections")) - reserved - int(others)
    free = min([free, *(limit for limit in limits if limit >= 0)])
    if free < needed:
        return Finding(
            "database",
            "wrong",
            _("the hall may need {needed} connections, and only {free} are free").format(needed=needed, free=free),
            _("Raise max_connections in postgresql.conf, or the connection limit of the role or database, or run fewer workers."),
        )
    return Finding("database", "ok", _("{free} connections are free, {needed} may be needed").format(needed=needed, free=free))


def _check_clocks(connection: Connection) -> Iterator[Finding]:
    """Compare this machine's clock with the server's, in the middle between question and answer."""
    before = time.time()
    there = connection.execute(select(func.clock_timestamp())).scalar_one()
    difference = there.timestamp() - (before + time.time()) / 2
    if abs(difference) > _TOLERANCE:
        yield Finding(
            "clock",
            "warning",
            _("the clock of the database differs by {seconds} s from this one").format(seconds=round(difference)),
            _("Let both machines set their clocks by NTP, e.g. with systemd-timesyncd or chrony."),
        )
    else:
        yield Finding("clock", "ok", _("the database and this machine agree about the time"))


def _check_last_time(connection: Connection) -> Iterator[Finding]:
    """Look for times in the future, which tell that the clock was set back."""
    newest = connection.execute(select(func.max(schema.tables.c.created_at))).scalar()
    if newest is None:
        return
    ahead = (newest.replace(tzinfo=newest.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    if ahead > _TOLERANCE:
        yield Finding(
            "clock",
            "warning",
            _("the newest table was opened {seconds} s in the future").format(seconds=round(ahead)),
            _("The clock was set back. Let it be set by NTP, e.g. with systemd-timesyncd or chrony."),
        )


def check_clock(pause: float = 0.2) -> Iterator[Finding]:
    """Check that the wall clock runs as the monotonic one does."""
    wall, steady = time.time(), time.monotonic()
    time.sleep(pause)
    jumped = (time.time() - wall) - (time.monotonic() - steady)
    if abs(jumped) > pause / 10:
        yield Finding(
            "clock",
            "warning",
            _("the clock was just set by {seconds} s").format(seconds=round(jumped, 2)),
            _("Let it be adjusted smoothly by NTP, e.g. with systemd-timesyncd or chrony."),
        )
    else:
        yield Finding("clock", "ok", _("the clock runs steadily"))
