"""``meadhall verify`` and ``meadhall replay``: verify match records and print them as text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from meadhall.cli.arguments import EXISTING_FILE
from meadhall.cli.console import WRONG, complain, console, progress_bar
from meadhall.cli.transcript import outcome, print_board, print_events, print_step
from meadhall.engine.errors import RecordError
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Step
from meadhall.engine.record.format import read_records
from meadhall.engine.record.replay import replay
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import grouped, ngettext


def verify_files(files: Annotated[list[Path], typer.Argument(help=_("Match records."), **EXISTING_FILE)]) -> int:
    """Verify every record of every file and print a line per file. Returns the exit status: 1 if any record is wrong."""
    total, status = 0, 0
    for path in files:
        count, fault = verify_file(path)
        total += count
        if fault:
            complain(f"{path}: {fault}")
            status = WRONG
        else:
            print(_verified(count, f"{path}: "))
    if len(files) > 1:
        print(_verified(total))
    return status


def _verified(count: int, place: str = "") -> str:
    return place + ngettext("{count} record verified", "{count} records verified", count).format(count=grouped(count))


def verify_file(path: Path) -> tuple[int, str]:
    """Return the number of verified records of the file and the first error, "" if there is none."""
    count = 0
    try:
        with progress_bar() as progress:
            task = progress.add_task(path.name, total=None)
            for record in read_records(path):
                try:
                    replay(record)
                except RecordError as error:
                    place = _("record {number}").format(number=count + 1)
                    return count, f"{place}: {error}" if count else str(error)
                count += 1
                progress.update(task, completed=count)
    except RecordError as error:  # the file can't be read as records
        return count, str(error).removeprefix(str(path)).lstrip(":, ")
    return (count, "") if count else (0, _("the file contains no record"))


def print_file(
    file: Annotated[Path, typer.Argument(help=_("Match records."), **EXISTING_FILE)],
    tables: Annotated[bool, typer.Option("--tables", help=_("Show the board before each action."))] = False,
) -> None:
    """Verify every match of the file and print it as text."""
    printed = False
    for record in read_records(file):
        if printed:
            print()
        print_match(replay(record), tables)
        printed = True
    if not printed:
        raise RecordError(str(file), _("the file contains no record"))


def print_match(match: Match, boards: bool) -> None:
    """Print one match, including undone actions."""
    out = console()
    out.print(Text(match.game.title, style="bold"))
    out.print(Text(", ".join(f"{who.name} ({who.bot})" if who.bot else who.name for who in match.seats)))
    options = [f"{option.name}={option.shown(match.options[option.name])}" for option in match.game.options]
    started = _("started {time:%Y-%m-%d %H:%M} UTC").format(time=match.started)
    out.print(Text("; ".join([*options, started, _("all dice verified")]), style="dim"))
    print_events(out, match, match.setup)
    for step, undone in _all_steps(match):
        if boards and not undone:
            print_board(out, match.view_at(match.steps.index(step), step.seat))
        print_step(out, match, step, _("(undone)") if undone else "")
    print_board(out, match.view())
    out.print(Text("\n" + outcome(match), style="bold"))


def _all_steps(match: Match) -> list[tuple[Step, bool]]:
    """Return every action by number, and whether it was undone."""
    undone = [(step, True) for undone in match.undone for step in undone.steps]
    return sorted([*((step, False) for step in match.steps), *undone], key=lambda item: item[0].n)
