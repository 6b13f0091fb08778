"""``meadhall backup``, ``restore``, ``move`` and ``verify-hall``: the whole database of a hall."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from meadhall.cli.console import WRONG, complain, progress_bar
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import grouped, ngettext
from meadhall.server.hall.records.record_check import RecordCheck, check_records, count_matches
from meadhall.server.settings import BadSetting, Settings, database_of
from meadhall.server.store.backup_file import BackupFile, write_backup
from meadhall.server.store.file_lock import StoreUnusable
from meadhall.server.store.maintenance import beside_halls, run_offline, snapshot, sole_use, stopped_hall
from meadhall.server.store.queries.health import note_backup
from meadhall.server.store.transfer import DatabaseSource, NotEmpty, Source, load

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection


def chosen_settings(data: Path | None, database_url: str | None) -> Settings:
    """Return the settings of the hall: the arguments, else the environment variables, else its last start. Raises BadSetting."""
    given = {"MEADHALL_DATA": data, "MEADHALL_DATABASE_URL": database_url}
    return Settings.of_started_hall(os.environ | {name: str(value) for name, value in given.items() if value is not None})


def back_up(file: Path, settings: Settings) -> None:
    """Write a backup of the hall, which may be running. Raises BadBackup, StoreUnusable."""

    def work() -> int:
        with snapshot(settings.url) as connection, progress_bar() as progress:
            source = DatabaseSource.open(connection)
            rows = sum(source.counts.values())
            task = progress.add_task(file.name, total=rows)
            write_backup(file, source, lambda done: progress.advance(task, done))
        # For metrics, and for a migration. The backup is good, also if this can't be stored.
        with suppress(StoreUnusable), beside_halls(settings.url) as connection:
            note_backup(connection, datetime.now(UTC))
        return rows

    rows = run_offline(work)
    print(f"{file}: {_rows(rows)}, {_kilobytes(file)}")
    print(_("The file holds the keys of the hall and the seeds of running matches: keep it secret."))


def restore(file: Path, settings: Settings, replace: bool) -> None:
    """Fill the hall's database from a backup, and compare all rows.

    Raises BadBackup, NotEmpty, StoreBusy, StoreUnusable, TransferFailed.
    """

    def work() -> None:
        source = BackupFile(file)
        rows = sum(source.counts.values())
        with progress_bar() as progress:
            task = progress.add_task(_("checking the file"), total=rows)
            source.check(lambda done: progress.advance(task, done))
        try:
            with sole_use(settings.url, settings.data) as connection:
                _fill(settings.url, connection, source, replace)
        except NotEmpty as error:
            raise NotEmpty(_("{error}; --replace deletes it and puts the backup in its place").format(error=error)) from None
        time = f"{source.created_at:%Y-%m-%d %H:%M}"
        print(_("{database} holds the backup of {time} UTC: {rows}").format(database=settings.url, time=time, rows=_rows(rows)))
        print(_("The hall can be opened. `meadhall verify-hall` replays all matches, also while it runs."))

    run_offline(work)


def move(source_url: str | None, target_url: str) -> None:
    """Copy the hall from one database to another, and compare all rows.

    Raises BadSetting, NotEmpty, StoreBusy, StoreUnusable, TransferFailed.
    """
    settings = chosen_settings(None, None)
    source = settings.url if source_url is None else database_of(source_url, "--from")
    target = database_of(target_url, "--to")
    if source == target:
        raise BadSetting(_("--from and --to are the same database"))

    def work() -> None:
        with ExitStack() as stack:
            stack.enter_context(stopped_hall(source, settings.data))
            rows = DatabaseSource.open(stack.enter_context(snapshot(source)))
            connection = stack.enter_context(sole_use(target, settings.data))
            _fill(target, connection, rows, replace=False)
        print(
            _("{target} holds the hall of {source}: {rows}").format(
                source=source, target=target, rows=_rows(sum(rows.counts.values()))
            )
        )
        print(_("Set MEADHALL_DATABASE_URL to it before you start the hall again. The original is unchanged."))
        print(_("The hall can be opened. `meadhall verify-hall` replays all matches, also while it runs."))

    run_offline(work)


def _fill(url: URL, connection: Connection, source: Source, replace: bool) -> None:
    with progress_bar() as progress:
        task = progress.add_task(str(url), total=2 * sum(source.counts.values()))
        load(connection, source, lambda done: progress.advance(task, done), replace)


def verify_hall(settings: Settings) -> int:
    """Replay every match of a hall, which may be running, and print the findings. Returns the exit status: 1 if one is wrong.

    Raises StoreUnusable.
    """

    def work() -> RecordCheck:
        with snapshot(settings.url) as connection:
            count = count_matches(connection)
        with progress_bar() as progress:
            task = progress.add_task(_("checking the matches"), total=count)
            return check_records(partial(snapshot, settings.url), lambda done: progress.advance(task, done))

    found = run_offline(work)
    _report(found)
    return WRONG if found.wrong else 0


def _report(found: RecordCheck) -> None:
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


def _rows(count: int) -> str:
    return ngettext("{count} row", "{count} rows", count).format(count=grouped(count))


def _kilobytes(file: Path) -> str:
    return f"{grouped(-(-file.stat().st_size // 1000))} kB"
