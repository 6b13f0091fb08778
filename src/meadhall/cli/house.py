"""``meadhall host``: the switches of a hall, its announcement and its maintenance, also while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from meadhall.cli.console import DATA
from meadhall.cli.hall_data import chosen_settings
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked
from meadhall.server.hall.switches import SWITCHES
from meadhall.server.host_commands import carry_out
from meadhall.server.store import switches
from meadhall.server.store.files import snapshot

TIME = marked("When it ends: 21:00, the next one, or 2026-11-28T21:00, in the time zone of this machine.")


def switch(
    name: Annotated[str, typer.Argument(help=_("The switch or quota; without one all are shown."))] = "",
    value: Annotated[str, typer.Argument(help=_("on, off, accounts (only for people with an account), or a number."))] = "",
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Set a switch, or print all. Raises BadSetup, StoreUnusable."""
    if name:
        print(carry_out(chosen_settings(data), "switch", values={name.replace("-", "_"): value}))
        return
    with snapshot(chosen_settings(data).database) as db:
        found = switches.read(db)
    for known, about in SWITCHES.items():
        print(f"{known:18} {found.get(known, about.usual):9} {_(about.title)}")


def announce_line(
    text: Annotated[str, typer.Argument(help=_("One line; '' ends the last announcement. Whole addresses become links."))],
    until: Annotated[str, typer.Option(help=_(TIME))] = "",
    german: Annotated[str, typer.Option(help=_("The same in German, for those who read German."))] = "",
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Tell something on all pages until a time. Raises BadSetup, StoreUnusable."""
    print(carry_out(chosen_settings(data), "announce", text=text, german=german, until=until))


def plan(
    begins: Annotated[str, typer.Argument(help=_("When it begins: now, or as for --until; 'off': none, or it ends now."))],
    until: Annotated[str, typer.Option(help=_(TIME))] = "",
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Plan a maintenance, in which no match begins and no clock runs. Raises BadSetup, StoreUnusable."""
    print(carry_out(chosen_settings(data), "maintenance", begins="" if begins == "off" else begins, until=until))
