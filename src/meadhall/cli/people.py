"""``meadhall people``, ``invite``, ``chat``, ``evening``, ``ladder`` and ``host``: what the host of a hall looks after."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from meadhall.cli.console import DATA, complain
from meadhall.cli.hall_data import chosen_settings
from meadhall.engine.errors import BadSetup
from meadhall.engine.registry import game as game_named
from meadhall.engine.text.language import gettext as _, grouped, marked, ngettext
from meadhall.server.hall.chat import in_words
from meadhall.server.hall.house import SWITCHES
from meadhall.server.hall.people.names import clean_name
from meadhall.server.host_commands import carry_out, person_of
from meadhall.server.ops.time import Time
from meadhall.server.settings import ACCOUNTS, INVITED, OPEN, Settings
from meadhall.server.store import cases, evenings, guests, host_log, links, switches, talk
from meadhall.server.store.database import Db
from meadhall.server.store.files import snapshot
from meadhall.server.store.links import VALID_FOR, AdmissionLink
from meadhall.server.store.talk import ChatLine

PERSON_ID = marked("The person's id; `meadhall people list` shows it, and the address of a profile ends with it.")
TABLE_ID = marked("The id of the table; its address ends with it.")

REASON = marked("Why; the person reads it.")

TIME = marked("When it ends: 21:00, the next one, or 2026-11-28T21:00, in the time zone of this machine.")


def list_people(
    name: Annotated[str, typer.Option(help=_("Only people whose name contains this text."))] = "",
    most: Annotated[int, typer.Option(help=_("How many at most."), min=1)] = 100,
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Print people whose names contain a text, the newest first."""
    with snapshot(chosen_settings(data).database) as db:
        found = guests.named_like(db, name, most + 1)
    for person in found[:most]:
        usual = _("account") if person["has_account"] else _("guest")
        kind = _("closed") if person["is_closed"] else person["role"] or usual
        tables = ngettext("{count} table", "{count} tables", person["tables"]).format(count=grouped(person["tables"]))
        print(f"{person['public_id']}  {person['created_at'][:10]}  {kind:8} {tables:>12}  {person['name']}")
    if len(found) > most:
        complain(_("There are more people; these are the last {count}.").format(count=grouped(most)))
    if not found:
        print(_("There are no such people."))


