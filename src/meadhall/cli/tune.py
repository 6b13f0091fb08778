"""``meadhall tune``: search values of components towards targets."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from meadhall.cli.balance import players_from
from meadhall.cli.console import INTERRUPTED, console, name_and_value, progress_bar, quiet_stdout
from meadhall.engine.game import Game
from meadhall.engine.options import Document
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.lab.tuning import tune


def start_from(text: str) -> tuple[Game, Path | None]:
    """Return the game, and the file of components to start from, None for the built-in ones. Raises typer.BadParameter."""
    if not text.endswith(".toml"):
        return game(text), None
    named = None
    with suppress(OSError, ValueError):  # the game itself says what is wrong with its components
        named = tomllib.loads(Path(text).read_text("utf-8-sig")).get("game")
    tunable = [name for name in game_names() if any(isinstance(option, Document) for option in game(name).options)]
    if isinstance(named, str):
        return game(named), Path(text)
    if len(tunable) != 1:
        raise typer.BadParameter(_('{file} doesn\'t say its game: add game = "NAME".').format(file=text))
    return game(tunable[0]), Path(text)


def run_tune(
    start: Annotated[str, typer.Argument(help=_("Components to start from: FILE.toml, or a game for its built-in ones."))],
    free: Annotated[
        list[str],
        typer.Option(
            help=_(
                "Values that may change: PATH, PATH=0..3, PATH=[1, 2], or PATH+=-2..2 for all of them together; can be repeated."
            )
        ),
    ],
    target: Annotated[list[str], typer.Option(help=_("What a figure should be: place<1.1, turns=14; can be repeated."))],
    players: Annotated[
        str | None, typer.Option(help=_("Numbers of players: 4, 2-5 or 2,4; by default the usual number."))
    ] = None,
    bot: Annotated[str | None, typer.Option(help=_("The level that plays; by default karl."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    trials: Annotated[int, typer.Option(help=_("Number of candidates."), min=1)] = 100,
    games: Annotated[int, typer.Option(help=_("Matches of a candidate for each number of players."), min=1)] = 1024,
    seconds: Annotated[float, typer.Option(help=_("Time limit in seconds; 0 for none."), min=0)] = 600,
    seed: Annotated[str | None, typer.Option(help=_("Any text; the same text gives the same report."))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the report as JSON."))] = False,
    out: Annotated[
        Path | None, typer.Option(help=_("Write the components of each point to a file in this folder."), file_okay=False)
    ] = None,
) -> int:
    """Search with a progress bar on stderr, print the front, and write the components of its points."""
    subject, components = start_from(start)
    chosen, counts = subject.read_options(name_and_value(option)), players_from(players)
    with progress_bar() as progress, quiet_stdout():
        task = progress.add_task(subject.title, total=100)
        found = tune(
            subject,
            free,
            target,
            counts,
            components,
            chosen,
            bot,
            seed,
            trials=trials,
            games=games,
            seconds=seconds or None,
            progress=lambda done: progress.update(task, completed=int(100 * done)),
        )
    if as_json:
        print(found.to_json())
    else:
        console().print(found)
    if out is not None:
        found.write_points(out)
    return INTERRUPTED if found.ended == "interrupted" else 0
