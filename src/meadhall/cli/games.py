"""``meadhall games`` lists the games; ``meadhall warm`` compiles their rules."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.table import Table

from meadhall.bots import RANKS
from meadhall.cli.console import console, print_table, progress_bar
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import decimal
from meadhall.engine.text.language import gettext as _
from meadhall.lab.warm import warm


def list_games() -> None:
    """Print the installed games, and the bots, which are the same in every game."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in (_("name"), _("players"), _("options")):
        table.add_column(heading, no_wrap=True)
    table.add_column()
    for name in game_names():
        subject = game(name)
        options = "\n".join(f"{option.name}={option.usage}" for option in subject.options)
        players = f"{subject.min_players}-{subject.max_players}"
        table.add_row(name, players, options or "-", _(subject.tagline))
    bots = Table(box=None, padding=(0, 2, 0, 0))
    for heading in (_("bots"), ""):
        bots.add_column(heading)
    for rank in RANKS:
        bots.add_row(rank.name, _(rank.about))
    out = console()
    print_table(out, table, prose=3)
    out.print()
    print_table(out, bots, prose=1)


def warm_up(games: Annotated[list[str] | None, typer.Argument(help=_("Names of games; by default all."))] = None) -> None:
    """Compile the named games, or all, with a progress bar on stderr, and print a line for each."""
    subjects = [game(name) for name in games or game_names()]
    for subject in subjects:
        began = time.perf_counter()
        with progress_bar() as progress:
            task = progress.add_task(subject.title, total=None)
            warm([subject.name], lambda done, steps, task=task: progress.update(task, completed=done, total=steps))  # type: ignore[misc]
        seconds = time.perf_counter() - began
        print(_("{game}: ready after {seconds} s").format(game=subject.title, seconds=decimal(seconds, 1)))
