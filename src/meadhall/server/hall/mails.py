"""Say when mails are sent, and to whom: about turns, to confirm an address, and to sign in again.

Each mail is a job, so it survives a restart. Links that confirm an address or end mails are signed, so each copy of a mail that
was tried twice has one that works.

About turns a person gets one mail while they are away. It waits for some minutes. If the person comes back meanwhile, or a push
service takes a message about a turn, no mail is sent. While a mail waits or after one was sent, the person counts as *absent*,
and the next request of theirs ends that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from itsdangerous import BadSignature, URLSafeSerializer

from meadhall.engine.text.language import gettext as _, ngettext, speak
from meadhall.server.errors import BadMailAddress, DatabaseUnavailable, NotFound, TooMany
from meadhall.server.hall.clocks import DAY, HOUR, MINUTE, time_in_words
from meadhall.server.hall.mail_service import Letter, send
from meadhall.server.hall.people.names import clean_name
from meadhall.server.hall.people.sign_in import OF_ADDRESS, key_of
from meadhall.server.hall.upkeep.scheduler import Scheduler
from meadhall.server.settings import MAIL_ADDRESS, Settings
from meadhall.server.store import accounts, guests, jobs, links, mail
from meadhall.server.store.accounts import Counter, Limit
from meadhall.server.store.database import Db
from meadhall.server.store.jobs import Job
from meadhall.server.store.links import IdentityLink
from meadhall.server.store.models import Guest, new_id
from meadhall.server.store.store import Store

_FORGOTTEN: Final = "mail-forgotten"
"""The kind of jobs that look for the account of a person who can't sign in."""

WAIT: Final = timedelta(minutes=10)
"""How long a mail about turns waits."""

_NOT_READY: Final = timedelta(minutes=1)
"""How long it waits for games that aren't ready yet."""

_SIGNS_IN_FOR: Final = timedelta(hours=1)
"""How long the link that signs in can be used."""

_TRIES: Final = {mail.TURNS: 13, mail.CONFIRM: 10, mail.RECOVER: 6}
"""How often a mail is tried: after a minute, and after twice the pause each time; for about three days, a day, and an hour."""

_OF_ACCOUNT: Final = Limit(free=5, first=timedelta(days=1), longest=timedelta(days=1))
"""Mails with links for an account or to an address in a day."""

Waiting = tuple[str, str, datetime | None]
"""A table that waits for a person: the game and the other players, the path of its page, and when their time is up."""


