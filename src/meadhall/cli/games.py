"""``meadhall games``, ``warm``, ``document`` and ``print``: list the games, compile their rules, write their values or pieces."""

from __future__ import annotations

import time
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from meadhall.bots import RANKS
from meadhall.cli.console import console, name_and_value, print_table, progress_bar
from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup, MeadhallError, how_to_install
from meadhall.engine.options import Document
from meadhall.engine.registry import game, game as find_game, game_names
from meadhall.engine.text.language import decimal, gettext as _, ngettext
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
        with progress_bar(subject.title, None) as show:
            warm([subject.name], lambda done, steps, show=show: show(completed=done, total=steps))  # type: ignore[misc]
        seconds = time.perf_counter() - began
        print(_("{game}: ready after {seconds} s").format(game=subject.title, seconds=decimal(seconds, 1)))


def write_document(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))],
    file: Annotated[Path, typer.Argument(help=_("The file to write; - for the terminal."), dir_okay=False)],
    name: Annotated[str | None, typer.Option(help=_("The option whose document is written, if there are several."))] = None,
) -> None:
    """Write a built-in document with its comments. A file that is there is kept.

    Raises:
        BadSetup: the game has no such document, or the file is there.
    """
    subject = find_game(game)
    documents = {option.name: option for option in subject.options if isinstance(option, Document)}
    option = documents.get(name or next(iter(documents), ""))
    if option is None:
        known = ", ".join(documents) or _("none")
        raise BadSetup(_("{game} has no such document; it has: {known}").format(game=subject.title, known=known))
    if str(file) == "-":
        print(option.file.read_text("utf-8"), end="")
        return
    if file.exists():
        raise BadSetup(_("{file} is there already").format(file=file))
    file.write_bytes(option.file.read_bytes())
    console().print(
        _("{file}: change it, then play or measure it with --option {name}={file}").format(file=file, name=option.name)
    )


def print_game(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))],
    players: Annotated[int | None, typer.Option(help=_("Number of players; by default the most that can play."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    paper: Annotated[str, typer.Option(help=_("The paper: a4 or letter."))] = "a4",
    out: Annotated[Path | None, typer.Option(help=_("The file to write; by default GAME.pdf."), dir_okay=False)] = None,
) -> None:
    """Write the PDF, and print how many pieces it has.

    Raises:
        BadSetup: the game can't be set up with these options and players, or there is no such paper.
        MeadhallError: a package is missing.
    """
    subject = find_game(game)
    most, wanted = subject.max_players if players is None else players, subject.read_options(name_and_value(option))
    count, chosen = subject.check_setup(most, wanted)
    for module in ("jinja2", "resvg_py", "typst"):
        if find_spec(module) is None:
            raise MeadhallError(
                _("printing needs {module}, which is not installed: {command}").format(
                    module=module, command=how_to_install("print")
                )
            )
    from meadhall.pictures.print.document import game_pdf  # noqa: PLC0415 - it loads the packages above
    from meadhall.pictures.print.sheets import PAPERS, printed_pieces  # noqa: PLC0415

    if paper not in PAPERS:
        raise BadSetup(_("the paper must be a4 or letter, not {given}").format(given=quoted(paper)))
    file = out or Path(f"{subject.name}.pdf")
    edition = subject.edition_for(chosen)
    pieces = printed_pieces(edition, chosen, count)
    file.write_bytes(game_pdf(edition, chosen, count, PAPERS[paper], pieces))
    total = sum(piece.count for piece in pieces)
    if pieces:
        told = ngettext("{file}: the rulebook and {count} piece", "{file}: the rulebook and {count} pieces", total)
    else:
        told = _("{file}: the rulebook; this game declares no pieces to print")
    console().print(told.format(file=file, count=total))
