"""Links that let guests in: into a hall for invited guests, and as the same guest on another device."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotAdmitted, NotFound, ShutOut, Waiting
from meadhall.server.hall.house import OFF, ON, PAGES, Switches
from meadhall.server.hall.people import sign_in
from meadhall.server.hall.people.accounts import Accounts, Device, SignedIn
from meadhall.server.ops.addresses import address_group
from meadhall.server.settings import ACCOUNTS, INVITED, OPEN
from meadhall.server.store import accounts, guests, links, personal_data, sessions
from meadhall.server.store.database import Db
from meadhall.server.store.links import IdentityLink, hash_of
from meadhall.server.store.models import FOR_GOOD, Guest
from meadhall.server.store.store import Store

# ------------------------------------------------------------------------------------------------------------------ into the hall

# Admission to this hall: for everyone, invited guests, or people with an account. The host can shut people out.


_PUBLIC: Final = (
    *("/admission/", "/sign-in", "/sign-out", "/identity/", "/privacy", "/rules/", "/settings", "/offline", "/mail/"),
    *("/manifest.webmanifest", "/service-worker.js", "/favicon.ico"),
)
"""Pages that everyone may see: how to get in, the rules, what is kept, and the choice of the language."""

ASK: Final = "/waiting"
"""Where a new guest who has to wait asks a helper."""

_WAYS_IN: Final = ("/sign-in", "/sign-out", "/identity/", "/mail/")
"""Forms that make a device another guest whom the hall knows already, or that a link in a mail leads to."""

MOST_ADDRESSES: Final = 20_000
"""Addresses of guests in memory."""

_FOR_NEW_ACCOUNTS: Final = ("/account/new", "/account/passkey-options")


class Admission:
    """Admission to a hall.

    Args:
        store: the database.
        mode: ``open``, ``invited`` or ``accounts``.
        switches: say whether the hall takes new guests.

    Attributes:
        addresses: the last addresses of guests, by their ids: in memory only.
        held: until when new guests from an address wait, by its hash.
    """

    def __init__(self, store: Store, mode: str, switches: Switches) -> None:
        self._store = store
        self._secret = store.secret("addresses").encode()
        self._switches = switches
        self.mode = mode
        self.addresses: dict[str, str] = {}
        self.held: dict[str, datetime] = {}
        self.note_closings()

    def check(self, guest: Guest, path: str, address: str = "", is_reading: bool = False) -> None:
        """Refuse a guest who may not see a page, and remember their address for the case that they are shut out.

        Raises NotAdmitted, ShutOut, and Waiting.
        """
        if address and (guest.is_stored or not is_reading):  # a form may store a new guest
            self.addresses[guest.id] = address
            if len(self.addresses) > MOST_ADDRESSES:
                del self.addresses[next(iter(self.addresses))]
        if guest.closed_until is not None and guest.closed_until > self._store.time.now():
            if not path.startswith(("/privacy", "/sign-out", "/mail/", *PAGES)):
                raise ShutOut(_why_closed(guest))
            return
        if self.held and (guest.asks is not None or not guest.is_stored):
            self.check_newcomer(address, path, is_reading)
        if not self.admits(guest):
            open_to = {*_PUBLIC, *PAGES, *(_FOR_NEW_ACCOUNTS if self.can_register else ())}
            if not guest.is_stored and (taken := self._switches.values["new_guests"]) != ON:
                open_to -= {"/settings", "/admission/" if taken == OFF else ""}  # they would make a new guest
            if not path.startswith(tuple(open_to)):
                raise NotAdmitted(self.reason(guest))

    def check_newcomer(self, address: str, path: str = "", is_reading: bool = False) -> None:
        """Refuse a new guest, or one who waits for a helper, if someone was shut out whose address is the same.

        They may read how to get in, and sign in to an account. An invitation needs no helper. Raises Waiting.
        """
        is_held = self.mode != INVITED and self._switches.values["hold_newcomers"] == ON and self.hash_of(address) in self.held
        if not is_held or self.held[self.hash_of(address)] <= self._store.time.now():
            return
        if path != ASK and not (is_reading and path.startswith((*_PUBLIC, *PAGES))) and not path.startswith(_WAYS_IN):
            raise Waiting(
                _("Someone from your network was shut out of this hall. New guests from there wait until a helper admits them.")
            )

    def note_closings(self, shut_out: str = "") -> None:
        """Read again from which addresses new guests wait. ``shut_out``: a guest who has just been shut out."""
        if shut_out in self.addresses:
            self._store.transact(guests.hold_address, shut_out, self.hash_of(self.addresses[shut_out]))
        self.held = self._store.transact(guests.held_addresses)

    def hash_of(self, address: str) -> str:
        """Return the hash of an address, with a secret of the hall; "" for an unknown one."""
        return hmac.digest(self._secret, address_group(address).encode(), "sha256").hex() if address else ""

    @property
    def can_register(self) -> bool:
        """Whether people without access get it by making an account."""
        taken = self._switches.values["new_guests"]
        return (self.mode == ACCOUNTS and taken == ON) or (self.mode != INVITED and taken == ACCOUNTS)

    def admits(self, guest: Guest) -> bool:
        """Return whether a guest may play here who isn't shut out."""
        if not guest.is_stored and self._switches.values["new_guests"] != ON:
            return False
        return self.mode == OPEN or guest.has_account or (self.mode == INVITED and guest.is_admitted)

    def reason(self, guest: Guest | None = None) -> str:
        """Say which people may play here. ``guest``: the guest who is refused; None for a new one."""
        if (guest is None or not guest.is_stored) and self._switches.values["new_guests"] == OFF:
            return self._switches.reason("new_guests")
        if self.mode == INVITED:
            return _("This hall is for invited guests. Ask its host for an invitation link.")
        return _("This hall is for people with an account.")

    def note_of(self, token: str) -> str:
        """Return the note of an invitation that still admits. Raises NotFound."""
        link = self._store.transact(lambda db: links.find_admission(db, hash_of(token)))
        if link is None:
            raise _not_found()
        return link.note

    def check_program(self, invitation: str | None, address: str) -> None:
        """Refuse a program that may not become a guest. Raises NotAdmitted, Waiting."""
        self.check_newcomer(address)
        taken = self._switches.values["new_guests"]
        if (
            taken == OFF
            or (self.mode != INVITED and ACCOUNTS in (self.mode, taken))
            or (self.mode == INVITED and invitation is None)
        ):
            raise NotAdmitted(self.reason())

    def admit(self, token: str, guest: Guest) -> None:
        """Admit a guest with an invitation. One who is admitted already doesn't use it up. Raises NotFound, NameTaken."""

        def enter(db: Db) -> bool:
            link = links.use_admission(db, hash_of(token))
            if link is None:
                return False
            guests.save(db, guest)
            guests.admit(db, guest.id, link)
            return True

        if not guest.is_admitted and not self._store.transact(enter):
            raise _not_found()


