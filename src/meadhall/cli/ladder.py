"""``meadhall ladder``: compute the levels of the ladder anew, and take mistaken results out of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from meadhall.cli.console import DATA
from meadhall.cli.hall_data import chosen_settings
from meadhall.engine.registry import game as game_named
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import grouped, marked, ngettext
from meadhall.server.host_commands import carry_out

TABLE = marked("The id of the table; its address ends with it.")


def recompute_ladder(
    game: Annotated[str, typer.Option(help=_("Only the ladder of this game."))] = "",
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Compute all levels anew from the matches of the ladder. Raises UnknownGame, StoreUnusable."""
    count: int = carry_out(chosen_settings(data), "ladder-recompute", game=game and game_named(game).name)
    words = ngettext("Levels computed from {count} match.", "Levels computed from {count} matches.", count)
    print(words.format(count=grouped(count)))


def exclude_match(
    table: Annotated[str, typer.Argument(help=_(TABLE))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Take a match out of the ladder, and compute the levels of its game anew. Raises BadSetup, StoreUnusable."""
    carry_out(chosen_settings(data), "ladder-exclude", table=table)
    print(_("The match no longer counts. Undo it with: meadhall ladder include {id}").format(id=table))


def include_match(
    table: Annotated[str, typer.Argument(help=_(TABLE))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Let a match count again that was taken out of the ladder. Raises BadSetup, StoreUnusable."""
    carry_out(chosen_settings(data), "ladder-include", table=table)
    print(_("The match counts again."))
