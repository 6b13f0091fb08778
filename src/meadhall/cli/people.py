"""``meadhall people``: the people of a hall; rename and shut out people, and let a person in who has lost their account."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from meadhall.cli.arguments import DATA
from meadhall.cli.console import complain
from meadhall.cli.hall_data import chosen_settings
from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import grouped, marked, ngettext
from meadhall.server.hall.people.names import clean_name
from meadhall.server.host_commands import carry_out
from meadhall.server.settings import ACCOUNTS, INVITED, OPEN, Settings
from meadhall.server.store.hashed_link import VALID_FOR
from meadhall.server.store.maintenance import snapshot
from meadhall.server.store.queries import hosting

PERSON_ID = marked("The person's id; `meadhall people list` shows it, and the address of a profile ends with it.")


def show(
    name: Annotated[str, typer.Option(help=_("Only people whose name contains this text."))] = "",
    most: Annotated[int, typer.Option(help=_("How many at most."), min=1)] = 100,
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Print people whose names contain a text, the newest first."""
    with snapshot(chosen_settings(data).database) as connection:
        found = hosting.people(connection, name, most + 1)
    for person in found[:most]:
        kind = _("closed") if person.is_closed else _("account") if person.has_account else _("guest")
        tables = ngettext("{count} table", "{count} tables", person.tables).format(count=grouped(person.tables))
        print(f"{person.public_id}  {person.created_at:%Y-%m-%d}  {kind:8} {tables:>12}  {person.name}")
    if len(found) > most:
        complain(_("There are more people; these are the last {count}.").format(count=grouped(most)))
    if not found:
        print(_("There are no such people."))


def rename(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    name: Annotated[str, typer.Argument(help=_("The new name."))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Give a person another name, also at their seats and in their lines of chat. Raises BadSetup, NameTaken."""
    cleaned = clean_name(name)
    if not cleaned:
        raise BadSetup(_("Give a name with at least one letter."))

    carry_out(chosen_settings(data), "rename", person=person, name=cleaned)
    print(_("{id} is now called {name}.").format(id=person, name=cleaned))


def close(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    revoke: Annotated[bool, typer.Option("--revoke", help=_("Also withdraw the invitation that has admitted them."))] = False,
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Shut a person out: signed out everywhere, off the tables that are not over. Raises BadSetup."""
    settings = chosen_settings(data)
    name, revoked = carry_out(settings, "close", person=person, revokes=revoke)
    print(_("{name} is shut out and signed out everywhere. Undo it with: meadhall people open {id}").format(name=name, id=person))
    if revoked is not None:
        print(_("The invitation {id} is withdrawn.").format(id=revoked))
    elif revoke:
        print(_("No invitation that still exists has admitted them."))
    if settings.admission == OPEN:
        print(_("In an open hall they can come back as a new guest. Against that choose MEADHALL_ADMISSION=invited or accounts."))
    elif settings.admission == INVITED and not revoke:
        print(_("With an invitation that isn't used up they can come back as a new guest; --revoke withdraws the one they had."))
    elif settings.admission == ACCOUNTS:
        print(_("They can come back with a new account. Against that choose MEADHALL_ADMISSION=invited."))


def reopen(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Admit a person again after they were shut out. Raises BadSetup."""
    print(_("{name} may come in again.").format(name=carry_out(chosen_settings(data), "open", person=person)))


def link(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Print a link that signs a person in once, if they have lost their account. Raises BadSetup."""
    settings = chosen_settings(data)
    print(f"{address(settings)}/identity/{carry_out(settings, 'link', person=person)}")
    minutes = int(VALID_FOR.total_seconds() // 60)
    print(_("The link works once, for {minutes} minutes. It leads to a page for a new password.").format(minutes=minutes))


def address(settings: Settings) -> str:
    """Return the address at which people reach the hall, without a slash at its end. Say so if only this machine can."""
    url = settings.url_for_others
    if not url and settings.socket is None:
        complain(_("Only this machine can open this link. To let others in, start the hall with: meadhall serve --lan"))
    return url or settings.url_here
