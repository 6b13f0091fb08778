"""How attempts to sign in are slowed: by account, by device and by address.

An attacker who tries one password after another must not keep the owner of the account out:

- Attempts from devices that have signed in to the account before are counted apart.
- During a pause of the account each address still has some attempts at it, which an attacker elsewhere can't use up.
- A recovery code can't be guessed, so attempts with one are counted by address only.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import ngettext
from meadhall.server.errors import TooMany
from meadhall.server.ops.metrics import FAILED_SIGN_INS
from meadhall.server.store import accounts
from meadhall.server.store.accounts import Account
from meadhall.server.store.database import Db
from meadhall.server.store.lookalikes import NameKeys
from meadhall.server.store.sessions import Session
from meadhall.server.store.store import Store

OF_ACCOUNT: Final = accounts.Limit(free=10, first=timedelta(seconds=2), longest=timedelta(minutes=1))
OF_PLACE: Final = accounts.Limit(free=3, first=timedelta(minutes=1), longest=timedelta(hours=1))
"""At one account from one address. It tells which attempts pass during a pause of the account."""

OF_DEVICE: Final = accounts.Limit(free=10, first=timedelta(seconds=2), longest=timedelta(minutes=1))
OF_ADDRESS: Final = accounts.Limit(free=30, first=timedelta(seconds=2), longest=timedelta(minutes=15))
"""Many people may share an address, so it has more free attempts. It slows those who try a few passwords on many accounts."""


@dataclass(frozen=True)
class Client:
    """Where an attempt comes from.

    Attributes:
        address: the client's address.
        device: the random name of the browser; "" if it has none.
        accounts: the accounts, by their marks, that have signed in on this device before.
        session: the session that it has already, of this account or another one.
    """

    address: str
    device: str = ""
    accounts: frozenset[str] = frozenset()
    session: Session | None = None

    def known_to(self, account: Account) -> str:
        """Return the name of a device that has signed in to an account before; "" of another one."""
        if self.session is not None and self.session.guest == account.guest:
            return self.session.id
        return self.device if mark_of(account.handle) in self.accounts else ""


def mark_of(handle: str) -> str:
    """Return how devices remember an account with this handle."""
    return hashlib.sha256(f"known {handle}".encode()).hexdigest()[:16]


class SignInLimit:
    """Counts attempts in the database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def count(self, name: str, account: Account | None, client: Client, is_code: bool = False) -> None:
        """Count an attempt as failed, before it is checked. Raises TooMany during a pause, and counts nothing then.

        Args:
            name: the name that was given, of an account or not.
            account: the account with that name, if there is one.
            client: where it comes from.
            is_code: whether it is an attempt with a recovery code.
        """
        counters = _counters(name, account, client, is_code)

        def count(db: Db) -> None:
            ends = {each: accounts.pause_of(db, each) for each in counters.all}
            of_account, strict = [ends[each] for each in counters.of_account], ends[counters.strict]
            if strict is not None:
                raise self._too_many(strict, _("With a passkey you can sign in at once."))
            pauses = [end for end in of_account if end is not None]
            if pauses and len(pauses) == len(of_account):
                raise self._too_many(min(pauses), _("With a passkey or a recovery code you can sign in at once."))
            for each in counters.all:
                accounts.count_attempt(db, each)

        self._store.transact(count)

    def succeed(self, name: str, account: Account, client: Client, is_code: bool = False) -> None:
        """Forget the failed attempts at the account, after one that succeeded. Other ones from its address still count."""
        counters = _counters(name, account, client, is_code)

        def forget(db: Db) -> None:
            for each in counters.of_account:
                accounts.forget_attempts(db, each)
            (accounts.take_attempt_back if counters.is_shared else accounts.forget_attempts)(db, counters.strict)

        self._store.transact(forget)

    def _too_many(self, end: datetime, advice: str) -> TooMany:
        FAILED_SIGN_INS.labels("pause").inc()
        seconds = max(1, ceil((end - self._store.time.now()).total_seconds()))
        waiting = ngettext(
            "Too many attempts. Wait {count} second, then try again.",
            "Too many attempts. Wait {count} seconds, then try again.",
            seconds,
        )
        return TooMany(f"{waiting.format(count=seconds)} {advice}")


@dataclass(frozen=True)
class _Counters:
    """The counters of an attempt.

    Attributes:
        of_account: it is refused if all of these pause.
        strict: it is refused if this one pauses.
        is_shared: whether attempts at other accounts have the same ``strict`` counter.
    """

    of_account: tuple[accounts.Counter, ...]
    strict: accounts.Counter
    is_shared: bool

    @property
    def all(self) -> tuple[accounts.Counter, ...]:
        """Return all."""
        return *self.of_account, self.strict


def _counters(name: str, account: Account | None, client: Client, is_code: bool) -> _Counters:
    of_name = ("unknown", NameKeys.of(name).folded) if account is None else ("known", account.handle)  # it has many spellings
    if account is not None and (device := client.known_to(account)):
        kind = "device with code" if is_code else "device"
        return _Counters((), accounts.Counter(_key(kind, device, _key(*of_name)), OF_DEVICE), is_shared=False)
    address = accounts.Counter(_key("address", client.address), OF_ADDRESS)
    place = accounts.Counter(_key("place", client.address, *of_name), OF_PLACE)
    return _Counters(() if is_code else (accounts.Counter(_key(*of_name), OF_ACCOUNT), place), address, is_shared=True)


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
