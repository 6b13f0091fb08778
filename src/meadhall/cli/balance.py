"""``meadhall balance`` and ``meadhall tune``: measure how a game plays, and search values of components towards targets."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from meadhall.cli.console import (
    CLUSTER,
    CLUSTERS,
    INTERRUPTED,
    STOP_AFTER,
    name_and_value,
    print_result,
    progress_bar,
    quiet_stdout,
    split_names,
)
from meadhall.engine.compute.bulk import LIMIT
from meadhall.engine.game import Game
from meadhall.engine.options import Document
from meadhall.engine.registry import game, game as find_game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.lab import Balance, balance
from meadhall.lab.balance.measured import OTHER_GAME
from meadhall.lab.balance.run import values_of
from meadhall.lab.output import check_form
from meadhall.lab.tuning import tune

BUILT_IN = "built-in"

_PLAYERS = re.compile(r"(\d{1,3})(?:-(\d{1,3}))?")


def players_from(text: str | None) -> tuple[int, ...] | None:
    """Read numbers of players: ``2``, ``2-5`` or ``2,4``. Raises typer.BadParameter."""
    if text is None:
        return None
    found: list[int] = []
    for part in text.split(","):
        span = _PLAYERS.fullmatch(part.strip())
        if span is None:
            raise typer.BadParameter(_("Players are given as 4, 2-5 or 2,4, not as {text}.").format(text=text))
        first = int(span[1])
        found += range(first, int(span[2] or first) + 1)
    return tuple(found)


def share_from(text: str) -> float:
    """Read a share: ``1%`` or ``0.01``. Raises typer.BadParameter."""
    try:
        return float(text.rstrip("% ")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        raise typer.BadParameter(_("A precision is given as 1% or 0.01, not as {text}.").format(text=text)) from None


def variants_from(
    subject: Game, options: Mapping[str, str], vary: Sequence[str], compare: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return the variants: the values of an option, or documents and other games, each with the other options.

    Raises typer.BadParameter.
    """
    if vary and compare:
        raise typer.BadParameter(_("Vary an option or compare documents, not both."))
    base = subject.read_options(options)
    if vary:
        return values_of(subject, vary, base)
    if compare:
        return {Path(each).stem: _compared(subject, options, each) for each in compare}
    return {BUILT_IN: base}


def _compared(subject: Game, options: Mapping[str, str], text: str) -> dict[str, Any]:
    """Return the variant that ``--compare`` names: the game as it is, a document, or another game. Raises typer.BadParameter."""
    if text == BUILT_IN:
        return subject.read_options(options)
    if text in game_names():
        return {**game(text).read_options(options), OTHER_GAME: text}
    document = next((option for option in subject.options if isinstance(option, Document)), None)
    if document is None:
        raise typer.BadParameter(_("{game} has no components to compare.").format(game=subject.title))
    return subject.read_options({**options, document.name: text})


def run_balance(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))],
    players: Annotated[str | None, typer.Option(help=_("Numbers of players: 4, 2-5 or 2,4; by default all."))] = None,
    bots: Annotated[
        str | None, typer.Option(help=_("The levels to measure with, e.g. karl,search@400 or module:function; by default karl."))
    ] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    vary: Annotated[list[str] | None, typer.Option(help=_("Compare all values of this option."))] = None,
    compare: Annotated[
        list[str] | None,
        typer.Option(
            help=_("Compare components or games: built-in, a TOML file, or a game; repeat it, what others are compared to first.")
        ),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help=_("Measure what this kind of action is worth; can be repeated."))
    ] = None,
    count: Annotated[
        list[str] | None,
        typer.Option(
            help=_("Count events: “NAME=EVENT FIELD=VALUE by FIELD”, or NAME=module:function of a match; can be repeated.")
        ),
    ] = None,
    precision: Annotated[
        str, typer.Option(help=_("Standard error of the win rates by place at which enough has been played, e.g. 1%."))
    ] = "1%",
    quick: Annotated[bool, typer.Option("--quick", help=_("Matches alone: no chances, skill and luck."))] = False,
    deep: Annotated[bool, typer.Option("--deep", help=_("Searches, too: worth of pieces, effective choices, stakes."))] = False,
    seconds: Annotated[float, typer.Option(help=_("Time limit in seconds; 0 for none."), min=0)] = 120,
    games: Annotated[int | None, typer.Option(help=_("Number of matches of each cell instead of a precision."), min=1)] = None,
    seed: Annotated[str | None, typer.Option(help=_("Any text; the same text gives the same report."))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the report as JSON."))] = False,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            help=_(
                "Write the report to FILE.html or FILE.json, its table to FILE.csv or .parquet, the records of the matches to "
                "watch to FILE.jsonl; can be repeated."
            )
        ),
    ] = None,
    cluster: Annotated[str | None, typer.Option(help=_(CLUSTER), metavar=CLUSTERS)] = None,
    limit: Annotated[int | None, typer.Option(help=_(STOP_AFTER), min=1)] = None,
) -> int:
    """Measure with a progress bar on stderr, print the report, and write it to files."""
    if quick and deep:
        raise typer.BadParameter(_("A report is quick or deep, not both."))
    subject, chosen, counts = find_game(game), name_and_value(option), players_from(players)
    own = name_and_value(count)
    functions = {name: text for name, text in own.items() if ":" in text}
    for file in out or ():
        check_form(file, Balance.forms)
    with progress_bar(subject.title, 100) as show, quiet_stdout():
        report = balance(
            subject,
            counts,
            variants_from(subject, chosen, vary or (), compare or ()),
            split_names(bots) if bots else None,
            share_from(precision),
            seed,
            without=without or (),
            figures=functions,
            counters={name: text for name, text in own.items() if name not in functions},
            depth="quick" if quick else "deep" if deep else "usual",
            seconds=seconds,
            games=games,
            progress=lambda done: show(completed=int(100 * done)),
            cluster=cluster,
            limit=limit or LIMIT,
        )
    print_result(report, as_json=as_json)
    for file in out or ():
        report.write(file)
    return INTERRUPTED if report.ended == "interrupted" else 0


# --------------------------------------------------------------------------------------------------------------------------- tune


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
    start: Annotated[str, typer.Argument(help=_("A game, or components to start from: FILE.toml."))],
    free: Annotated[
        list[str],
        typer.Option(
            help=_(
                "What may change: OPTION, OPTION=4..6 or OPTION=[VALUE, VALUE]; or in components PATH, PATH=0..3, PATH=[1, 2], "
                "or PATH+=-2..2 for all of them together; can be repeated."
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
    with progress_bar(subject.title, 100) as show, quiet_stdout():
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
            seconds=seconds,
            progress=lambda done: show(completed=int(100 * done)),
        )
    print_result(found, as_json=as_json)
    if out is not None:
        found.write_points(out)
    return INTERRUPTED if found.ended == "interrupted" else 0
