"""``meadhall simulate`` and ``meadhall tournament``: let bots play many games, and find out which one is stronger."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from meadhall.bots.policy import POLICIES
from meadhall.cli.console import (
    CLUSTER,
    CLUSTERS,
    INTERRUPTED,
    OUT,
    STOP_AFTER,
    name_and_value,
    print_result,
    progress_bar,
    quiet_stdout,
    split_names,
)
from meadhall.engine.compute.bulk import LIMIT
from meadhall.engine.compute.executors import cores
from meadhall.engine.registry import game as find_game
from meadhall.engine.text.language import gettext as _
from meadhall.lab import simulate
from meadhall.lab.schedule import scheduled
from meadhall.lab.tournament import play_schedule

WORTH_PROCESSES = 2000
"""The number of whole matches above which starting processes pays off, even if no bot searches."""


def run_simulation(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))],
    players: Annotated[int | None, typer.Option(help=_("Number of players; by default the number of bots."))] = None,
    bots: Annotated[str, typer.Option(help=_("The bots, e.g. karl,thrall; repeated if there are more players."))] = "thrall",
    games: Annotated[int, typer.Option(help=_("Number of games."), min=1)] = 10_000,
    seed: Annotated[str | None, typer.Option(help=_("Any text; the same text gives the same games."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the report as JSON."))] = False,
    out: Annotated[list[Path] | None, typer.Option(help=_(OUT))] = None,
    cluster: Annotated[str | None, typer.Option(help=_(CLUSTER), metavar=CLUSTERS)] = None,
    limit: Annotated[int | None, typer.Option(help=_(STOP_AFTER), min=1)] = None,
) -> None:
    """Simulate with a progress bar on stderr and print the report."""
    subject, named = find_game(game), split_names(bots)
    chosen = subject.read_options(name_and_value(option))
    worth_processes = games >= WORTH_PROCESSES or not POLICIES.keys() >= set(named)
    with progress_bar(subject.title, games) as show, quiet_stdout():
        report = simulate(
            game,
            named,
            games,
            seed,
            players,
            progress=lambda done: show(advance=done),
            processes=cores() if cluster is None and worth_processes else 1,
            out=out or [],
            cluster=cluster,
            limit=limit or LIMIT,
            **chosen,
        )
    print_result(report, as_json=as_json)


# --------------------------------------------------------------------------------------------------------------------- tournament


def run_tournament(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))],
    bots: Annotated[str, typer.Option(help=_("The bots, each once, the weakest first, e.g. thrall,karl,huscarl."))],
    games: Annotated[
        int, typer.Option(help=_("Number of games, rounded up so that each bot sits on each seat equally often."), min=1)
    ] = 1000,
    players: Annotated[
        int | None, typer.Option(help=_("Number of players; by default the smallest number the game allows."))
    ] = None,
    seed: Annotated[str | None, typer.Option(help=_("Any text; the same text gives the same games."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    processes: Annotated[
        int | None, typer.Option(help=_("Number of games played in parallel, each on one core; by default one per core."), min=1)
    ] = None,
    until_sure: Annotated[
        bool,
        typer.Option("--until-sure", help=_("Stop as soon as each bot is significantly better than the one before it.")),
    ] = False,
    luck: Annotated[
        bool, typer.Option("--luck", help=_("Also report results corrected for luck: more precise, but slower."))
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the report as JSON."))] = False,
    out: Annotated[list[Path] | None, typer.Option(help=_(OUT))] = None,
    cluster: Annotated[str | None, typer.Option(help=_(CLUSTER), metavar=CLUSTERS)] = None,
    limit: Annotated[int | None, typer.Option(help=_(STOP_AFTER), min=1)] = None,
) -> int:
    """Run a tournament with a progress bar on stderr and print the report."""
    subject, named = find_game(game), split_names(bots)
    chosen = subject.read_options(name_and_value(option))
    schedule = scheduled(subject, named, games, players, seed, luck=luck, limit=limit or LIMIT, **chosen)
    with progress_bar(subject.title, schedule.games) as show, quiet_stdout():
        report = play_schedule(
            schedule,
            processes or (cores() if cluster is None else 1),
            lambda done: show(advance=done),
            until_sure=until_sure,
            out=out or [],
            cluster=cluster,
        )
    print_result(report, as_json=as_json)
    return INTERRUPTED if report.ended == "interrupted" else 0
