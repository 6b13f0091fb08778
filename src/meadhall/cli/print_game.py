"""``meadhall print``: write the rulebook and the pieces of a game to a PDF."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from meadhall.cli.console import console
from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup, MeadhallError, how_to_install
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import ngettext


class NoPrinter(MeadhallError):
    """A package that printing needs is not installed."""


def print_game(name: str, players: int | None, options: dict[str, str], paper: str, out: Path | None) -> None:
    """Write the PDF, and print how many pieces it has. ``options`` are texts from the command line.

    Raises:
        BadSetup: the game can't be set up with these options and players, or there is no such paper.
        NoPrinter: a package is missing.
    """
    subject = game(name)
    count, chosen = subject.check_setup(subject.max_players if players is None else players, subject.read_options(options))
    for module in ("jinja2", "resvg_py", "typst"):
        if find_spec(module) is None:
            raise NoPrinter(
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
