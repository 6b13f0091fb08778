"""``meadhall evening``: the evenings of a hall."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from meadhall.cli.console import DATA
from meadhall.cli.hall_data import chosen_settings
from meadhall.engine.text.language import gettext as _, ngettext
from meadhall.server.host_commands import carry_out
from meadhall.server.store import evenings
from meadhall.server.store.files import snapshot


def list_evenings(
    most: Annotated[int, typer.Option(help=_("How many at most."), min=1)] = 20,
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Print the evenings that were opened last."""
    with snapshot(chosen_settings(data).database) as db:
        found = [(each, len(evenings.people_of(db, each.id))) for each in evenings.newest(db, most)]
    for each, count in found:
        state = _("open") if each.ended_at is None else _("ended")
        people = ngettext("{count} person", "{count} people", count).format(count=count)
        print(f"{each.id}  {each.created_at:%Y-%m-%d %H:%M}  {state:8} {people:>12}  {each.name}")
    if not found:
        print(_("There are no evenings."))


def end_evening(
    evening: Annotated[str, typer.Argument(help=_("The id of the evening; `meadhall evening list` shows it."))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """End an evening; the matches that still run end, too. Raises BadSetup, StoreUnusable."""
    name = carry_out(chosen_settings(data), "end-evening", id=evening)
    print(_("The evening “{name}” is over.").format(name=name))
