"""Order among strangers: what people report, and what helpers and hosts of a hall decide."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked
from meadhall.server.errors import NotForYou, NotFound, TooMany
from meadhall.server.hall.chat import PHRASES, clean_text
from meadhall.server.hall.host_deeds import Done
from meadhall.server.hall.people.acquaintances import Acquaintances, hears
from meadhall.server.hall.people.links import Admission
from meadhall.server.hall.people.names import GIVEN, any_name, unlike_others
from meadhall.server.hall.room import Room
from meadhall.server.hall.talk import Talk, audiences_of
from meadhall.server.store import accounts, cases, guests, talk
from meadhall.server.store.cases import Subject
from meadhall.server.store.database import Db
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store
from meadhall.server.store.talk import ChatLine, LineFilter

REASONS: Final = {
    "insult": marked("Insult or hate"),
    "sexual": marked("Sexual"),
    "spam": marked("Spam or advertising"),
    "cheating": marked("Cheats or spoils the match: stalls, leaves, plays for another seat"),
    "other": marked("Something else"),
}
"""Why something is reported, by the key that is stored."""

DEEDS: Final = ("hide", "mute", "week", "good", "rename", "dismiss")
"""What can be done in a case: delete the line, mute for a day, shut out for a week or for good, give a neutral name, nothing."""

DAY, WEEK = timedelta(days=1), timedelta(days=7)

MOST_A_DAY: Final = 10
"""Reports of a person in a day that wait for a decision."""

LONGEST: Final = 300
"""Characters of a reporter's words, and of the reason of a helper."""

MOST_WAITING: Final = 100
"""New guests who wait for a helper at the same time."""


class Moderation:
    """Takes reports, and the requests of new guests who have to wait."""

    def __init__(self, store: Store, talk: Talk, acquaintances: Acquaintances, admission: Admission) -> None:
        self._store = store
        self._talk = talk
        self._acquaintances = acquaintances
        self._admission = admission

    def find_line(self, id: str) -> tuple[str, ChatLine]:
        """Return a line of chat, after the id of its table. Raises NotFound."""
        found = self._store.transact(talk.find_lines, LineFilter(ids=[id]), 1)
        if not found:
            raise NotFound(_("There is no such line."))
        return found[0]

    def line(self, room: Room, guest: Guest, line: ChatLine) -> Subject:
        """Return a line at a table, to report it. Raises NotFound if the guest doesn't hear it, or it is deleted."""
        author = self._store.transact(guests.find, line.guest)
        is_heard = line.audience in audiences_of(room.table, guest) and hears(self._talk.ignoring.of(guest.id), line)
        if author is None or line.is_deleted or not is_heard:
            raise NotFound(_("There is no such line."))
        words = line.text if line.phrase is None else PHRASES.get(line.phrase, line.phrase)
        return self._checked(Subject("line", line.id, author, words, room.table.id), guest)

    def at_table(self, room: Room, guest: Guest, seat: int, kind: str) -> Subject:
        """Return the person on a seat, to report their name or conduct. Raises NotFound."""
        owners = room.table.seats[seat].guests if 0 <= seat < len(room.table.seats) else frozenset()
        person = self._store.transact(guests.find, min(owners)) if owners else None
        if person is None or guest.id in owners:
            raise NotFound(_("There is no such person here."))
        return self._of_person(guest, person, kind, room.table.id)

    def known(self, guest: Guest, public_id: str, kind: str) -> Subject:
        """Return a person whom the guest knows, to report their name or conduct. Raises NotFound."""
        person = self._store.transact(guests.find_public, public_id)
        if person is None or not self._acquaintances.knows(guest, person):
            raise NotFound(_("There is no such person here."))
        return self._of_person(guest, person, kind, None)

    def _of_person(self, guest: Guest, person: Guest, kind: str, table: str | None) -> Subject:
        if kind == "name":
            subject = Subject(kind, f"{person.public_id} {person.name}", person, f"{person.name} ({person.crest.text})", table)
        else:
            subject = Subject("conduct", f"{person.public_id} {table or ''}", person, "", table)
        return self._checked(subject, guest)

    def _checked(self, subject: Subject, guest: Guest) -> Subject:
        if subject.person.id == guest.id:
            raise NotFound(_("You can't report yourself."))
        return subject

    def report(self, subject: Subject, guest: Guest, reason: str, words: str) -> None:
        """Report something. Raises BadSetup without a reason, TooMany after many reports in a day."""
        if reason not in REASONS:
            raise BadSetup(_("Choose a reason."))
        if not guest.is_stored:
            guest = self._store.save_guest(guest)
        address = self._admission.hash_of(subject.person.id)

        def store(db: Db) -> None:
            if cases.count_reports(db, guest.id, db.now() - DAY) >= MOST_A_DAY:
                raise TooMany(_("You have reported a lot today. The helpers look at that first."))
            cases.report(db, subject, address, guest.id, reason, clean_text(words)[:LONGEST])

        self._store.transact(store)

    def ask_in(self, guest: Guest, words: str) -> None:
        """Ask for a new guest who has to wait. Raises TooMany."""
        guest = self._store.save_guest(guest)

        def store(db: Db) -> None:
            if len(guests.waiting(db, MOST_WAITING)) >= MOST_WAITING:
                raise TooMany(_("Many new guests wait already. Try again later."))
            guests.ask_in(db, guest.id, clean_text(words)[:200])

        self._store.transact(store)


