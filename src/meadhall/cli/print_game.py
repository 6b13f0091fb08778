"""``meadhall print``: write the rulebook and the pieces of a game to a PDF."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from meadhall.cli.arguments import name_and_value
from meadhall.cli.console import console
from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup, MeadhallError, how_to_install
from meadhall.engine.registry import game as find_game
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import ngettext


class NoPrinter(MeadhallError):
    """A package that printing needs is not installed."""


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
        NoPrinter: a package is missing.
    """
    subject = find_game(game)
    most, wanted = subject.max_players if players is None else players, subject.read_options(name_and_value(option))
    count, chosen = subject.check_setup(most, wanted)
    for module in ("jinja2", "resvg_py", "typst"):
        if find_spec(module) is None:
            raise NoPrinter(
                _("printing needs {module}, which is not installed: {command}").format(
                    module=module, command=how_to_install("print")
                )
            )
    from meadhall.pictures.print.document import game_pdf  # noqa: PLC0415 - it loads the packages above
    from meadhall.pictures.print.pieces import printed_pieces  # noqa: PLC0415
    from meadhall.pictures.print.sheets import PAPERS  # noqa: PLC0415

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
