"""Queries about accounts: names that are taken, passwords, passkeys, recovery codes, and attempts to sign in."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NameTaken
from meadhall.server.store.database import Db, Row, as_json, each_of, in_utc, in_utc_or_none, of_json
from meadhall.server.store.lookalikes import NameKeys
from meadhall.server.store.models import Guest


@dataclass(frozen=True)
class Account:
    """How a guest signs in.

    Attributes:
        guest: the guest's id.
        name: the guest's name, which no other account may resemble.
        handle: how passkeys call the account: random, and used for nothing else.
        password: the hash of the password, as Argon2 encodes it; None without a password.
    """

    guest: str
    name: str
    handle: str
    password: str | None
    created_at: datetime


@dataclass(frozen=True)
class Passkey:
    """A passkey of an account (a discoverable WebAuthn credential).

    Attributes:
        id: the credential id, in base64url.
        public_key: its public key in COSE.
        sign_count: how often it has been used, as its authenticator counts; 0 if that doesn't count.
        transports: how a browser reaches its authenticator, as the browser said.
        label: what the person calls it.
    """

    id: str
    guest: str
    public_key: bytes
    sign_count: int
    transports: tuple[str, ...]
    label: str
    created_at: datetime
    last_used_at: datetime | None = None


@dataclass(frozen=True)
class Challenge:
    """What a passkey has to sign. See ``people.passkeys``.

    Attributes:
        guest: id of the guest who got it.
        handle: of the account that a new passkey is made for; None if a passkey is to sign in.
    """

    challenge: str
    purpose: str
    guest: str
    handle: str | None
    expires_at: datetime


ATTEMPTS_FORGOTTEN_AFTER: Final = timedelta(days=1)
"""Time without an attempt to sign in after which earlier ones don't count."""

CHALLENGES_KEPT_FOR: Final = timedelta(minutes=5)
"""How long a challenge is accepted (WebAuthn, 15.1)."""

_NUMBERED: Final = 20
"""Letters of a name that are kept when a number is added."""

_SELECT: Final = "SELECT accounts.*, name FROM accounts JOIN guests ON id = guest"


# ---------------------------------------------------------------------------------------------------------------------- names


def owner_of(db: Db, name: str) -> str | None:
    """Return the id of the guest whose account has a name that looks like this one."""
    found = find_by_name(db, name)
    return None if found is None else found.guest


def owned_of(db: Db, names: Collection[str]) -> frozenset[str]:
    """Return those of some names that look like the name of an account."""
    keys = {name: (keys.drawn, keys.folded, keys.spelled) for name in names for keys in (NameKeys.of(name),)}
    query = """SELECT drawn_name, folded_name FROM accounts WHERE drawn_name IN (SELECT value FROM json_each(:keys))
        OR folded_name IN (SELECT value FROM json_each(:keys))"""
    rows = db.rows(query, keys=each_of({key for each in keys.values() for key in each}))
    owned = {key for row in rows for key in row}
    return frozenset(name for name, each in keys.items() if not owned.isdisjoint(each))


def free_name(db: Db, guest: Guest, is_chosen: bool) -> str:
    """Return the guest's name, with a number if it belongs to an account of another guest.

    Raises NameTaken instead if the guest has just chosen it (``is_chosen``) or has an account.
    """
    for number in range(1, 1000):
        name = guest.name if number == 1 else f"{guest.name[:_NUMBERED].rstrip()} {number}"
        if owner_of(db, name) in (None, guest.id):
            return name
        if is_chosen or guest.has_account:
            break
    raise NameTaken(_("That name belongs to another player of this hall. Choose a different one; if it is yours, sign in."))


def rename(db: Db, guest: str, name: str) -> None:
    """Give an account another name. Raises NameTaken."""
    keys = NameKeys.of(name)
    try:
        db.run("UPDATE accounts SET drawn_name = ?, folded_name = ? WHERE guest = ?", keys.drawn, keys.folded, guest)
    except sqlite3.IntegrityError:
        raise NameTaken(_("That name belongs to another player of this hall. Choose a different one.")) from None


# ------------------------------------------------------------------------------------------------------------------- accounts


def add(db: Db, guest: str, name: str, handle: str, password: str | None) -> None:
    """Make an account of a stored guest. Raises NameTaken."""
    keys = NameKeys.of(name)
    values = {"guest": guest, "drawn_name": keys.drawn, "folded_name": keys.folded, "handle": handle, "password": password}
    try:
        db.insert("accounts", {**values, "created_at": db.now()})
    except sqlite3.IntegrityError:
        raise NameTaken(_("That name belongs to another player of this hall. Choose a different one.")) from None


def find(db: Db, guest: str) -> Account | None:
    """Return the account of a guest."""
    return _account(db.one(f"{_SELECT} WHERE guest = ?", guest))


def find_by_name(db: Db, name: str) -> Account | None:
    """Return the account whose name looks like this one, first of all the one with the same spelling."""
    keys = NameKeys.of(name)
    same = _account(db.one(f"{_SELECT} WHERE drawn_name = ?", keys.spelled))
    return same or _account(db.one(f"{_SELECT} WHERE drawn_name = ? OR folded_name = ? LIMIT 1", keys.drawn, keys.folded))


def _account(row: Row | None) -> Account | None:
    return None if row is None else Account(row["guest"], row["name"], row["handle"], row["password"], in_utc(row["created_at"]))


def set_password(db: Db, guest: str, password: str | None, instead_of: str | None = None) -> None:
    """Store the hash of a password. ``instead_of``: only if this one is still stored."""
    db.run("UPDATE accounts SET password = ? WHERE guest = ? AND password IS coalesce(?, password)", password, guest, instead_of)


