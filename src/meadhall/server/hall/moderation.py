"""Order among strangers: reports of people, and the deeds of helpers and hosts of a hall."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _, marked, speaking
from meadhall.server.errors import NotForYou, NotFound, TooMany
from meadhall.server.hall.chat import PHRASES, clean_text
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.people.accounts import former_player
from meadhall.server.hall.people.acquaintances import hears
from meadhall.server.hall.people.names import GIVEN, any_name, unlike_others
from meadhall.server.hall.talk import audiences_of
from meadhall.server.store import accounts, cases, guests, personal_data, sessions, tables, talk
from meadhall.server.store.cases import Case
from meadhall.server.store.database import Db
from meadhall.server.store.host_log import Done
from meadhall.server.store.models import FOR_GOOD, UNTIMED, Guest
from meadhall.server.store.talk import LineFilter

REASONS: Final = {
    "insult": marked("Insult or hate"),
    "sexual": marked("Sexual"),
    "spam": marked("Spam or advertising"),
    "cheating": marked("Cheats or spoils the match: stalls, leaves, plays for another seat"),
    "other": marked("Something else"),
}
"""Why something is reported, by the key that is stored."""

DEEDS: Final = {
    "hide": marked("line deleted"),
    "rename": marked("renamed"),
    "mute": marked("muted for a day"),
    "week": marked("shut out for a week"),
    "good": marked("shut out for good"),
    "dismiss": marked("dismissed"),
}
"""What can be done in a case, by the key that is stored."""

LONGEST: Final = 300
"""Characters of a reporter's words, and of the reason of a helper."""


async def reported(hall: Hall, guest: Guest, of: str, kind: str = "conduct") -> Case:
    """Return what a guest wants to report, as ``cases.report`` takes it.

    Args:
        hall: the hall.
        guest: the guest.
        of: ``line:`` and the id of a line, ``seat:`` and the id of a table and the number of a seat, separated by a colon, or
            ``person:`` and a public id.
        kind: of a person, the ``name`` (with the crest) or the ``conduct``.

    Raises:
        NotFound: there is no such thing, or the guest doesn't see it, or it is about the guest.
    """
    person: Guest | None = None
    table: str | None = None
    subject = evidence = ""
    match of.split(":"):
        case ["seat", table, seat]:
            owners = next((each.guests for each in (await hall.room(table)).table.seats if str(each.seat) == seat), frozenset())
            person = hall.store.transact(guests.find, min(owners)) if owners - {guest.id} == owners != frozenset() else None
        case ["person", id]:
            found = hall.store.transact(guests.find_public, id)
            person = found if found is not None and hall.acquaintances.knows(guest, found) else None
        case ["line", id]:
            for table, line in hall.store.transact(talk.find_lines, LineFilter(ids=[id]), 1):
                audiences, ignored = audiences_of((await hall.room(table)).table, guest), hall.talk.ignoring.of(guest.id)
                is_heard = line.audience in audiences and hears(ignored, line) and not line.is_deleted
                person = hall.store.transact(guests.find, line.guest) if is_heard else None
                subject, evidence = id, line.text if line.phrase is None else PHRASES.get(line.phrase, line.phrase)
    if person is None or person.id == guest.id:
        raise NotFound(_("There is no such person or line here, or it is yours."))
    if subject:
        kind = "line"
    elif kind == "name":
        subject, evidence = f"{person.public_id} {person.name}", f"{person.name} ({person.crest.text})"
    else:
        kind, subject = "conduct", f"{person.public_id} {table or ''}"
    return {"kind": kind, "subject": subject, "evidence": evidence, "person": person.id, "name": person.name, "table_id": table}


def report(hall: Hall, guest: Guest, case: Case, reason: str, words: str) -> None:
    """Report something. Raises BadSetup without a reason, TooMany after many reports in a day."""
    if reason not in REASONS:
        raise BadSetup(_("Choose a reason."))
    guest = guest if guest.is_stored else hall.store.save_guest(guest)
    if hall.store.transact(cases.count_reports, guest.id, timedelta(days=1)) >= hall.switches.quota("cases_in_day"):
        raise TooMany(_("You have reported a lot today. The helpers look at that first."))
    address = hall.admission.hash_of(hall.admission.addresses.get(case["person"], ""))
    hall.store.transact(cases.report, case, address or None, guest.id, reason, clean_text(words)[:LONGEST])


# ------------------------------------------------------------------------------------------------- deeds of hosts and helpers


