"""``meadhall balance``: measure how a game plays, and what a change of it does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from meadhall.cli.console import INTERRUPTED, console, progress_bar, quiet_stdout
from meadhall.engine.compute.bulk import LIMIT
from meadhall.engine.game import Game
from meadhall.engine.options import Document
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.lab import Balance, balance
from meadhall.lab.balance.run import values_of
from meadhall.lab.balance.tasks import Depth
from meadhall.lab.output import check_form

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


def variants_from(
    subject: Game, options: Mapping[str, str], vary: Sequence[str], compare: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return the variants: the values of an option, or documents, each with the other options. Raises typer.BadParameter."""
    if vary and compare:
        raise typer.BadParameter(_("Vary an option or compare documents, not both."))
    base = subject.read_options(options)
    if vary:
        return values_of(subject, vary, base)
    if compare:
        document = next((option for option in subject.options if isinstance(option, Document)), None)
        if document is None:
            raise typer.BadParameter(_("{game} has no components to compare.").format(game=subject.title))
        return {
            Path(each).stem: base if each == BUILT_IN else subject.read_options({**options, document.name: each})
            for each in compare
        }
    return {BUILT_IN: base}


def run_balance(
    name: str,
    players: tuple[int, ...] | None,
    bots: Sequence[str],
    options: Mapping[str, str],
    vary: Sequence[str],
    compare: Sequence[str],
    without: Sequence[str],
    precision: float,
    depth: Depth,
    seconds: float | None,
    games: int | None,
    seed: str | None,
    as_json: bool,
    out: Sequence[Path],
    cluster: str | None,
    limit: int | None,
) -> int:
    """Measure with a progress bar on stderr, print the report, and write it to files."""
    subject = game(name)
    for file in out:
        check_form(file, Balance.forms)
    with progress_bar() as progress, quiet_stdout():
        task = progress.add_task(subject.title, total=100)
        report = balance(
            subject,
            players,
            variants_from(subject, options, vary, compare),
            bots or None,
            precision,
            seed,
            without=without,
            depth=depth,
            seconds=seconds,
            games=games,
            progress=lambda done: progress.update(task, completed=int(100 * done)),
            cluster=cluster,
            limit=limit or LIMIT,
        )
    if as_json:
        print(report.to_json())
    else:
        console().print(report)
    for file in out:
        report.write(file)
    return INTERRUPTED if report.ended == "interrupted" else 0