# ------------------------------------------------------------------------------------------------------------------- passkeys


def add_passkey(db: Db, passkey: Passkey) -> None:
    """Store a new passkey. Raises IntegrityError if there is one with its id."""
    db.insert("passkeys", {**vars(passkey), "transports": as_json(passkey.transports)})


def find_passkey(db: Db, id: str) -> Passkey | None:
    """Return the passkey with that id."""
    row = db.one("SELECT * FROM passkeys WHERE id = ?", id)
    return None if row is None else _passkey(row)


def passkeys_of(db: Db, guest: str) -> list[Passkey]:
    """Return the passkeys of an account, the oldest first."""
    return [_passkey(row) for row in db.rows("SELECT * FROM passkeys WHERE guest = ? ORDER BY created_at, id", guest)]


def _passkey(row: Row) -> Passkey:
    values: dict[str, Any] = {name: row[name] for name in ("id", "guest", "public_key", "sign_count", "label")}
    values |= {"created_at": in_utc(row["created_at"]), "last_used_at": in_utc_or_none(row["last_used_at"])}
    return Passkey(**values, transports=tuple(of_json(row["transports"])))


def use_passkey(db: Db, passkey: Passkey, sign_count: int) -> bool:
    """Note that a passkey was used. Return False if it was used or removed at the same time elsewhere."""
    change = "UPDATE passkeys SET sign_count = ?, last_used_at = ? WHERE id = ? AND sign_count = ?"
    return db.run(change, sign_count, db.now(), passkey.id, passkey.sign_count) > 0


def remove_passkey(db: Db, guest: str, id: str) -> bool:
    """Remove a passkey of an account. Return whether there was one."""
    return db.run("DELETE FROM passkeys WHERE guest = ? AND id = ?", guest, id) > 0


def add_challenge(db: Db, challenge: Challenge) -> None:
    """Store a challenge that a passkey has to sign."""
    db.insert("challenges", vars(challenge))


def take_challenge(db: Db, challenge: str, purpose: str, guest: str) -> Challenge | None:
    """Delete a challenge and return it; None if there is none for this purpose and guest, or if it has expired.

    So it is accepted once.
    """
    row = db.one("DELETE FROM challenges WHERE challenge = ? RETURNING *", challenge)
    if row is None or (row["purpose"], row["guest"]) != (purpose, guest) or in_utc(row["expires_at"]) <= db.now():
        return None
    return Challenge(challenge, purpose, guest, row["handle"], in_utc(row["expires_at"]))


# ------------------------------------------------------------------------------------------------------------- recovery codes


def replace_codes(db: Db, guest: str, codes: Collection[str]) -> None:
    """Store the hashes of new recovery codes. Older ones are not accepted any more."""
    db.run("DELETE FROM recovery_codes WHERE guest = ?", guest)
    db.insert("recovery_codes", *({"guest": guest, "code": code} for code in codes))


def use_code(db: Db, guest: str, code: str) -> bool:
    """Delete a recovery code by its hash. Return whether the guest had it: a code is accepted once."""
    return db.run("DELETE FROM recovery_codes WHERE guest = ? AND code = ?", guest, code) > 0


def count_codes(db: Db, guest: str) -> int:
    """Return the number of recovery codes that are left."""
    return int(db.value("SELECT count(*) FROM recovery_codes WHERE guest = ?", guest))


# ------------------------------------------------------------------------------------------------------------------- attempts
#
# An attempt is counted before the password is checked, so that many at once can't get through.


@dataclass(frozen=True)
class Limit:
    """How attempts are slowed: the first ``free`` ones are not; then the pause doubles from ``first`` up to ``longest``."""

    free: int
    first: timedelta
    longest: timedelta

    def pause_after(self, count: int) -> timedelta:
        """Return the pause after so many failed attempts."""
        if count < self.free:
            return timedelta()
        return min(self.longest, self.first * float(2 ** min(count - self.free, 20)))


@dataclass(frozen=True)
class Counter:
    """A counter of attempts, by its key."""

    key: str
    limit: Limit


def pause_of(db: Db, counter: Counter) -> datetime | None:
    """Return the end of the pause of a counter, None if it doesn't pause."""
    row = db.one("SELECT count, next_at FROM failed_attempts WHERE key = ?", counter.key)
    if row is None or row["count"] < counter.limit.free:
        return None
    end = in_utc(row["next_at"])
    return end if end > db.now() else None


def count_attempt(db: Db, counter: Counter) -> None:
    """Count an attempt as failed, after ``pause_of`` has found no pause."""
    at = db.now()
    query = "SELECT count FROM failed_attempts WHERE key = ? AND last_at > ?"
    counted = (db.value(query, counter.key, at - ATTEMPTS_FORGOTTEN_AFTER) or 0) + 1
    change = """INSERT INTO failed_attempts (key, count, next_at, last_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET count = excluded.count, next_at = excluded.next_at, last_at = excluded.last_at"""
    db.run(change, counter.key, counted, at + counter.limit.pause_after(counted), at)


def count_unless_paused(db: Db, counter: Counter) -> bool:
    """Count an attempt. Return False, and count nothing, during a pause."""
    if pause_of(db, counter) is not None:
        return False
    count_attempt(db, counter)
    return True


def forget_attempts(db: Db, counter: Counter) -> None:
    """Forget all attempts of a counter, after one that succeeded."""
    db.run("DELETE FROM failed_attempts WHERE key = ?", counter.key)


def take_attempt_back(db: Db, counter: Counter) -> None:
    """Take back the last attempt of a counter, because it succeeded. Earlier ones still count."""
    db.run("UPDATE failed_attempts SET count = max(count - 1, 0), next_at = ? WHERE key = ?", db.now(), counter.key)
