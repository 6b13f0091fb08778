"""``meadhall tournament``: which bot is stronger, and by how much."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.table import Table

from meadhall.cli.console import INTERRUPTED, console, progress_bar
from meadhall.engine.cores import cores
from meadhall.engine.game import game
from meadhall.engine.language import gettext as _
from meadhall.engine.language import marked
from meadhall.lab.adjusted import LEAST
from meadhall.lab.plots import check_plots, write_plots
from meadhall.lab.schedule import scheduled
from meadhall.lab.standings import Standing, Tournament
from meadhall.lab.tournament import hold

ENDINGS = {
    "interrupted": marked("Interrupted after {games} of {planned} games: not all have met and sat everywhere equally often."),
    "sure": marked("It was clear after {games} of {planned} games."),
}
"""What is said of a tournament that was not played to its end."""


def run_tournament(
    name: str,
    bots: Sequence[str],
    games: int,
    players: int | None,
    seed: str | None,
    options: dict[str, str],
    processes: int | None,
    until_sure: bool,
    luck: bool,
    as_json: bool,
    plots: Path | None,
) -> int:
    """Hold a tournament, with a progress bar on stderr, and print the report. ``options`` are as they were typed."""
    subject = game(name)
    schedule = scheduled(subject, bots, games, players, seed, luck=luck, **subject.read_options(options))
    if plots:
        check_plots(plots)
    with progress_bar() as progress:
        task = progress.add_task(subject.title, total=schedule.games)
        report = hold(schedule, processes or cores(), lambda done: progress.update(task, advance=done), until_sure=until_sure)
    if as_json:
        print(json.dumps(report.to_dict(), indent=2, ensure_ascii=False))
    else:
        print_tournament(report)
    if plots:
        write_plots(report, plots)
    return INTERRUPTED if report.ended == "interrupted" else 0


def print_tournament(report: Tournament) -> None:
    """The report as two tables: how well each bot did, and who finished ahead of whom."""
    out = console()
    heading = _("{game} for {players}: what each bot wins, with 95 % intervals")
    out.print(heading.format(game=game(report.game).title, players=report.players))
    out.print(_table(standing_rows(report)))
    if report.luck:
        out.print(_("The same without luck, of {least} games or more").format(least=LEAST))
        out.print(_table(adjusted_rows(report)))
    if len(report.bots) > 1:
        out.print(_("How often the row finishes ahead of the column; a draw is half"))
        out.print(_table(matrix_rows(report)))
    if report.ended in ENDINGS:
        out.print(_(ENDINGS[report.ended]).format(games=report.games, planned=report.planned))
    length = report.length
    for line in (
        _("{games} games of {mean:.1f} decisions (sd {sd:.1f}, median {median:g}, from {min} to {max})").format(
            games=f"{report.games:,}", mean=length.mean, sd=length.sd, median=length.median, min=length.min, max=length.max
        ),
        _("{seconds:.0f} s; seed {seed}").format(seconds=report.seconds, seed=report.seed),
    ):
        out.print(line)


def _table(rows: Iterable[Sequence[str]]) -> Table:
    """A table; the first row is its heads, the first column its names."""
    heads, *others = rows
    table = Table()
    for column, head in enumerate(heads):
        table.add_column(head, justify="right" if column else "left", no_wrap=True)
    for row in others:
        table.add_row(*row)
    return table


def standing_rows(report: Tournament) -> Iterable[Sequence[str]]:
    """A row for each bot; no fair share and no rating where all win or lose together."""
    rivals = report.scoring != "together"
    yield (_("bot"), _("games"), _("share"), *((_("fair"), _("rating")) if rivals else ()))
    for name, standing in report.standings.items():
        yield (name, f"{standing.games:,}", in_percent(standing.share, standing.low, standing.high), *_against_others(standing))


def adjusted_rows(report: Tournament) -> Iterable[Sequence[str]]:
    """A row for each bot: what it won without luck, and how much luck it had to do with."""
    yield (_("bot"), _("share"), _("explained by luck"))
    for name, standing in report.standings.items():
        found = standing.adjusted
        told = (in_percent(found.share, found.low, found.high), f"{100 * found.explained:.0f} %") if found else ("-", "-")
        yield (name, *told)


def _against_others(standing: Standing) -> Sequence[str]:
    if standing.fair is None or standing.rating is None:
        return ()
    rating = standing.rating
    return f"{100 * standing.fair:.1f} %", f"{rating.mu:.1f} ({rating.low:.1f}-{rating.high:.1f})"


def matrix_rows(report: Tournament) -> Iterable[Sequence[str]]:
    """A row and a column for each bot."""
    yield ("", *report.bots)
    for name, rates in report.ahead.items():
        met = {other: in_percent(rate.rate, rate.low, rate.high) for other, rate in rates.items() if rate.games}
        yield (name, *(met.get(other, "-") for other in report.bots))


def in_percent(rate: float, low: float, high: float) -> str:
    """``28.3 % (27.9-28.7)``."""
    return f"{100 * rate:.1f} % ({100 * low:.1f}-{100 * high:.1f})"