# ------------------------------------------------------------------------------------------------- deeds of hosts and helpers


def decide(db: Db, case: str, deed: str, reason: str = "", as_host: bool = True) -> Done:
    """Do something in a case, and close it. The person reads the reason, and the reporters that something was done.

    Raises:
        NotFound: there is no such case.
        BadSetup: there is no such deed, or not in such a case.
        NotForYou: only a host may shut out for good, or decide about someone with a role.
    """
    found = cases.find(db, case)
    person = None if found is None else guests.find(db, found.person)
    if found is None or person is None:
        raise NotFound(_("There is no case {id}.").format(id=case))
    if deed not in DEEDS or (deed == "hide" and found.kind != "line"):
        raise BadSetup(_("That can't be done in this case."))
    if not as_host and deed != "dismiss" and (deed == "good" or person.role):
        raise NotForYou(_("Only a host of the hall can do that."))
    done = Done()
    if deed == "hide":
        done = Done(chats=talk.erase_lines(db, LineFilter(ids=[found.subject]))[1])
    elif deed == "mute":
        mute(db, person, 1, reason)
    elif deed in ("week", "good"):
        done = shut_out(db, person, 7 if deed == "week" else 0, reason, found.address)
    elif deed == "rename":
        done = Done(tables=rename(db, person, reason=reason))
    reporters = cases.decide(db, found, deed)
    for reporter in reporters:
        guests.tell(db, reporter, "unfounded" if deed == "dismiss" else "acted")
    return replace(done, guests=[person.id, *reporters], subject=f"{person.public_id} case {found.id}")


def shut_out(db: Db, person: Guest, days: int, reason: str, address: str | None = None) -> Done:
    """Shut a person out for some days; 0: for good. ``address``: its hash, if it is known."""
    until = db.now() + timedelta(days=days) if days else None
    tables = guests.shut_out(db, person.id, until, reason, address)
    return Done(tables=tables, guests=[person.id], shut_out=person.id, subject=person.public_id)


def mute(db: Db, person: Guest, days: int, reason: str) -> Done:
    """Let a person write nothing for some days; 0: let them write again."""
    guests.mute(db, person.id, db.now() + timedelta(days=days) if days else None, reason)
    if days:
        guests.tell(db, person.id, "muted")
    return Done(person.name, guests=[person.id], subject=person.public_id)


def rename(db: Db, person: Guest, name: str = "", reason: str = "") -> list[str]:
    """Give a person a name, or without one a neutral name and the crest of a new guest. Return the ids of the changed tables.

    Raises NameTaken.
    """
    if not name:
        person = replace(person, chosen_crest="")
        name = any_name(accounts.owned_of(db, GIVEN))
    guests.tell(db, person.id, "renamed")
    guests.explain(db, person.id, reason)
    return guests.rename(db, person, name, unlike_others)


def undo(db: Db, person: Guest, deed: str) -> Done:
    """Let a person in again (``open``), or write again (``unmute``)."""
    if deed == "unmute":
        return mute(db, person, 0, "")
    guests.let_in_again(db, person.id)
    return Done(person.name, guests=[person.id], subject=person.public_id)


def answer_newcomer(db: Db, person: Guest, is_admitted: bool, reason: str = "") -> Done:
    """Admit a new guest who waits, or shut them out for a week."""
    if person.asks is None:
        raise NotFound(_("{name} doesn't wait.").format(name=person.name))
    guests.admit_newcomer(db, person.id)
    return Done(person.name, guests=[person.id], subject=person.public_id) if is_admitted else shut_out(db, person, 7, reason)
