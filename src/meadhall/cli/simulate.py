"""``meadhall simulate``: let bots play many games."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from meadhall.bots.policy import POLICIES
from meadhall.cli.console import console, progress_bar, quiet_stdout
from meadhall.engine.compute.bulk import LIMIT
from meadhall.engine.compute.executors import cores
from meadhall.engine.registry import game
from meadhall.lab import simulate

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
    out: Sequence[Path],
    cluster: str | None,
    limit: int | None,
) -> None:
    """Simulate with a progress bar on stderr and print the report. ``options`` are texts from the command line."""
    subject = game(name)
    chosen = subject.read_options(options)
    worth_processes = games >= WORTH_PROCESSES or not POLICIES.keys() >= set(bots)
    with progress_bar() as progress, quiet_stdout():
        task = progress.add_task(subject.title, total=games)
        report = simulate(
            name,
            bots,
            games,
            seed,
            players,
            progress=lambda done: progress.update(task, advance=done),
            processes=cores() if cluster is None and worth_processes else 1,
            out=out,
            cluster=cluster,
            limit=limit or LIMIT,
            **chosen,
        )
    if as_json:
        print(report.to_json())
    else:
        console().print(report)
