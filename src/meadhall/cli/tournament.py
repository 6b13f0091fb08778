"""``meadhall tournament``: find out which bot is stronger, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from meadhall.cli.console import INTERRUPTED, console, progress_bar, quiet_stdout
from meadhall.engine.compute.bulk import LIMIT
from meadhall.engine.compute.executors import cores
from meadhall.engine.registry import game
from meadhall.lab.schedule import scheduled
from meadhall.lab.tournament import play_schedule


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
    out: Sequence[Path],
    cluster: str | None,
    limit: int | None,
) -> int:
    """Run a tournament with a progress bar on stderr and print the report. ``options`` are texts from the command line."""
    subject = game(name)
    schedule = scheduled(subject, bots, games, players, seed, luck=luck, limit=limit or LIMIT, **subject.read_options(options))
    with progress_bar() as progress, quiet_stdout():
        task = progress.add_task(subject.title, total=schedule.games)
        report = play_schedule(
            schedule,
            processes or (cores() if cluster is None else 1),
            lambda done: progress.update(task, advance=done),
            until_sure=until_sure,
            out=out,
            cluster=cluster,
        )
    if as_json:
        print(report.to_json())
    else:
        console().print(report)
    return INTERRUPTED if report.ended == "interrupted" else 0
