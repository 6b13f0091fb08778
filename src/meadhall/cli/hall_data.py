"""``meadhall backup``, ``restore``, ``verify-hall``, ``keys`` and ``doctor``: a hall's database, its keys, and what it needs."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from meadhall.cli.console import EXISTING_FILE, WRONG, complain, console, progress_bar, without_control_characters
from meadhall.engine.text.language import gettext as _, grouped, marked, ngettext
from meadhall.server.doctor import Finding, examine
from meadhall.server.hall.match_records import RecordCheck, check_records
from meadhall.server.hall.push_service import SECRET as PUSH
from meadhall.server.host_commands import CommandRefused, carry_out
from meadhall.server.settings import Settings
from meadhall.server.store import tables
from meadhall.server.store.backups import restore_backup, write_backup
from meadhall.server.store.files import StoreUnusable, snapshot
from meadhall.server.store.store import Store


def chosen_settings(data: Path | None) -> Settings:
    """Return the settings of the hall: the argument, else the environment variables, else its last start. Raises BadSetting."""
    return Settings.of_started_hall(os.environ | ({} if data is None else {"MEADHALL_DATA": str(data)}))


def backup(
    file: Annotated[Path, typer.Argument(help=_("The new file. An older backup of this name is replaced."))],
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> None:
    """Write a backup of the hall, which may be running. Raises BadBackup, StoreUnusable."""
    settings = chosen_settings(data)
    with progress_bar(file.name, None) as show:
        write_backup(settings.database, file, lambda done, pages: show(completed=done, total=pages))
    with suppress(CommandRefused, StoreUnusable):  # for metrics; the backup is good, also if this can't be stored
        carry_out(settings, "note-backup")
    print(f"{file}: {grouped(-(-file.stat().st_size // 1000))} kB")
    print(_("The file holds the keys of the hall and the seeds of running matches: keep it secret."))


def restore(
    file: Annotated[Path, typer.Argument(help=_("A backup."), **EXISTING_FILE)],
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help=_("Delete the hall that is in the database, and put the backup in its place."))
    ] = False,
) -> int:
    """Put a backup in the place of the hall's database, replay every match in it, and print the findings.

    Returns the exit status: 1 if a match is wrong. Raises BadBackup, NotEmpty, StoreBusy, StoreUnusable.
    """
    settings = chosen_settings(data)
    with progress_bar(settings.database.name, None) as show:
        found = restore_backup(
            file,
            settings.database,
            settings.data,
            replace,
            lambda done, pages: show(completed=done, total=pages),
            _check_matches,
        )
    print(_("{database} holds the backup {file}. The hall can be opened.").format(database=settings.database, file=file))
    return _report(found)


def verify_hall(
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> int:
    """Replay every match of a hall, which may be running, and print the findings. Returns the exit status: 1 if one is wrong.

    Raises StoreUnusable.
    """
    return _report(_check_matches(chosen_settings(data).database))


def _check_matches(database: Path) -> RecordCheck:
    with snapshot(database) as db:
        count = tables.count_with_match(db)
    with progress_bar(_("checking the matches"), count) as show:
        return check_records(partial(snapshot, database), lambda done: show(advance=done))


def _report(found: RecordCheck) -> int:
    """Print the findings, and return the exit status."""
    print(ngettext("{count} match verified", "{count} matches verified", found.verified).format(count=grouped(found.verified)))
    for (name, rules), count in sorted(found.other_rules.items()):
        text = ngettext(
            "{count} match of {game} was played under version {rules} of its rules, which is not installed: not verified",
            "{count} matches of {game} were played under version {rules} of its rules, which is not installed: not verified",
            count,
        )
        print(text.format(count=grouped(count), game=name, rules=rules))
    for table, reason in found.wrong.items():
        complain(_("the match at table {table} does not verify: {reason}").format(table=table, reason=reason))
    return WRONG if found.wrong else 0


GRACE = timedelta(days=30)
"""How long an old key is accepted. A browser that comes back meanwhile gets a cookie of the new one."""


def rotate_keys(
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
    at_once: Annotated[
        bool, typer.Option("--now", help=_("Refuse the old keys at once, which logs out every browser and program."))
    ] = False,
) -> None:
    """Replace the keys. ``at_once``: accept no old key any more. Raises StoreBusy, StoreUnusable."""
    settings = chosen_settings(data)

    async def replace() -> None:
        async with Store.open(settings) as store:
            store.rotate_secret("guests", None if at_once else store.time.now() + GRACE)
            store.rotate_secret(PUSH, None if at_once else store.time.now() + GRACE)
            store.rotate_secret("daily", datetime.combine(store.time.now().date() + timedelta(days=1), time(), UTC))

    asyncio.run(replace())
    print(_("The keys are replaced. A new daily puzzle key counts from tomorrow on."))
    if at_once:
        print(_("Every browser and program is logged out."))
    else:
        print(_("Old cookies and tokens are accepted for {days} more days.").format(days=GRACE.days))


_STATUS: Final = {"ok": marked("ok"), "warning": marked("warning"), "wrong": marked("wrong")}
_STYLE: Final = {"ok": "green", "warning": "yellow", "wrong": "bold red"}
_CHECKS: Final = {
    "settings": marked("settings"),
    "folder": marked("folder"),
    "cache": marked("compiled rules"),
    "port": marked("port"),
    "proxy": marked("proxy"),
    "mail": marked("mail"),
}


def check_hall(
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
    url: Annotated[
        str | None, typer.Option(help=_("Public address of the hall, to ask it through its proxy (MEADHALL_URL)."))
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the findings as JSON."))] = False,
) -> int:
    """Print what every check found, and what to do. Returns the exit status: 1 if something is wrong."""
    given = {"MEADHALL_DATA": data, "MEADHALL_URL": url}
    found = []
    for finding in examine(os.environ | {name: str(value) for name, value in given.items() if value is not None}):
        found.append(finding)
        if not as_json:
            _show(finding)
    wrong = sum(finding.status == "wrong" for finding in found)
    if as_json:
        print(json.dumps([asdict(finding) for finding in found], ensure_ascii=False, indent=2))
    elif wrong:
        print(ngettext("{count} thing is wrong.", "{count} things are wrong.", wrong).format(count=wrong))
    else:
        print(_("The hall can be opened."))
    return WRONG if wrong else 0


def _show(finding: Finding) -> None:
    out, width = console(), max(len(_(status)) for status in _STATUS.values())
    status = Text(_(_STATUS[finding.status]).ljust(width), style=_STYLE[finding.status])
    text = without_control_characters(f"{_(_CHECKS[finding.check])}: {finding.text}")
    out.print(Text.assemble(status, "  ", text))
    if finding.advice:
        out.print(Text(" " * (width + 4) + without_control_characters(finding.advice)))
