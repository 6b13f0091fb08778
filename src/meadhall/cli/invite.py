"""``meadhall invite``: links that admit people to a hall for invited guests."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from meadhall.cli.arguments import DATA
from meadhall.cli.hall_data import chosen_settings
from meadhall.cli.people import address
from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.server.host_commands import carry_out
from meadhall.server.ops.time import Time
from meadhall.server.settings import INVITED
from meadhall.server.store.hashed_link import AdmissionLink
from meadhall.server.store.maintenance import snapshot
from meadhall.server.store.queries import admission_links


def create(
    context: typer.Context,
    uses: Annotated[int, typer.Option(help=_("How many people the link admits; 0 for any number."), min=0)] = 1,
    days: Annotated[int, typer.Option(help=_("For how many days; 0 for no limit."), min=0, max=36500)] = 7,
    note: Annotated[str, typer.Option(help=_("For whom it is; the guests see it, too."))] = "",
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Make a link and print it. ``uses`` and ``days``: 0 for no limit. Raises StoreUnusable."""
    if context.invoked_subcommand is not None:
        return
    settings, at = chosen_settings(data), Time().now()
    token, made = AdmissionLink.new(at, note[:100], uses or None, at + timedelta(days=days) if days else None)
    carry_out(settings, "invite", link=msgspec.to_builtins(made))
    print(f"{address(settings)}/admission/{token}")
    print(_in_words(made))
    if settings.admission != INVITED:
        print(_("This hall needs no invitations now. Start it with MEADHALL_ADMISSION=invited."))


def show(
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Print all links without their addresses, which only their makers know."""
    with snapshot(chosen_settings(data).database) as connection:
        found = admission_links.all_links(connection)
    for each in found:
        print(_in_words(each))
    if not found:
        print(_("There are no invitations."))


def revoke(
    id: Annotated[str, typer.Argument(help=_("The id of the invitation; `meadhall invite list` shows it."))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Withdraw a link. Whom it has admitted may stay. Raises BadSetup."""
    if not carry_out(chosen_settings(data), "revoke", id=id):
        raise BadSetup(_("There is no invitation {id}; `meadhall invite list` shows them.").format(id=id))
    print(_("The invitation {id} is withdrawn.").format(id=id))


def _in_words(link: AdmissionLink) -> str:
    used = _("{used} of {uses} used").format(used=link.used, uses=link.uses if link.uses is not None else "∞")
    until = (
        _("no time limit") if link.expires_at is None else _("until {day}").format(day=f"{link.expires_at:%Y-%m-%d %H:%M} UTC")
    )
    state = "" if link.is_valid(Time().now()) else "  " + _("no longer valid")
    return f"{link.id}  {used}, {until}{state}  {link.note}".rstrip()
