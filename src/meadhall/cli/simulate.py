"""``meadhall simulate``: let bots play many games."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from meadhall.bots.policy import POLICIES
from meadhall.cli.console import console, progress_bar
from meadhall.engine.cores import cores
from meadhall.engine.game import game
from meadhall.engine.language import gettext as _
from meadhall.engine.statistics import Rate
from meadhall.lab import Report, simulate

WORTH_PROCESSES = 2000
"""The number of whole matches above which starting processes pays off, even if no bot searches."""


def run_simulation(
    name: str,
    players: int | None,
    bots: Sequence[str],
    games: int,
    seed: str | None,
    options: dict[str, str],
    as_json: bool,
    records: Path | None,
) -> None:
    """Simulate with a progress bar on stderr and print the report. ``options`` are texts from the command line."""
    subject = game(name)
    chosen = subject.read_options(options)
    with progress_bar() as progress:
        task = progress.add_task(subject.title, total=games)
        report = simulate(
            name,
            bots,
            games,
            seed,
            players,
            progress=lambda done: progress.update(task, advance=done),
            records=records,
            processes=cores() if games >= WORTH_PROCESSES or not POLICIES.keys() >= set(bots) else 1,
            **chosen,
        )
    if as_json:
        print(json.dumps(report.to_dict(), indent=2, ensure_ascii=False))
    else:
        print_report(report)


def print_report(report: Report) -> None:
    """Print the report as a table: a row for each seat, a column for each bot."""
    out = console()
    table = Table(title=_("{game}: win rates with 95 % intervals").format(game=game(report.game).title), title_justify="left")
    table.add_column(_("seat"))
    for name in report.by_bot:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(_("any bot"), justify="right", no_wrap=True)
    for seat, rate in enumerate(report.by_seat):
        table.add_row(str(seat + 1), *(in_words(rates[seat]) for rates in report.by_bot_and_seat.values()), in_words(rate))
    table.add_section()
    table.add_row(_("all"), *(in_words(rate) for rate in report.by_bot.values()), "")
    out.print(table)
    length = report.length
    for line in (
        _("{games} games of {mean:.1f} decisions (sd {sd:.1f}, median {median:g}, from {min} to {max})").format(
            games=f"{report.games:,}", mean=length.mean, sd=length.sd, median=length.median, min=length.min, max=length.max
        ),
        _("{speed} decisions/s; seed {seed}").format(speed=f"{report.decisions_per_second:,.0f}", seed=report.seed),
    ):
        out.print(line)
    print_statistics(report)


def print_statistics(report: Report) -> None:
    """Print the game's own statistics."""
    rows = list(game(report.game).statistics.rows(report.statistics))
    if rows:
        grid = Table.grid(padding=(0, 2, 0, 0))
        for heading, text in rows:
            grid.add_row(heading, text)
        console().print(grid)


def in_words(rate: Rate) -> str:
    """Format a rate as ``28.3 % (27.9-28.7)``."""
    if not rate.games:
        return "-"
    return f"{100 * rate.rate:.1f} % ({100 * rate.low:.1f}-{100 * rate.high:.1f})"
