"""Say when mails are sent, and to whom: about turns, to confirm an address, and to sign in again.

Each mail is a job, so it survives a restart. The link in a mail is made when it is sent, and the database has only its hash.

About turns a person gets one mail while they are away. It waits for some minutes. If the person comes back meanwhile, or a push
service takes a message about a turn, no mail is sent. While a mail waits or after one was sent, the person counts as *absent*,
and the next request of theirs ends that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Final
from urllib.parse import urlsplit

from itsdangerous import BadSignature, URLSafeSerializer

from meadhall.engine.text.language import gettext as _, speak
from meadhall.server.errors import BadMailAddress, DatabaseUnavailable, NotFound, TooMany
from meadhall.server.hall.mail import letters, post
from meadhall.server.hall.mail.letters import Letter, Waiting
from meadhall.server.hall.people.names import clean_name
from meadhall.server.hall.upkeep.scheduler import Scheduler
from meadhall.server.settings import MAIL_ADDRESS, Settings
from meadhall.server.store import accounts, guests, jobs, links, mail
from meadhall.server.store.database import Db
from meadhall.server.store.jobs import Job
from meadhall.server.store.links import IdentityLink
from meadhall.server.store.mail import MailAddress
from meadhall.server.store.models import Guest, new_id
from meadhall.server.store.store import Store

_FORGOTTEN: Final = "mail-forgotten"
"""The kind of jobs that look for the account of a person who can't sign in."""

_SECRET: Final = "mail"  # noqa: S105 - the name of a secret

WAIT: Final = timedelta(minutes=10)
"""How long a mail about turns waits."""

_NOT_READY: Final = timedelta(minutes=1)
"""How long it waits for games that aren't ready yet."""

_DAY: Final = timedelta(days=1)
_SIGNS_IN_FOR: Final = timedelta(hours=1)
"""How long the link that signs in can be used."""

_FIRST_PAUSE: Final = timedelta(minutes=1)
"""The pause after which a mail is tried again. It doubles with every attempt, up to a day."""

_TURNS_FOR: Final = timedelta(days=3)
"""How long a mail about turns is tried."""

_OF_ACCOUNT: Final = accounts.Limit(free=5, first=_DAY, longest=_DAY)
"""Mails with links for an account or to an address in a day."""

_OF_CLIENT: Final = accounts.Limit(free=20, first=timedelta(minutes=10), longest=_DAY)
"""Mails that one client address may ask for."""