class Mails:
    """The mails of a hall.

    Attributes:
        are_sent: whether the hall sends mails.
        absent: the guests whose next request is a return, see ``note_return``.

    Args:
        settings: the mail server, and the address of the hall.
        store: the database.
        scheduler: does the jobs.
        waiting: returns the tables that wait for a guest; None if that isn't known yet.
        is_here: returns whether a guest has a page of the hall in front of them.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        scheduler: Scheduler,
        waiting: Callable[[Guest], Awaitable[Sequence[Waiting] | None]],
        is_here: Callable[[str], bool],
    ) -> None:
        self._server, self._url = settings.smtp, settings.public_url
        self.are_sent = self._server is not None
        self._store, self._scheduler, self._time = store, scheduler, store.time
        self._waiting, self._is_here = waiting, is_here
        self.absent: set[str] = set()
        if self._server is not None:
            self._signer = URLSafeSerializer(store.secret("mail"))
            self.absent.update(store.transact(mail.absent))
            scheduler.register(_FORGOTTEN, self._find)
            for kind in _TRIES:
                scheduler.register_slow(kind, self._deliver)

    def check_offered(self) -> None:
        """Refuse what needs mails in a hall that sends none. Raises NotFound."""
        if not self.are_sent:
            raise NotFound(_("There is no page at this address."))

    def ask(self, guest: Guest, address: str, client: str) -> None:
        """Send a link that confirms an address. Raises BadMailAddress, TooMany."""
        if not MAIL_ADDRESS.fullmatch(address):
            raise BadMailAddress(_("This is no mail address: it must look like astrid@example.org."))
        with self._store.change() as db:
            _count(db, OF_ADDRESS, "client", client)
            _count(db, _OF_ACCOUNT, "account", guest.id)
            _count(db, _OF_ACCOUNT, "to", address.casefold())
            mail.ask(db, guest.id, address)
        self._scheduler.wake()

    def forgot(self, text: str, client: str) -> None:
        """Send a link to the account with this name or address, if there is one. The answer doesn't tell. Raises TooMany."""
        with self._store.change() as db:
            _count(db, OF_ADDRESS, "client", client)
            jobs.put(db, _FORGOTTEN, key_of(text), db.now(), {"text": text[:254]})
        self._scheduler.wake()

    async def _find(self, job: Job) -> None:
        """Let a mail to each account wait that a person means who can't sign in."""
        text = job.payload["text"].strip()
        with self._store.change() as db:
            named = accounts.owner_of(db, clean_name(text))
            for guest in {*mail.guests_at(db, text), *([named] if named else [])}:
                with suppress(TooMany):
                    _count(db, _OF_ACCOUNT, "recovery", guest)
                    jobs.put(db, mail.RECOVER, guest, db.now(), {"tries": 0})

    def link(self, deed: str, guest: Guest, address: str = "") -> str:
        """Return the path of a link: to ``confirm`` an address, which isn't in it, or to ``stop`` mails about turns."""
        return f"/mail/{deed}/{self._signer.dumps([guest.public_id, address and key_of(address)], salt=deed)}"

    def meant(self, deed: str, token: str) -> tuple[Guest, str]:
        """Return the person to whom a mail with this link has gone, and the address that it confirms. Raises NotFound."""
        self.check_offered()
        with suppress(BadSignature):
            public_id, key = self._signer.loads(token, salt=deed)
            person = self._store.transact(guests.find_public, public_id)
            pending = "" if person is None else self._store.transact(mail.find, person.id).pending
            if person is not None and key in ("", key_of(pending)):
                return person, pending if key else ""
        raise NotFound(_("This link was used already, or has expired."))

    def follow(self, deed: str, token: str) -> None:
        """Do what a link in a mail is for. Raises NotFound."""
        person, address = self.meant(deed, token)
        if address:
            self._store.transact(mail.confirm, person.id)
        else:
            self._store.transact(mail.change, person.id, turns=False)

    # ------------------------------------------------------------------------------------------------------------------- sending

    def note_return(self, guest: str) -> None:
        """Note that an absent guest is here again."""
        with suppress(DatabaseUnavailable):  # then their next request does it
            self._store.transact(mail.come_back, guest)
            self.absent.discard(guest)

    async def _deliver(self, job: Job) -> None:
        """Send one mail, or find that it isn't needed any more."""
        assert self._server is not None
        guest, kind, now, tries = job.key, job.kind, self._time.now(), job.payload.get("tries")
        if tries is None:  # their turn has begun some seconds ago
            self.absent.add(guest)
            self._scheduler.finish(job, again_at=now + WAIT, payload={"tries": 0})
            return
        person, found = self._store.transact(guests.find, guest), self._store.transact(mail.find, guest)
        to = found.pending if kind == mail.CONFIRM else "" if found.refusal else found.address
        if person is None or not to:
            return
        speak(person.language)
        tables = await self._waiting(person) if kind == mail.TURNS and found.turns and not self._is_here(guest) else ()
        if tables is None:
            self._scheduler.finish(job, again_at=now + _NOT_READY)
            return
        if kind == mail.TURNS and not tables:
            self.absent.discard(guest)
            return
        letter = self._letter(kind, person, to, tables)
        id = new_id() if kind == mail.RECOVER else job.id  # the same mail has the same id; another link is another mail
        message = letter.message(self._server, to, now, id)
        outcome, reason = await send(self._server, message, urlsplit(self._url).hostname or "localhost")
        if outcome == "later" and tries < _TRIES[kind]:
            again_at = now + timedelta(minutes=min(2**tries, 24 * 60))
            self._scheduler.finish(job, again_at=again_at, payload={"tries": tries + 1})
        elif outcome == "stopped":
            self._scheduler.finish(job, partial(mail.note_refusal, guest=guest, address=to, reason=reason))
        elif kind == mail.TURNS and outcome != "later":
            self._scheduler.finish(job, lambda db: mail.change(db, guest, told_at=now))

    def _letter(self, kind: str, person: Guest, to: str, tables: Sequence[Waiting]) -> Letter:
        """Return what stands in a mail, with a new link."""
        name, hall = person.name, self._url
        if kind == mail.CONFIRM:
            text = _("{name} has given this address to the hall {hall}. If that is you, confirm it.").format(name=name, hall=hall)
            foot = _("The link works once, for a day. If it isn't you, do nothing: then nothing more comes.")
            path = self.link("confirm", person, to)
            return Letter(_("Is this your address?"), text, [(_("Confirm the address"), hall + path, "")], foot)
        if kind == mail.RECOVER:
            token, link = IdentityLink.new(person, self._time.now(), confirms=True, valid_for=_SIGNS_IN_FOR)
            self._store.transact(links.put_identity_link, link)
            text = _(
                "This link signs you in as {name} at {hall}, without a password. Then choose a new password or make a passkey."
            ).format(name=name, hall=hall)
            foot = _("The link works once, for an hour. If you haven't asked for it, do nothing: your account stays as it is.")
            return Letter(_("Sign in again"), text, [(_("Sign in"), f"{hall}/identity/{token}", "")], foot)
        count = ngettext("{count} table waits for you", "{count} tables wait for you", len(tables)).format(count=len(tables))
        return Letter(
            _("It is your turn") if len(tables) == 1 else count,
            _("Hello {name}, it is your turn here:").format(name=name),
            [(title, hall + path, self._left(deadline)) for title, path, deadline in tables],
            _("You get one such mail while you are away, and the next one only after you have been here again."),
            hall + self.link("stop", person),
        )

    def _left(self, deadline: datetime | None) -> str:
        """Say how much time is left."""
        if deadline is None:
            return _("without a clock")
        seconds = (deadline - self._time.now()).total_seconds()
        unit = DAY if seconds >= 2 * DAY else HOUR if seconds >= HOUR else MINUTE
        return _("{time} left").format(time=time_in_words(max(int(seconds) // unit, 1) * unit))


def _count(db: Db, limit: Limit, *key: str) -> None:
    """Count a mail. Raises TooMany, and counts nothing, if its limit is reached."""
    if not accounts.count_unless_paused(db, Counter(key_of("mail", *key), limit)):
        raise TooMany(_("Too many mails were sent. Try again later."))