def decide(db: Db, case: str, deed: str, reason: str = "", as_host: bool = True) -> Done:
    """Do something in a case, and close it. The person reads the reason, and the reporters that something was done.

    Without a reason the person reads the one that most reporters have chosen.

    Raises:
        NotFound: there is no such case.
        BadSetup: there is no such deed, or not in such a case.
        NotForYou: only a host may shut out for good, or decide about someone with a role.
    """
    for found in cases.find(db, cases.ONE, case):
        person = guests.find(db, found["person"])
        assert person is not None  # with a person their cases are deleted
        if not as_host and deed != "dismiss" and (deed == "good" or person.role):
            raise NotForYou(_("Only a host of the hall can do that."))
        usual = cases.usual_reason(db, case)
        if not reason and usual != "other":
            with speaking(person.language):
                reason = _(REASONS[usual])
        match deed:
            case "hide" if found["kind"] == "line":
                done = Done(chats=talk.erase_lines(db, LineFilter(ids=[found["subject"]]))[1])
            case "rename":
                done = rename(db, person, "", reason)
            case "mute":
                done = mute(db, person, 1, reason)
            case "week" | "good":
                done = shut_out(db, person, 7 if deed == "week" else 0, reason, found["address"])
            case "dismiss":
                done = Done()
            case _:
                raise BadSetup(_("That can't be done in this case."))
        reporters = cases.decide(db, found, deed)
        for reporter in reporters:
            guests.tell(db, reporter, "unfounded" if deed == "dismiss" else "acted")
        return replace(done, guests=[person.id, *reporters], subject=f"{person.public_id} case {case}")
    raise NotFound(_("There is no case {id}.").format(id=case))


def treat(db: Db, person: Guest, deed: str, as_host: bool = True) -> Done:
    """Let someone who waits in (``admit``) or ``refuse`` them for a week; or let someone in again (``open``),
    ``unmute`` or ``delete`` them.

    Raises NotForYou for the last three, which are for hosts, BadSetup for another deed, and for someone who doesn't wait.
    """
    if deed in ("open", "unmute", "delete") and not as_host:
        raise NotForYou(_("Only a host of the hall can do that."))
    match deed:
        case "delete":
            changed = personal_data.delete_guest(db, person.id, former_player(person.language))
            return Done(person.name, changed, [person.id], subject=person.public_id)
        case "open":
            guests.let_in_again(db, person.id)
        case "unmute":
            guests.change(db, person.id, muted_until=None)
        case "admit" | "refuse" if person.asks is not None:
            guests.change(db, person.id, asks=None)
        case _:
            raise BadSetup(_("{name} doesn't wait.").format(name=person.name))
    return shut_out(db, person, 7) if deed == "refuse" else Done(person.name, guests=[person.id], subject=person.public_id)


def shut_out(db: Db, person: Guest, days: int, reason: str = "", address: str | None = None) -> Done:
    """Shut a person out for some days, sign them out everywhere, and take them off the tables that are not over.

    It never ends a longer closing.

    Args:
        db: the transaction.
        person: the person.
        days: for how many days; 0: for good.
        reason: why; they read it.
        address: the hash of their network address, if it is known: new guests from there have to wait.
    """
    until = max(db.now() + timedelta(days=days) if days else FOR_GOOD, person.closed_until or UNTIMED)
    guests.change(db, person.id, closed_at=db.now(), closed_until=None if until == FOR_GOOD else until, reason=reason)
    if address is not None:
        guests.hold_address(db, person.id, address)
    sessions.end_all(db, person.id)
    unfinished = tables.unfinished_of(db, person.id)
    for table in unfinished:
        tables.save(db, tables.without_seats(table, person.id, db.now()))
    return Done(person.name, [each.id for each in unfinished], [person.id], subject=person.public_id, shut_out=person.id)


def mute(db: Db, person: Guest, days: int, reason: str) -> Done:
    """Let a person write nothing for some days. It never ends a longer mute."""
    guests.change(db, person.id, muted_until=max(db.now() + timedelta(days=days), person.muted_until or UNTIMED), reason=reason)
    guests.tell(db, person.id, "muted")
    return Done(person.name, guests=[person.id], subject=person.public_id)


def rename(db: Db, person: Guest, name: str, reason: str = "") -> Done:
    """Give a person a name; without one a neutral name, and the crest of a new guest. Raises NameTaken."""
    crest = person.chosen_crest if name else ""
    name = name or any_name(accounts.owned_of(db, GIVEN))
    guests.change(db, person.id, reason=reason)
    guests.tell(db, person.id, "renamed")
    changed = guests.rename(db, replace(person, chosen_crest=crest), name, unlike_others)
    return Done(person.name, changed, [person.id], subject=person.public_id)
