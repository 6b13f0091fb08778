"""``meadhall host``: the switches of a hall, its announcement and its maintenance, also while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from meadhall.cli.console import DATA
from meadhall.cli.hall_data import chosen_settings
from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.switches import ALL, value_of
from meadhall.server.host_commands import carry_out
from meadhall.server.store import switches
from meadhall.server.store.files import snapshot


def switch(
    name: Annotated[str, typer.Argument(help=_("The switch or quota; without one all are shown."))] = "",
    value: Annotated[str, typer.Argument(help=_("on, off, accounts (only for people with an account), or a number."))] = "",
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Print the switches, or set one. Raises BadSetup, StoreUnusable."""
    settings = chosen_settings(data)
    if value:
        print(carry_out(settings, "switch", name=name, value=value))
        return
    if name:
        raise BadSetup(_("Say the value, too: meadhall host switch {name} off").format(name=name))
    with snapshot(settings.database) as db:
        found = switches.read(db)
    for each, about in ALL.items():
        print(f"{each:18} {value_of(found, each):9} {_(about.title)}")
