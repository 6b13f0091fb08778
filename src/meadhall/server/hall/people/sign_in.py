"""What a person signs in with: a password, a code, a session; and how often anyone may try."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from math import ceil
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from meadhall.engine.text.language import gettext as _, ngettext
from meadhall.server.errors import TooMany, WeakPassword
from meadhall.server.ops.metrics import FAILED_SIGN_INS
from meadhall.server.store import accounts
from meadhall.server.store.accounts import Account
from meadhall.server.store.database import Db
from meadhall.server.store.lookalikes import NameKeys
from meadhall.server.store.models import new_id
from meadhall.server.store.sessions import Session, SessionKind
from meadhall.server.store.store import Store
from meadhall.server.worker.threads import run_in_thread

# ---------------------------------------------------------------------------------------------------------------------- passwords

# Passwords: which are accepted (NIST SP 800-63B, 3.1.1.2), and their Argon2id hashes (RFC 9106).


SHORTEST: Final = 8
LONGEST: Final = 256
"""Characters of a password."""

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""With the parameters that OWASP recommends: 19 MiB, two passes. A password takes about 30 ms."""

_AT_ONCE: Final = 2
"""Passwords that a process hashes at the same time. The others wait, so that they don't take the memory."""


class Passwords:
    """Hashes and checks passwords in threads."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def hash(self, password: str, name: str) -> str:
        """Return the hash of a new password. ``name``: of the account. Raises WeakPassword."""
        await run_in_thread(check_password, password, name)
        async with self._turn:
            return await run_in_thread(_HASHER.hash, _normal(password))

    async def is_right(self, password: str, hash: str | None) -> bool:
        """Return whether a hash is of this password. Without a hash it isn't, and the answer takes as long."""
        async with self._turn:
            is_right = await run_in_thread(_verified, hash, password[:LONGEST])
        return is_right and hash is not None

    async def hash_again(self, password: str, hash: str) -> str | None:
        """Return a new hash of a right password if its hash has old parameters."""
        if not _HASHER.check_needs_rehash(hash):
            return None
        async with self._turn:
            return await run_in_thread(_HASHER.hash, _normal(password))


def check_password(password: str, name: str) -> None:
    """Refuse a password that is too short, too long or well known. There are no rules about its characters.

    The first call reads the list of well-known passwords, which takes some 30 ms and 12 MB.
    """
    normal = _normal(password)
    if len(normal) < SHORTEST:
        raise WeakPassword(
            _("A password has at least {count} characters. Several words are easy to remember.").format(count=SHORTEST)
        )
    if len(password) > LONGEST:
        raise WeakPassword(_("A password has at most {count} characters.").format(count=LONGEST))
    lower = normal.casefold()
    without_name = lower.replace(name.casefold(), "") if name else lower
    if lower in _well_known() or len(set(lower)) <= 2 or len(without_name) < SHORTEST // 2:
        raise WeakPassword(_("That password is among the first that an attacker tries. Choose another one."))


def _verified(hash: str | None, password: str) -> bool:
    try:
        return _HASHER.verify(_dummy() if hash is None else hash, _normal(password))
    except (VerificationError, InvalidHashError):
        return False


def _normal(password: str) -> str:
    """Return a password as it is hashed: keyboards write the same letter in different ways."""
    return unicodedata.normalize("NFKC", password)


@cache
def _dummy() -> str:
    """Return a hash to check a password with where there is none, so that the answer takes as long."""
    return _HASHER.hash("")


@cache
def _well_known() -> frozenset[str]:
    """Return the most common passwords, by the list of zxcvbn."""
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # type: ignore[import-untyped]  # noqa: PLC0415 - takes 12 MB

    return frozenset(password for password in FREQUENCY_LISTS["passwords"] if len(password) >= SHORTEST)


# ----------------------------------------------------------------------------------------------------------------- recovery codes

# Recovery codes: each lets its owner sign in once, without a passkey or password.


COUNT: Final = 10
"""Codes of an account."""

_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: without i, l, o and u, which are easily misread."""

_LENGTH: Final = 16
"""Letters of a code: 80 random bits. So a fast hash is enough, and guessing is hopeless."""

_MISREAD: Final = str.maketrans({"i": "1", "l": "1", "o": "0"})


def new_codes() -> list[str]:
    """Return new codes in groups of four letters."""
    letters = ("".join(secrets.choice(_LETTERS) for _ in range(_LENGTH)) for _ in range(COUNT))
    return ["-".join(code[k : k + 4] for k in range(0, _LENGTH, 4)) for code in letters]


def hash_of_code(code: str) -> str:
    """Return the hash of a code, however it is written: in capitals, with blanks or without hyphens."""
    letters = "".join(letter for letter in code.casefold() if letter.isalnum()).translate(_MISREAD)
    return hashlib.sha256(letters.encode()).hexdigest()


# ----------------------------------------------------------------------------------------------------------------------- sessions

# Tokens of sessions: what a signed-in device keeps in its cookie, or a program sends as its bearer token.
#
# The hall stores only their hashes.


PREFIX: Final = "session."
"""The beginning of tokens. The signed id of a guest without an account never does."""

_LONGEST_LABEL: Final = 60


def new_token() -> str:
    """Return a token that can't be guessed."""
    return PREFIX + secrets.token_urlsafe(32)


def hash_of_token(token: str) -> str:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_session(at: datetime, guest: str, kind: SessionKind, label: str) -> tuple[str, Session]:
    """Return a session of a guest, which isn't stored yet, and its token."""
    token = new_token()
    return token, Session(new_id(), hash_of_token(token), guest, kind, label[:_LONGEST_LABEL], at, at, at)


# ------------------------------------------------------------------------------------------------------------------------- limits

# How attempts to sign in are slowed: by account, by device and by address.
#
# An attacker who tries one password after another must not keep the owner of the account out:
#
# - Attempts from devices that have signed in to the account before are counted apart.
# - During a pause of the account each address still has some attempts at it, which an attacker elsewhere can't use up.
# - A recovery code can't be guessed, so attempts with one are counted by address only.


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
        return _Counters((), accounts.Counter(key_of(kind, device, key_of(*of_name)), OF_DEVICE), is_shared=False)
    address = accounts.Counter(key_of("address", client.address), OF_ADDRESS)
    place = accounts.Counter(key_of("place", client.address, *of_name), OF_PLACE)
    return _Counters(() if is_code else (accounts.Counter(key_of(*of_name), OF_ACCOUNT), place), address, is_shared=True)


def key_of(*parts: str) -> str:
    """Return the key of a counter of attempts: the hash of what they have in common."""
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()
