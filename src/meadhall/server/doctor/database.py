"""Checks of the database: whether it can be read and written, is current, and agrees about the time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import grouped, ngettext
from meadhall.server.doctor.findings import TOLERANCE, Finding
from meadhall.server.settings import Settings
from meadhall.server.store import tables, uptime
from meadhall.server.store.backups import backup_beside
from meadhall.server.store.database import Db
from meadhall.server.store.files import StoreUnusable, writing
from meadhall.server.store.schema import current_version, is_known, newest_version, writer


class _Undo(Exception):
    """Ends the transaction of a check without changing anything."""


def check_database(settings: Settings) -> Iterator[Finding]:
    """Check the database of these settings without changing it."""
    if not settings.database.exists():
        yield Finding("database", "ok", _("{database} will be created").format(database=settings.database))
        return
    found: list[Finding] = []
    try:
        with suppress(_Undo), writing(settings.database) as db:
            found.append(_schema(db, settings))
            found.extend(_examine(db))
            found.extend(_check_rules(db))
            raise _Undo
    except StoreUnusable as error:
        advice = _("Give the user of the hall the right to read and write it, or put a backup in its place.")
        found.append(Finding("database", "wrong", str(error), advice))
    yield from found


def _examine(db: Db) -> Iterator[Finding]:
    """Check what is stored."""
    yield from _check_damage(db)
    if current_version(db) == newest_version():
        yield from _check_last_time(db)
        uptime.check_health(db)  # an error says why nothing can be stored
        yield Finding("database", "ok", _("it stores what it is given"))


def _schema(db: Db, settings: Settings) -> Finding:
    version = current_version(db)
    if version is None:
        return Finding(
            "database", "ok", _("{database} is empty; the first start creates a hall").format(database=settings.database)
        )
    if version == newest_version():
        return Finding("database", "ok", _("{database} answers and has the current schema").format(database=settings.database))
    if is_known(version):
        return Finding(
            "database",
            "warning",
            _("{database} has an older schema ({version})").format(database=settings.database, version=version),
            _("The next start of the hall writes the backup {file} and migrates the database.").format(
                file=backup_beside(settings.database, version)
            ),
        )
    return Finding(
        "database",
        "wrong",
        _("{database} was written by a newer or another Meadhall ({version}, schema {schema})").format(
            database=settings.database, version=writer(db) or "?", schema=version
        ),
        _("Update this Meadhall, restore a backup from before, or choose another database."),
    )


def _check_rules(db: Db) -> Iterator[Finding]:
    """Look for running matches that the installed rules can't finish. The next start of the hall ends those of older rules."""
    if not is_known(current_version(db)):
        return
    for name, rules, count in tables.count_running_by_rules(db):
        installed = game(name).version if name in game_names() else None
        if rules == installed:
            continue
        text = ngettext(
            "{count} running match of {game} began under version {rules} of its rules; {installed}",
            "{count} running matches of {game} began under version {rules} of its rules; {installed}",
            count,
        )
        here = _("the game is not installed") if installed is None else _("version {rules} is installed").format(rules=installed)
        if installed is not None and rules < installed:
            advice = _("The next start of the hall ends them. To let people finish them, start the older Meadhall. Records stay.")
        else:
            advice = _("They go on when this version is installed again.")
        yield Finding("matches", "warning", text.format(count=grouped(count), game=name, rules=rules, installed=here), advice)


def _check_damage(db: Db) -> Iterator[Finding]:
    found = db.value("PRAGMA quick_check(1)")
    if found != "ok":
        advice = _("Stop the hall and restore a backup, or save what can be read with: sqlite3 meadhall.db .recover")
        yield Finding("database", "wrong", _("the file is damaged ({reason})").format(reason=found), advice)


def _check_last_time(db: Db) -> Iterator[Finding]:
    """Look for times in the future, which tell that the clock was set back."""
    newest = tables.last_opened_at(db)
    if newest is None:
        return
    ahead = (newest - datetime.now(UTC)).total_seconds()
    if ahead > TOLERANCE:
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
