"""``meadhall verify`` and ``meadhall replay``: match records, checked and told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from meadhall.cli.console import WRONG, complain, console, harmless, progress_bar
from meadhall.cli.transcript import outcome, print_events, print_step, print_table
from meadhall.engine.errors import RecordError
from meadhall.engine.language import gettext as _
from meadhall.engine.language import ngettext
from meadhall.engine.match import Match, Step
from meadhall.engine.record.format import read_records
from meadhall.engine.record.replay import replay


def verify_files(paths: Sequence[Path]) -> int:
    """Verify every record of every file; a line for each file. Exit status: 1 if anything is wrong."""
    total, status = 0, 0
    for path in paths:
        count, fault = verify_file(path)
        total += count
        if fault:
            complain(f"{path}: {fault}")
            status = WRONG
        else:
            print(_verified(count, f"{path}: "))
    if len(paths) > 1:
        print(_verified(total))
    return status


def _verified(count: int, place: str = "") -> str:
    return place + ngettext("{count} record verified", "{count} records verified", count).format(count=count)


def verify_file(path: Path) -> tuple[int, str]:
    """How many records of the file were verified, and the first thing that is wrong, "" if nothing is."""
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
    except RecordError as error:  # what is there is no record at all
        return count, str(error).removeprefix(str(path)).lstrip(":, ")
    return (count, "") if count else (0, _("there is no record in it"))


def tell_file(path: Path, tables: bool) -> None:
    """Tell every match of the file in words, having verified it; with the table before each action, if wanted."""
    told = False
    for record in read_records(path):
        if told:
            print()
        tell_match(replay(record), tables)
        told = True
    if not told:
        raise RecordError(str(path), _("there is no record in it"))


def tell_match(match: Match, tables: bool) -> None:
    """Tell one match, the actions taken back too."""
    out = console()
    out.print(Text(match.game.title, style="bold"))
    out.print(Text(", ".join(f"{who.name} ({who.bot})" if who.bot else who.name for who in match.seats)))
    options = [f"{option.name} {option.shown(match.options[option.name])}" for option in match.game.options]
    started = _("started {time:%Y-%m-%d %H:%M} UTC").format(time=match.started)
    out.print(Text("; ".join([*options, started, _("all dice verified")]), style="dim"))
    print_events(out, match, match.setup)
    for step, taken_back in _all_steps(match):
        if tables and not taken_back:
            print_table(out, match.view_at(match.steps.index(step), step.seat))
        print_step(out, match, step, _("(taken back)") if taken_back else "")
    print_table(out, match.view())
    if match.over:
        out.print(Text("\n" + outcome(match), style="bold"))
    else:
        out.print(Text("\n" + _("Given up: {why}").format(why=harmless(str(match.abandoned))), style="bold"))


def _all_steps(match: Match) -> list[tuple[Step, bool]]:
    """Every action by its number, and whether it was taken back."""
    undone = [(step, True) for undone in match.undone for step in undone.steps]
    return sorted([*((step, False) for step in match.steps), *undone], key=lambda item: item[0].n)
