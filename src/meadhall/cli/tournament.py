"""``meadhall tournament``: find out which bot is stronger, and by how much."""

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
from meadhall.lab.control_variate import MIN_MATCHES
from meadhall.lab.plots import check_plots, write_plots
from meadhall.lab.schedule import scheduled
from meadhall.lab.standings import Standing, Tournament
from meadhall.lab.tournament import play_schedule

ENDINGS = {
    "interrupted": marked(
        "Interrupted after {games} of {planned} games: the bots have not met each other, or sat on each seat, equally often."
    ),
    "sure": marked("The order was significant after {games} of {planned} games."),
}
"""Notes on a tournament that ended early."""


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
    """Run a tournament with a progress bar on stderr and print the report. ``options`` are texts from the command line."""
    subject = game(name)
    schedule = scheduled(subject, bots, games, players, seed, luck=luck, **subject.read_options(options))
    if plots:
        check_plots(plots)
    with progress_bar() as progress:
        task = progress.add_task(subject.title, total=schedule.games)
        report = play_schedule(
            schedule, processes or cores(), lambda done: progress.update(task, advance=done), until_sure=until_sure
        )
    if as_json:
        print(json.dumps(report.to_dict(), indent=2, ensure_ascii=False))
    else:
        print_tournament(report)
    if plots:
        write_plots(report, plots)
    return INTERRUPTED if report.ended == "interrupted" else 0


def print_tournament(report: Tournament) -> None:
    """Print the report as tables: the result of each bot, and how often each finished ahead of each other."""
    out = console()
    heading = _("{game} for {players}: win rates with 95 % intervals")
    out.print(heading.format(game=game(report.game).title, players=report.players))
    out.print(_table(standing_rows(report)))
    if report.luck:
        out.print(_("Corrected for luck (needs at least {least} games)").format(least=MIN_MATCHES))
        out.print(_table(adjusted_rows(report)))
    if len(report.bots) > 1:
        out.print(_("How often the row finishes ahead of the column; a draw counts as half"))
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
    """Build a table; the first row holds its headings, the first column its names."""
    heads, *others = rows
    table = Table()
    for column, head in enumerate(heads):
        table.add_column(head, justify="right" if column else "left", no_wrap=True)
    for row in others:
        table.add_row(*row)
    return table


def standing_rows(report: Tournament) -> Iterable[Sequence[str]]:
    """Yield a row for each bot, without fair rate and rating in a cooperative game."""
    rivals = report.scoring != "together"
    yield (_("bot"), _("games"), _("win rate"), *((_("fair"), _("rating")) if rivals else ()))
    for name, standing in report.standings.items():
        yield (name, f"{standing.games:,}", in_percent(standing.share, standing.low, standing.high), *_against_others(standing))


def adjusted_rows(report: Tournament) -> Iterable[Sequence[str]]:
    """Yield a row for each bot: its win rate corrected for luck, and the variance that luck explains."""
    yield (_("bot"), _("win rate"), _("explained by luck"))
    for name, standing in report.standings.items():
        found = standing.adjusted
        texts = (in_percent(found.share, found.low, found.high), f"{100 * found.explained:.0f} %") if found else ("-", "-")
        yield (name, *texts)


def _against_others(standing: Standing) -> Sequence[str]:
    if standing.fair is None or standing.rating is None:
        return ()
    rating = standing.rating
    return f"{100 * standing.fair:.1f} %", f"{rating.mu:.1f} ({rating.low:.1f}-{rating.high:.1f})"


def matrix_rows(report: Tournament) -> Iterable[Sequence[str]]:
    """Yield a row for each bot, with a column for each bot."""
    yield ("", *report.bots)
    for name, rates in report.ahead.items():
        met = {other: in_percent(rate.rate, rate.low, rate.high) for other, rate in rates.items() if rate.games}
        yield (name, *(met.get(other, "-") for other in report.bots))


def in_percent(rate: float, low: float, high: float) -> str:
    """Format a rate as ``28.3 % (27.9-28.7)``."""
    return f"{100 * rate:.1f} % ({100 * low:.1f}-{100 * high:.1f})"