class Mails:
    """The mails of a hall.

    Attributes:
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
        waiting: Callable[[Guest], Awaitable[list[Waiting] | None]],
        is_here: Callable[[str], bool],
    ) -> None:
        self._server, self._url = settings.smtp, settings.public_url
        self._store, self._scheduler, self._time = store, scheduler, store.time
        self._waiting, self._is_here = waiting, is_here
        self.absent: set[str] = set()
        if self._server is not None:
            self._signer = URLSafeSerializer(store.secret(_SECRET), salt="no mails about turns")
            self.absent.update(store.transact(mail.absent))
            scheduler.register(mail.TURNS, self._look)
            scheduler.register(_FORGOTTEN, self._find)
            scheduler.register_slow(mail.OUTBOX, self._deliver)

    @property
    def are_sent(self) -> bool:
        """Whether the hall sends mails."""
        return self._server is not None

    def check_offered(self) -> None:
        """Refuse what needs mails in a hall that sends none. Raises NotFound."""
        if self._server is None:
            raise NotFound(_("There is no page at this address."))

    # ------------------------------------------------------------------------------------------------------ the owner's address

    def address_of(self, guest: Guest) -> MailAddress | None:
        """Return the address of an account, for its owner; None in a hall that sends no mails."""
        return self._store.transact(mail.find, guest.id) if self.are_sent else None

    def ask(self, guest: Guest, text: str, client: str) -> None:
        """Send a link that confirms an address. Raises BadMailAddress, TooMany."""
        address = text.strip()
        if not MAIL_ADDRESS.fullmatch(address):
            raise BadMailAddress(_("This is no mail address: it must look like astrid@example.org."))

        def put(db: Db) -> bool:
            keys = ("account", guest.id), ("to", address.casefold())
            if not (_counted(db, _OF_CLIENT, "client", client) and all(_counted(db, _OF_ACCOUNT, *key) for key in keys)):
                return False
            mail.ask(db, guest.id, address)
            mail.put(db, "confirm", guest.id, mail.CONFIRMED_WITHIN)
            return True

        if not self._store.transact(put):
            raise TooMany(_("Too many mails were sent. Try again tomorrow."))
        self._scheduler.wake()

    def remove(self, guest: Guest) -> None:
        """Forget the addresses of an account."""
        self._store.transact(mail.remove, guest.id)

    def set_turns(self, guest: Guest, wanted: bool) -> None:
        """Note whether the owner wants mails about turns."""
        self._store.transact(mail.set_turns, guest.id, wanted)

    def try_again(self, guest: Guest) -> None:
        """Send mails again to an address that the mail server has refused."""
        address = self._store.transact(mail.find, guest.id).address
        self._store.transact(mail.note_refusal, guest.id, address, None)

    def to_confirm(self, token: str) -> tuple[str, str]:
        """Return the name of the account and the address that a link confirms, without using it. Raises NotFound."""
        found = self._store.transact(mail.waiting, token)
        person = None if found is None else self._store.transact(guests.find, found[0])
        if found is None or person is None:
            raise _no_link()
        return person.name, found[1]

    def confirm(self, token: str) -> None:
        """Use a link that confirms an address. Raises NotFound."""
        if not self._store.transact(mail.confirm, token):
            raise _no_link()

    # --------------------------------------------------------------------------------------------------------- without signing in

    def forgot(self, text: str, client: str) -> None:
        """Send a link to the account with this name or address, if there is one. The answer doesn't tell. Raises TooMany."""

        def put(db: Db) -> bool:
            counted = _counted(db, _OF_CLIENT, "client", client)
            if counted:
                key = sha256(text.encode(errors="replace")).hexdigest()
                jobs.put(db, _FORGOTTEN, key, db.now(), {"text": text[:254]})
            return counted

        if not self._store.transact(put):
            raise TooMany(_("Too many mails were sent. Try again tomorrow."))
        self._scheduler.wake()

    async def _find(self, job: Job) -> None:
        """Let a mail to each account wait that a person means who can't sign in."""

        def put(db: Db) -> None:
            text = job.payload["text"].strip()
            named = accounts.find_by_name(db, clean_name(text))
            for guest in {*mail.guests_at(db, text), *([named.guest] if named else [])}:
                address = mail.find(db, guest)
                if address.address and not address.refusal and _counted(db, _OF_ACCOUNT, "recovery", guest):
                    mail.put(db, "recover", guest, _SIGNS_IN_FOR)

        self._scheduler.finish(job, put)
        self._scheduler.wake()

    def way_to_stop(self, guest: Guest) -> str:
        """Return the path of the page that ends a guest's mails about turns. It needs no sign-in."""
        return f"/mail/stop/{self._signer.dumps(guest.public_id)}"

    def owner(self, token: str) -> Guest:
        """Return the person to whom a mail with this link has gone, which ends mails about turns. Raises NotFound."""
        with suppress(BadSignature):
            person = self._store.transact(guests.find_public, str(self._signer.loads(token)))
            if person is not None:
                return person
        raise _no_link()

    # ---------------------------------------------------------------------------------------------------------------- about turns

    def note_return(self, guest: str) -> None:
        """Note that an absent guest is here again."""
        with suppress(DatabaseUnavailable):  # then their next request does it
            self._store.transact(mail.come_back, guest)
            self.absent.discard(guest)

    async def _look(self, job: Job) -> None:
        """Let a mail about turns wait for a guest, or write it."""
        guest, now = job.key, self._time.now()
        if not job.payload:
            self.absent.add(guest)
            self._scheduler.finish(job, again_at=now + WAIT, payload={"waits": True})
            return
        person = self._store.transact(guests.find, guest)
        tables = [] if person is None or self._is_here(guest) else await self._waiting(person)
        if tables is None:
            self._scheduler.finish(job, again_at=now + _NOT_READY)
        elif tables:
            self._scheduler.finish(job, partial(mail.tell, guest=guest, valid_for=_TURNS_FOR))
            self._scheduler.wake()
        else:
            self.absent.discard(guest)

    # ------------------------------------------------------------------------------------------------------------------- sending

    async def _deliver(self, job: Job) -> None:
        """Send one mail, or find that it isn't needed any more."""
        assert self._server is not None
        guest, kind, now = job.payload["guest"], job.payload["kind"], self._time.now()
        person, found = self._store.transact(guests.find, guest), self._store.transact(mail.find, guest)
        to = found.pending if kind == "confirm" else "" if found.refusal else found.address
        pause = _FIRST_PAUSE * 2 ** min(tries := int(job.payload.get("tries", 0)), 11)
        again_at, until = now + min(pause, _DAY), datetime.fromisoformat(job.payload["until"])
        tables = await self._waiting(person) if kind == mail.TURNS and person is not None and found.turns else []
        if tables is None:
            self._scheduler.finish(job, again_at=now + _NOT_READY)
            return
        if person is None or not to or now >= until or (kind == mail.TURNS and not tables):
            self._scheduler.finish(job, partial(mail.take_back, guest=guest))
            return
        speak(person.language)
        letter = self._letter(kind, person, found, tables)
        id = job.payload["id"] if kind == mail.TURNS else new_id()  # the same mail has the same id; another link is another mail
        message = letter.message(self._server, to, now, id)
        outcome = await post.send(self._server, message, urlsplit(self._url).hostname or "localhost")
        if outcome.kind == "later" and again_at < until:
            self._scheduler.finish(job, again_at=again_at, payload={**job.payload, "tries": tries + 1})
        elif outcome.kind == "stopped":
            self._scheduler.finish(job, partial(mail.note_refusal, guest=guest, address=to, reason=outcome.reason))

    def _letter(self, kind: str, person: Guest, found: MailAddress, tables: Sequence[Waiting]) -> Letter:
        """Return what stands in a mail, with a new link."""
        if kind == "confirm":
            token = self._store.transact(mail.ask, person.id, found.pending)
            return letters.about_address(person.name, self._url, f"/mail/confirm/{token}")
        if kind == "recover":
            token, link = IdentityLink.new(person, self._time.now(), confirms=True, valid_for=_SIGNS_IN_FOR)
            self._store.transact(links.put_identity_link, link)
            return letters.about_account(person.name, self._url, f"/identity/{token}")
        return letters.about_turns(person.name, self._url, tables, self._url + self.way_to_stop(person))


def _counted(db: Db, limit: accounts.Limit, *key: str) -> bool:
    """Count a mail, unless its limit is reached."""
    return accounts.count_unless_paused(db, accounts.Counter(sha256("\0".join(chain(["mail"], key)).encode()).hexdigest(), limit))


def _no_link() -> NotFound:
    return NotFound(_("This link was used already, or has expired."))
