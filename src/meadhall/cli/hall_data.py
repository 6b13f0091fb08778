"""``meadhall backup``, ``restore`` and ``verify-hall``: the whole database of a hall."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from meadhall.cli.arguments import EXISTING_FILE
from meadhall.cli.console import WRONG, complain, progress_bar
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import grouped, ngettext
from meadhall.server.hall.records.record_check import RecordCheck, check_records, count_matches
from meadhall.server.host_commands import CommandRefused, carry_out
from meadhall.server.settings import Settings
from meadhall.server.store.backups import Progress, restore_backup, write_backup
from meadhall.server.store.file_lock import StoreUnusable
from meadhall.server.store.maintenance import snapshot


def chosen_settings(data: Path | None) -> Settings:
    """Return the settings of the hall: the argument, else the environment variables, else its last start. Raises BadSetting."""
    return Settings.of_started_hall(os.environ | ({} if data is None else {"MEADHALL_DATA": str(data)}))


def backup(
    file: Annotated[Path, typer.Argument(help=_("The new file. An older backup of this name is replaced."))],
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> None:
    """Write a backup of the hall, which may be running. Raises BadBackup, StoreUnusable."""
    back_up(file, chosen_settings(data))


def back_up(file: Path, settings: Settings) -> None:
    """Write a backup of the hall, which may be running. Raises BadBackup, StoreUnusable."""
    with _pages(file.name) as progress:
        write_backup(settings.database, file, progress)
    with suppress(CommandRefused, StoreUnusable):  # for metrics; the backup is good, also if this can't be stored
        carry_out(settings, "note-backup")
    print(f"{file}: {_kilobytes(file)}")
    print(_("The file holds the keys of the hall and the seeds of running matches: keep it secret."))


def restore_backup_of(
    file: Annotated[Path, typer.Argument(help=_("A backup."), **EXISTING_FILE)],
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help=_("Delete the hall that is in the database, and put the backup in its place."))
    ] = False,
) -> int:
    """Put a backup in the place of the hall's database, as ``restore``."""
    return restore(file, chosen_settings(data), replace)


def restore(file: Path, settings: Settings, replace: bool) -> int:
    """Put a backup in the place of the hall's database, replay every match in it, and print the findings.

    Returns the exit status: 1 if a match is wrong. Raises BadBackup, NotEmpty, StoreBusy, StoreUnusable.
    """
    with _pages(settings.database.name) as progress:
        found = restore_backup(file, settings.database, settings.data, replace, progress, _check_matches)
    print(_("{database} holds the backup {file}. The hall can be opened.").format(database=settings.database, file=file))
    return _report(found)


@contextmanager
def _pages(name: str) -> Iterator[Progress]:
    """Show how many pages of a database are copied."""
    with progress_bar() as progress:
        task = progress.add_task(name, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def verify_hall(
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> int:
    """Replay every match of a hall, which may be running, and print the findings. Returns the exit status: 1 if one is wrong.

    Raises StoreUnusable.
    """
    return _report(_check_matches(chosen_settings(data).database))


def _check_matches(database: Path) -> RecordCheck:
    with snapshot(database) as connection:
        count = count_matches(connection)
    with progress_bar() as progress:
        task = progress.add_task(_("checking the matches"), total=count)
        return check_records(partial(snapshot, database), lambda done: progress.advance(task, done))


def _report(found: RecordCheck) -> int:
    """Print what was found, and return the exit status."""
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


def _kilobytes(file: Path) -> str:
    return f"{grouped(-(-file.stat().st_size // 1000))} kB"
