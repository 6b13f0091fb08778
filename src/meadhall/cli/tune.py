"""``meadhall tune``: search values of components towards targets."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import typer

from meadhall.cli.console import INTERRUPTED, console, progress_bar, quiet_stdout
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
    start: str,
    free: Sequence[str],
    targets: Sequence[str],
    players: tuple[int, ...] | None,
    bot: str | None,
    options: Mapping[str, str],
    trials: int,
    games: int,
    seconds: float | None,
    seed: str | None,
    as_json: bool,
    out: Path | None,
) -> int:
    """Search with a progress bar on stderr, print the front, and write the components of its points."""
    subject, components = start_from(start)
    with progress_bar() as progress, quiet_stdout():
        task = progress.add_task(subject.title, total=100)
        found = tune(
            subject,
            free,
            targets,
            players,
            components,
            subject.read_options(options),
            bot,
            seed,
            trials=trials,
            games=games,
            seconds=seconds,
            progress=lambda done: progress.update(task, completed=int(100 * done)),
        )
    if as_json:
        print(found.to_json())
    else:
        console().print(found)
    if out is not None:
        found.write_points(out)
    return INTERRUPTED if found.ended == "interrupted" else 0