def rename_person(
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


def close_person(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    revoke: Annotated[bool, typer.Option("--revoke", help=_("Also withdraw the invitation that has admitted them."))] = False,
    days: Annotated[int, typer.Option(help=_("For how many days; 0: for good."), min=0, max=36500)] = 0,
    reason: Annotated[str, typer.Option(help=_(REASON))] = "",
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Shut a person out: signed out everywhere, off the tables that are not over. Raises BadSetup."""
    settings = chosen_settings(data)
    name, revoked = carry_out(settings, "close", person=person, revokes=revoke, days=days, reason=reason[:300])
    print(_("{name} is shut out and signed out everywhere. Undo it with: meadhall people open {id}").format(name=name, id=person))
    if revoked is not None:
        print(_("The invitation {id} is withdrawn.").format(id=revoked))
    elif revoke:
        print(_("No invitation that still exists has admitted them."))
    if settings.admission == OPEN:
        with snapshot(settings.database) as db:
            is_held = guests.holds_address(db, person)
        waits = _("They can come back as a new guest, but from the same network only when a helper admits them.")
        comes = _("The hall doesn't know their network address now, so new guests from there come in without a helper.")
        print(waits if is_held else comes)
    elif settings.admission == INVITED and not revoke:
        print(_("With an invitation that isn't used up they can come back as a new guest; --revoke withdraws the one they had."))
    elif settings.admission == ACCOUNTS:
        print(_("They can come back with a new account. Against that choose MEADHALL_ADMISSION=invited."))


def mute_person(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    days: Annotated[int, typer.Option(help=_("For how many days."), min=1, max=36500)] = 1,
    reason: Annotated[str, typer.Option(help=_(REASON))] = "",
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Let a person write in no chat for some days. Raises BadSetup."""
    name = carry_out(chosen_settings(data), "mute", person=person, days=days, reason=reason[:300])
    print(_("{name} is muted. Undo it with: meadhall people unmute {id}").format(name=name, id=person))


def free_person(
    context: typer.Context,
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Let a muted person write again, let a waiting guest in, or end a closing. The name of the command says which.

    Raises BadSetup, NotFound.
    """
    words = {
        "unmute": _("{name} may write again."),
        "admit": _("{name} may come in."),
        "open": _("{name} may come in again."),
    }
    deed = str(context.info_name)
    print(words[deed].format(name=carry_out(chosen_settings(data), deed, person=person)))


def list_cases(
    context: typer.Context,
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Print the cases that wait for a decision, the first ones first. Raises StoreUnusable."""
    if context.invoked_subcommand is not None:
        return
    with snapshot(chosen_settings(data).database) as db:
        found = [cases.with_context(db, case) for case in cases.find(db, cases.WAITING, most=MOST)]
    for case in found:
        reasons = ", ".join(row["reason"] for row in case["reports"])
        print(f"{case['id']}  {case['created_at']:%Y-%m-%d %H:%M}  {case['accused'].public_id}  {reasons}", end="\n    ")
        print(f"{case['name']}: {case['evidence'] or case['kind']}")
    if not found:
        print(_("No case waits."))


def decide_case(
    case: Annotated[str, typer.Argument(help=_("The id of the case; `meadhall cases` shows it."))],
    deed: Annotated[str, typer.Argument(help=_("hide the line, mute for a day, week or good (shut out), rename, or dismiss."))],
    reason: Annotated[str, typer.Option(help=_(REASON))] = "",
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Do something in a case, and close it. Raises BadSetup, NotFound."""
    carry_out(chosen_settings(data), "decide", case=case, deed=deed, reason=reason[:300])
    print(_("The case {id} is closed.").format(id=case))


def link_to_person(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Print a link that signs a person in once, if they have lost their account. Raises BadSetup."""
    settings = chosen_settings(data)
    print(f"{address(settings)}/identity/{carry_out(settings, 'link', person=person)}")
    minutes = int(VALID_FOR.total_seconds() // 60)
    print(_("The link works once, for {minutes} minutes. It leads to a page for a new password.").format(minutes=minutes))


def give_role(
    person: Annotated[str, typer.Argument(help=_("The name of an account, or the person's id."))],
    role: Annotated[str, typer.Argument(help=_("helper: sees cases and decides them; host: may do everything; none."))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Give the owner of an account a role, or take it away. Raises BadSetup."""
    words = {
        "helper": _("{name} is a helper of the hall."),
        "host": _("{name} is a host of the hall."),
        "none": _("{name} has no role."),
    }
    if role not in words:
        raise BadSetup(_("A role is helper, host or none, not {role}.").format(role=role))
    print(words[role].format(name=carry_out(chosen_settings(data), "role", person=person, role=role.removeprefix("none"))))


def delete_person(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    yes: Annotated[bool, typer.Option("--yes", help=_("Don't ask."))] = False,
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Delete a person and all that is theirs alone. Raises BadSetup, NotFound, typer.Abort without a yes."""
    settings = chosen_settings(data)
    with snapshot(settings.database) as db:
        name = person_of(db, person).name
    if not yes:
        words = _("Delete {name} for good? Their matches stay, with the name “former player”.")
        typer.confirm(words.format(name=name), abort=True)
    print(_("{name} is deleted.").format(name=carry_out(settings, "delete", person=person)))


def list_evenings(
    most: Annotated[int, typer.Option(help=_("How many at most."), min=1)] = 20,
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Print the evenings that were opened last."""
    with snapshot(chosen_settings(data).database) as db:
        found = [(each, len(evenings.people_of(db, each.id)[0])) for each in evenings.newest(db, most)]
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


def recompute_ladder(
    game: Annotated[str, typer.Option(help=_("Only the ladder of this game."))] = "",
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Compute all levels anew from the matches of the ladder. Raises UnknownGame, StoreUnusable."""
    count: int = carry_out(chosen_settings(data), "ladder-recompute", game=game and game_named(game).name)
    words = ngettext("Levels computed from {count} match.", "Levels computed from {count} matches.", count)
    print(words.format(count=grouped(count)))


def count_match(
    context: typer.Context,
    table: Annotated[str, typer.Argument(help=_(TABLE_ID))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Take a match out of the ladder and compute the levels of its game anew, or let it count again: the command says which.

    Raises BadSetup, StoreUnusable.
    """
    words = {
        "exclude": _("The match no longer counts. Undo it with: meadhall ladder include {id}"),
        "include": _("The match counts again."),
    }
    carry_out(chosen_settings(data), f"ladder-{context.info_name}", table=table)
    print(words[str(context.info_name)].format(id=table))


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


def print_log(data: Annotated[Path | None, typer.Option(help=_(DATA))] = None) -> None:
    """Print as CSV what hosts and helpers have done, the first line first."""
    with snapshot(chosen_settings(data).database) as db:
        print(host_log.as_file(db), end="")


def address(settings: Settings) -> str:
    """Return the address at which people reach the hall, without a slash at its end. Say so if only this machine can."""
    url = settings.url_for_others
    if not url and settings.socket is None:
        complain(_("Only this machine can open this link. To let others in, start the hall with: meadhall serve --lan"))
    return url or settings.url_here


def invite(
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
    print(_invitation_in_words(made))
    if settings.admission != INVITED:
        print(_("This hall needs no invitations now. Start it with MEADHALL_ADMISSION=invited."))


def list_invitations(
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Print all links without their addresses, which only their makers know."""
    with snapshot(chosen_settings(data).database) as db:
        found = links.admissions(db)
    for each in found:
        print(_invitation_in_words(each))
    if not found:
        print(_("There are no invitations."))


def revoke_invitation(
    id: Annotated[str, typer.Argument(help=_("The id of the invitation; `meadhall invite list` shows it."))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    """Withdraw a link. Whom it has admitted may stay. Raises BadSetup."""
    if not carry_out(chosen_settings(data), "revoke", id=id):
        raise BadSetup(_("There is no invitation {id}; `meadhall invite list` shows them.").format(id=id))
    print(_("The invitation {id} is withdrawn.").format(id=id))


def _invitation_in_words(link: AdmissionLink) -> str:
    used = _("{used} of {uses} used").format(used=link.used, uses=link.uses if link.uses is not None else "∞")
    until = (
        _("no time limit") if link.expires_at is None else _("until {day}").format(day=f"{link.expires_at:%Y-%m-%d %H:%M} UTC")
    )
    state = "" if link.is_valid(Time().now()) else "  " + _("no longer valid")
    return f"{link.id}  {used}, {until}{state}  {link.note}".rstrip()


TABLE = marked("Only lines of the table with this id; the address of a table ends with it.")
PERSON = marked("Only lines of the person with this id; the address of a profile ends with it.")
SINCE = marked("Only lines from this time on, e.g. 2026-11-26 or '2026-11-26 20:15:00'.")
UNTIL = marked("Only lines before this time.")

MOST = 1000
"""Lines that are shown at most: the last ones."""


def show_chat(
    table: Annotated[str | None, typer.Option(help=_(TABLE))] = None,
    person: Annotated[str | None, typer.Option(help=_(PERSON))] = None,
    since: Annotated[datetime | None, typer.Option(help=_(SINCE))] = None,
    until: Annotated[datetime | None, typer.Option(help=_(UNTIL))] = None,
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> None:
    """Print the lines of a table, a person and a time. Raises StoreUnusable."""
    with snapshot(chosen_settings(data).database) as db:
        lines = talk.find_lines(db, _filter(db, table, person, since, until, None), MOST + 1)
    for where, line in lines[-MOST:]:
        print(_line_in_words(where, line))
    if len(lines) > MOST:
        complain(_("There are more lines; these are the last {count}.").format(count=grouped(MOST)))
    if not lines:
        print(_("There are no such lines."))


def delete_chat(
    lines: Annotated[list[str] | None, typer.Argument(help=_("Ids of lines, as `meadhall chat show` prints them."))] = None,
    table: Annotated[str | None, typer.Option(help=_(TABLE))] = None,
    person: Annotated[str | None, typer.Option(help=_(PERSON))] = None,
    since: Annotated[datetime | None, typer.Option(help=_(SINCE))] = None,
    until: Annotated[datetime | None, typer.Option(help=_(UNTIL))] = None,
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> int:
    """Delete lines, while the hall runs or not. Returns the exit status: 1 if there are none. Raises StoreUnusable, BadSetup."""
    settings = chosen_settings(data)
    if not lines and all(each is None for each in (table, person, since, until)):
        raise BadSetup(_("Say which lines: their ids, or --table, --person, --since or --until."))
    with snapshot(settings.database) as db:
        chosen = _filter(db, table, person, since, until, lines or None)
    count: int = carry_out(settings, "erase", lines=msgspec.to_builtins(chosen))
    print(ngettext("{count} line deleted", "{count} lines deleted", count).format(count=grouped(count)))
    return 0 if count else 1


def _filter(
    db: Db,
    table: str | None,
    person: str | None,
    since: datetime | None,
    until: datetime | None,
    ids: list[str] | None,
) -> talk.LineFilter:
    """Return the filter. ``person``: the public id of a person. Times were typed in the local time zone. Raises BadSetup."""
    guest = None if person is None else person_of(db, person).id
    first, end = (each and each.astimezone(UTC) for each in (since, until))
    return talk.LineFilter(table, guest, first, end, ids)


def _line_in_words(table: str, line: ChatLine) -> str:
    seat = _("spectator") if line.seat is None else _("seat {seat}").format(seat=line.seat + 1)
    words = _("[deleted]") if line.is_deleted else line.text if line.phrase is None else in_words(line.phrase)
    return f"{line.id}  {line.at:%Y-%m-%d %H:%M:%S} UTC  {table}  {line.name} ({seat}): {words}"
