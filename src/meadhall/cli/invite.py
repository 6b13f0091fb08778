"""``meadhall invite``: links that admit people to a hall for invited guests."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from meadhall.cli.people import address
from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.server.host_commands import carry_out
from meadhall.server.ops.time import Time
from meadhall.server.settings import INVITED, Settings
from meadhall.server.store import links
from meadhall.server.store.files import snapshot
from meadhall.server.store.links import AdmissionLink


def create(settings: Settings, uses: int, days: int, note: str) -> None:
    """Make a link and print it. ``uses`` and ``days``: 0 for no limit. Raises StoreUnusable."""
    at = Time().now()
    token, made = AdmissionLink.new(at, note[:100], uses or None, at + timedelta(days=days) if days else None)
    carry_out(settings, "invite", link=msgspec.to_builtins(made))
    print(f"{address(settings)}/admission/{token}")
    print(_in_words(made))
    if settings.admission != INVITED:
        print(_("This hall needs no invitations now. Start it with MEADHALL_ADMISSION=invited."))


def show(settings: Settings) -> None:
    """Print all links without their addresses, which only their makers know."""
    with snapshot(settings.database) as db:
        found = links.admissions(db)
    for each in found:
        print(_in_words(each))
    if not found:
        print(_("There are no invitations."))


def revoke(settings: Settings, id: str) -> None:
    """Withdraw a link. Whom it has admitted may stay. Raises BadSetup."""
    if not carry_out(settings, "revoke", id=id):
        raise BadSetup(_("There is no invitation {id}; `meadhall invite list` shows them.").format(id=id))
    print(_("The invitation {id} is withdrawn.").format(id=id))


def _in_words(link: AdmissionLink) -> str:
    used = _("{used} of {uses} used").format(used=link.used, uses=link.uses if link.uses is not None else "∞")
    until = (
        _("no time limit") if link.expires_at is None else _("until {day}").format(day=f"{link.expires_at:%Y-%m-%d %H:%M} UTC")
    )
    state = "" if link.is_valid(Time().now()) else "  " + _("no longer valid")
    return f"{link.id}  {used}, {until}{state}  {link.note}".rstrip()
