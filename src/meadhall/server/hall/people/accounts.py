"""Accounts: guests who keep their name, with a passkey or a password, on as many devices as they like.

An account belongs to a guest and changes nothing about what the guest has. A device that signs in becomes that guest; what its
own guest has can come along. All changes are stored in one transaction each, so none that was acknowledged is lost.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from meadhall.engine.text.language import LANGUAGES, gettext as _, speaking
from meadhall.server.errors import BadPasskey, LastKey, NameTaken, NotThatPerson, WrongMoment
from meadhall.server.hall.people import passkeys, sign_in
from meadhall.server.hall.people.names import BOTS, clean_name
from meadhall.server.hall.people.passkeys import RelyingParty, made_passkey, read_answer
from meadhall.server.hall.people.sign_in import Client, Passwords, SignInLimit
from meadhall.server.ops.metrics import FAILED_SIGN_INS
from meadhall.server.store import accounts, guests, personal_data, sessions, tables
from meadhall.server.store.accounts import Account, Challenge, Passkey
from meadhall.server.store.database import Db
from meadhall.server.store.lookalikes import look_alike
from meadhall.server.store.models import Guest
from meadhall.server.store.sessions import PushSubscription, Session, SessionKind
from meadhall.server.store.store import Store
from meadhall.server.worker.threads import run_in_thread

MOST_PASSKEYS: Final = 20
"""Passkeys of an account at most."""

_LONGEST_LABEL: Final = 60


@dataclass(frozen=True)
class Device:
    """A browser or program that gets a session.

    Attributes:
        label: what its owner recognizes it by.
        session: the id of the session or device with which is recorded what the browser has opened so far; "" if it has none.
    """

    kind: SessionKind
    label: str
    session: str = ""


@dataclass(frozen=True)
class SignedIn:
    """A new session: its token, which only the device keeps; and the account that it belongs to."""

    token: str
    session: Session
    account: Account


@dataclass(frozen=True)
class Overview:
    """All that belongs to an account, for its owner."""

    account: Account
    passkeys: tuple[Passkey, ...]
    sessions: tuple[Session, ...]
    with_push: tuple[PushSubscription, ...]  # the browsers with push messages
    codes_left: int


class Accounts:
    """The accounts of a hall.

    Args:
        store: the database.
        note_changes: is told the ids of tables that have changed.
    """

    def __init__(self, store: Store, note_changes: Callable[[Iterable[str]], None]) -> None:
        self._store = store
        self._note_changes = note_changes
        self._passwords = Passwords()
        self._limit = SignInLimit(store)
        self._session_handlers: list[Callable[[str], object]] = []

    def on_session_change(self, handler: Callable[[str], object]) -> None:
        """Call ``handler`` with the id of each guest whose sessions have changed."""
        self._session_handlers.append(handler)

    def announce_sessions_changed(self, *ids: str) -> None:
        """Tell the handlers that the sessions of these guests have changed."""
        for guest in ids:
            for handler in self._session_handlers:
                handler(guest)

    # ---------------------------------------------------------------------------------------------------------- new accounts

    async def begin_passkey(self, guest: Guest, name: str, party: RelyingParty) -> dict[str, object]:
        """Return what a browser needs to make a passkey, for a new account with this name or the one that the guest has."""

        def prepare(db: Db) -> tuple[str, list[Passkey]]:
            account = accounts.find(db, guest.id)
            handle = passkeys.new_handle() if account is None else account.handle
            accounts.add_challenge(db, _challenge(self._store.time.now(), "create", guest, challenge, handle))
            return handle, accounts.passkeys_of(db, guest.id)

        shown = guest.name if guest.has_account else self._checked_name(guest, name)
        challenge = passkeys.new_challenge()
        handle, existing = self._store.transact(prepare)
        return await run_in_thread(passkeys.creation_options, party, challenge, handle, shown, existing)

    async def create_with_passkey(
        self, guest: Guest, name: str, answer: str, party: RelyingParty, device: Device
    ) -> tuple[SignedIn, list[str]]:
        """Make an account of a guest, with the passkey that a browser has made. Return its first session, and its recovery codes.

        Raises NameTaken, WrongMoment, BadPasskey.
        """
        name = self._checked_name(guest, name)
        passkey, handle = await self._made_passkey(guest, answer, party, device.label)
        return self._create(guest, name, device, handle, passkey=passkey)

    async def create_with_password(self, guest: Guest, name: str, password: str, device: Device) -> tuple[SignedIn, list[str]]:
        """Make an account of a guest, with a password. Return its first session, and its recovery codes.

        Raises NameTaken, WrongMoment, WeakPassword.
        """
        name = self._checked_name(guest, name)
        hash = await self._passwords.hash(password, name)
        return self._create(guest, name, device, passkeys.new_handle(), password=hash)

    def _create(
        self,
        guest: Guest,
        name: str,
        device: Device,
        handle: str,
        password: str | None = None,
        passkey: Passkey | None = None,
    ) -> tuple[SignedIn, list[str]]:
        token, session = sign_in.new_session(self._store.time.now(), guest.id, device.kind, device.label)
        codes = sign_in.new_codes()

        def create(db: Db) -> Account:
            guests.save(db, replace(guest, name=name), is_chosen=True)
            if accounts.find(db, guest.id) is not None:
                raise WrongMoment(_("You have an account already."))
            accounts.add(db, guest.id, name, handle, password)
            if passkey is not None:
                accounts.add_passkey(db, passkey)
            accounts.replace_codes(db, guest.id, [sign_in.hash_of_code(code) for code in codes])
            sessions.add(db, session)
            sessions.end_all_opened(db, guest.id, device.session)  # the guest's other devices must sign in
            sessions.hand_over(db, device.session, session.id, guest.id)
            return Account(guest.id, name, handle, password, self._store.time.now())

        try:
            account = self._store.transact(create)
        except sqlite3.IntegrityError:  # the passkey belongs to an account already
            raise BadPasskey(_("That took too long, or was tried twice. Please try again.")) from None
        self.announce_sessions_changed(guest.id)
        return SignedIn(token, session, account), codes

    def _checked_name(self, guest: Guest, text: str) -> str:
        """Return a name that is free for the guest's account. Raises NameTaken."""
        name = clean_name(text)
        if not name:
            raise NameTaken(_("Choose a name first."))
        if any(look_alike(name, reserved) for reserved in (*BOTS, *map(former_player, LANGUAGES))):
            raise NameTaken(_("That name can't belong to a player. Choose a different one."))
        return self._store.transact(lambda db: accounts.free_name(db, replace(guest, name=name), is_chosen=True))

    # ------------------------------------------------------------------------------------------------------------- signing in

    async def begin_sign_in(self, guest: Guest, party: RelyingParty) -> dict[str, object]:
        """Return what a browser needs to sign in with a passkey."""
        challenge = passkeys.new_challenge()
        self._store.transact(
            lambda db: accounts.add_challenge(db, _challenge(self._store.time.now(), "sign in", guest, challenge))
        )
        return await run_in_thread(passkeys.request_options, party, challenge)

    async def by_passkey(self, guest: Guest, answer: str, party: RelyingParty) -> Account:
        """Return the account that a passkey proves. Raises BadPasskey."""
        read = read_answer(answer)

        def find(db: Db) -> tuple[Challenge | None, Passkey | None, Account | None]:
            challenge = accounts.take_challenge(db, read.challenge, "sign in", guest.id)
            passkey = accounts.find_passkey(db, read.id)
            return challenge, passkey, None if passkey is None else accounts.find(db, passkey.guest)

        challenge, passkey, account = self._store.transact(find)
        if challenge is None:
            raise BadPasskey(_("That took too long, or was tried twice. Please try again."))
        if passkey is None or account is None:
            FAILED_SIGN_INS.labels("passkey").inc()
            raise BadPasskey(_("This hall doesn't know that passkey. It may have been removed from the account."))
        count = await run_in_thread(passkeys.check_signature, party, answer, challenge.challenge, passkey, account)
        if not self._store.transact(lambda db: accounts.use_passkey(db, passkey, count)):
            raise BadPasskey(_("That took too long, or was tried twice. Please try again."))
        return account

    async def by_password(self, name: str, password: str, client: Client) -> Account:
        """Return the account with this name and password. Raises NotThatPerson, TooMany.

        A name without an account is handled like a wrong password, with the same work.
        """
        account = self._counted(name, client)
        is_right = await self._passwords.is_right(password, None if account is None else account.password)
        if account is None or not is_right:
            FAILED_SIGN_INS.labels("password").inc()
            raise NotThatPerson(_("The name or the password is wrong."))
        assert account.password is not None
        self._limit.succeed(name, account, client)
        again = await self._passwords.hash_again(password, account.password)
        if again is not None:
            stored = account.password
            self._store.transact(lambda db: accounts.set_password(db, account.guest, again, stored))
        return account

    def by_recovery_code(self, name: str, code: str, client: Client) -> Account:
        """Return the account with this name, and use up its recovery code. Raises NotThatPerson, TooMany."""
        account = self._counted(name, client, is_code=True)
        guest, hash = "" if account is None else account.guest, sign_in.hash_of_code(code)
        is_right = self._store.transact(lambda db: accounts.use_code(db, guest, hash))
        if account is None or not is_right:
            FAILED_SIGN_INS.labels("recovery code").inc()
            raise NotThatPerson(_("The name or the recovery code is wrong, or the code was used before."))
        self._limit.succeed(name, account, client, is_code=True)
        return account

    def _counted(self, name: str, client: Client, is_code: bool = False) -> Account | None:
        """Return the account with a name, and count an attempt to sign in. Raises TooMany."""
        cleaned = clean_name(name)
        account = self._store.transact(lambda db: accounts.find_by_name(db, cleaned))
        self._limit.count(cleaned, account, client, is_code)
        return account

    def sign_in(self, account: Account, device: Device, own: Guest | None = None, takes_along: bool = False) -> SignedIn:
        """Open a session of an account whose owner has proved who they are.

        Args:
            account: the account.
            device: the browser or program.
            own: the guest of the browser until now. What the browser has opened for this guest ends.
            takes_along: whether the seats, matches and results of ``own`` go to the account.
        """
        token, session = sign_in.new_session(self._store.time.now(), account.guest, device.kind, device.label)

        def open_session(db: Db) -> list[str]:
            if accounts.find(db, account.guest) is None:
                raise NotThatPerson(_("This account was deleted."))
            changed: list[str] = []
            if own is not None and takes_along and accounts.find(db, own.id) is None:
                sessions.end_all_opened(db, own.id, device.session)
                changed = personal_data.merge_guests(db, own.id, account.guest)
            sessions.add(db, session)
            sessions.hand_over(db, device.session, session.id, account.guest)
            return changed

        changed = self._store.transact(open_session)
        self._note_changes(changed)
        if own is not None:
            self.announce_sessions_changed(own.id, account.guest)
        return SignedIn(token, session, account)

    def count_tables(self, guest: Guest) -> int:
        """Return the number of tables that a device's guest would take along to an account."""
        if not guest.is_stored or guest.has_account:
            return 0
        return self._store.transact(lambda db: tables.count_of(db, guest.id))

    def confirm(self, session: Session) -> str:
        """Note that the owner of a session has proved again who they are. Return its new token."""
        token = sign_in.new_token()
        self._store.transact(sessions.confirm, session.id, sign_in.hash_of_token(token))
        self.announce_sessions_changed(session.guest)
        return token

    # --------------------------------------------------------------------------------------------------- the owner's changes

    def overview(self, guest: Guest) -> Overview:
        """Return all that belongs to a guest's account. Raises WrongMoment without one."""

        def read(db: Db) -> Overview | None:
            account = accounts.find(db, guest.id)
            if account is None:
                return None
            keys, devices = accounts.passkeys_of(db, guest.id), sessions.sessions_of(db, guest.id)
            called = sessions.subscriptions_of(db, [guest.id])
            return Overview(account, tuple(keys), tuple(devices), tuple(called), accounts.count_codes(db, guest.id))

        found = self._store.transact(read)
        if found is None:
            raise WrongMoment(_("You have no account here."))
        return found

    async def set_password(self, guest: Guest, password: str, session: Session) -> None:
        """Give an account a new password. All other devices are signed out. Raises WeakPassword."""
        hash = await self._passwords.hash(password, guest.name)

        def change(db: Db) -> None:
            accounts.set_password(db, guest.id, hash)
            sessions.end_all(db, guest.id, except_id=session.id)

        self._end(guest, change)

    def remove_password(self, guest: Guest) -> None:
        """Let an account be used with its passkeys only. Raises LastKey without one."""

        def remove(db: Db) -> None:
            if not accounts.passkeys_of(db, guest.id):
                raise LastKey(_("Make a passkey first: you couldn't sign in any more."))
            accounts.set_password(db, guest.id, None)

        self._store.transact(remove)

    async def add_passkey(self, guest: Guest, answer: str, party: RelyingParty, label: str) -> None:
        """Add the passkey that a browser has made to a guest's account. Raises BadPasskey."""
        passkey, _handle = await self._made_passkey(guest, answer, party, label)

        def add(db: Db) -> None:
            if len(accounts.passkeys_of(db, guest.id)) >= MOST_PASSKEYS:
                raise LastKey(_("An account has at most {count} passkeys.").format(count=MOST_PASSKEYS))
            accounts.add_passkey(db, passkey)

        try:
            self._store.transact(add)
        except sqlite3.IntegrityError:
            raise BadPasskey(_("This device has a passkey for the account already.")) from None

    async def _made_passkey(self, guest: Guest, answer: str, party: RelyingParty, label: str) -> tuple[Passkey, str]:
        """Return the passkey that a browser has made, and the handle of the account that it was made for. Raises BadPasskey."""
        text = read_answer(answer).challenge
        challenge = self._store.transact(partial(accounts.take_challenge, challenge=text, purpose="create", guest=guest.id))
        if challenge is None or challenge.handle is None:
            raise BadPasskey(_("That took too long, or was tried twice. Please try again."))
        made = await run_in_thread(made_passkey, party, answer, text, guest.id, label[:_LONGEST_LABEL], self._store.time.now())
        return made, challenge.handle

    def remove_passkey(self, guest: Guest, id: str) -> None:
        """Remove a passkey of a guest's account. Raises LastKey if it is the only way to sign in."""

        def remove(db: Db) -> None:
            account, keys = accounts.find(db, guest.id), accounts.passkeys_of(db, guest.id)
            if account is not None and account.password is None and len(keys) <= 1:
                raise LastKey(_("Choose a password or make another passkey first: you couldn't sign in any more."))
            accounts.remove_passkey(db, guest.id, id)

        self._store.transact(remove)

    def renew_codes(self, guest: Guest) -> list[str]:
        """Return new recovery codes of an account. The old ones are not accepted any more."""
        codes = sign_in.new_codes()
        hashes = [sign_in.hash_of_code(code) for code in codes]
        self._store.transact(lambda db: accounts.replace_codes(db, guest.id, hashes))
        return codes

    def end_session(self, guest: Guest, id: str) -> None:
        """Sign out one device or program of an account."""
        self._end(guest, lambda db: sessions.end(db, guest.id, id))

    def end_sessions(self, guest: Guest, except_id: str | None = None) -> None:
        """Sign out all devices and programs of an account, or all except one."""
        self._end(guest, lambda db: sessions.end_all(db, guest.id, except_id))

    def _end(self, guest: Guest, end: Callable[[Db], object]) -> None:
        def change(db: Db) -> list[str]:
            end(db)
            return tables.renew_seat_links(db, guest.id)

        changed = self._store.transact(change)
        self._note_changes(changed)
        self.announce_sessions_changed(guest.id)

    def delete(self, guest: Guest) -> None:
        """Delete a guest, with or without an account, and all that is theirs alone.

        Their matches stay. Their seats are called "former player", in the guest's language.
        """
        changed = self._store.transact(personal_data.delete_guest, guest.id, former_player(guest.language))
        self._note_changes(changed)
        self.announce_sessions_changed(guest.id)


def former_player(language: str) -> str:
    """Return what the seats of a person are called after their data were deleted."""
    with speaking(language):
        return _("former player")


def _challenge(at: datetime, purpose: str, guest: Guest, challenge: str, handle: str | None = None) -> Challenge:
    return Challenge(challenge, purpose, guest.id, handle, at + accounts.CHALLENGES_KEPT_FOR)