def _why_closed(guest: Guest) -> str:
    """Return that a guest is shut out, until when and why."""
    end = (
        ""
        if guest.closed_until == FOR_GOOD
        else _("This ends on {time}.").format(time=f"{guest.closed_until:%Y-%m-%d %H:%M} UTC")
    )
    reason = _("Reason: {reason}").format(reason=guest.reason) if guest.reason else ""
    return " ".join(filter(None, (_("The host of this hall has closed your access."), end, reason)))


def _not_found() -> NotFound:
    return NotFound(_("This invitation was used up, withdrawn, or has expired. Ask for a new one."))


# -------------------------------------------------------------------------------------------------------------- on another device

# Links that carry a whole guest to another device: seats, matches, name and settings; or sign it in to the guest's account.
#
# A link is used once, within ten minutes. What the other device's own guest has comes along.


_UNCONFIRMED: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""When the owner of a session that a link has opened last proved who they are."""


@dataclass(frozen=True)
class Carried:
    """Who a device is after it has used a link. ``signed_in``: its session, if the guest has an account."""

    guest: Guest
    signed_in: SignedIn | None


class IdentityLinks:
    """The links of a hall.

    Args:
        store: the database.
        accounts: is told whose sessions have changed.
        note_changes: is told the ids of tables that have changed.
    """

    def __init__(self, store: Store, accounts: Accounts, note_changes: Callable[[Iterable[str]], None]) -> None:
        self._store = store
        self._accounts = accounts
        self._note_changes = note_changes

    def create(self, guest: Guest, session: str) -> tuple[str, datetime]:
        """Return the token of a new link to a stored guest, and until when it can be used. Earlier links of the guest end.

        ``session``: the id of the session or device on which it is made, and with which it ends.
        """
        token, link = IdentityLink.new(guest, self._store.time.now(), session=session)
        self._store.transact(lambda db: links.put_identity_link(db, link))
        return token, link.expires_at

    def target(self, token: str) -> Guest:
        """Return the guest that a link leads to, without using it. Raises NotFound."""

        def find(db: Db) -> Guest | None:
            link = links.find_identity_link(db, hash_of(token))
            return None if link is None else _guest_of(db, link)

        guest = self._store.transact(find)
        if guest is None:
            raise _no_link()
        return guest

    def use(self, token: str, own: Guest, device: Device) -> Carried:
        """Use a link: the device becomes its guest. What ``own``, the device's guest so far, has comes along.

        A guest with an account stays as they are: only the device leaves the account. Raises NotFound.
        """

        def use_link(db: Db) -> tuple[Carried, list[str]] | None:
            link = links.use_identity_link(db, hash_of(token))
            if link is None:
                return None
            guest = _guest_of(db, link)
            if guest is None:
                return None
            changed: list[str] = []
            if own.id != guest.id and accounts.find(db, own.id) is None:
                sessions.end_all_opened(db, own.id, device.session)
                changed = personal_data.merge_guests(db, own.id, guest.id)
            signed_in = _session_for(db, link, device) if guest.has_account else None
            sessions.hand_over(db, device.session, signed_in.session.id if signed_in else device.session, guest.id)
            return Carried(guest, signed_in), changed

        found = self._store.transact(use_link)
        if found is None:
            raise _no_link()
        carried, changed = found
        self._note_changes(changed)
        self._accounts.announce_sessions_changed(own.id, carried.guest.id)
        return carried


def _session_for(db: Db, link: IdentityLink, device: Device) -> SignedIn:
    """Open a session of the account that a link leads to."""
    account = accounts.find(db, link.guest)
    assert account is not None
    token, session = sign_in.new_session(db.now(), link.guest, device.kind, device.label)
    if not link.confirms:
        session = replace(session, confirmed_at=_UNCONFIRMED)
    sessions.add(db, session)
    return SignedIn(token, session, account)


def _guest_of(db: Db, link: IdentityLink) -> Guest | None:
    guest = guests.find(db, link.guest)
    return guest if guest is not None and guest.has_account == link.for_account else None


def _no_link() -> NotFound:
    return NotFound(_("This link was used already, or has expired. Make a new one."))
