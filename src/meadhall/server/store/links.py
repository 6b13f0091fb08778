"""Links whose addresses contain a token: to other devices of a guest, and into a hall for invited guests.

The database has only the hash of a token, so a copy of it opens nothing. A link to another device is used once: the transaction
that deletes its row has used it.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self

from meadhall.server.store.database import Db, Row, in_utc, in_utc_or_none
from meadhall.server.store.models import Guest, new_id

VALID_FOR: Final = timedelta(minutes=10)
"""How long a link to another device can be used."""


def new_token() -> tuple[str, str]:
    """Return a token that can't be guessed, and its hash."""
    token = secrets.token_urlsafe(24)
    return token, hash_of(token)


def hash_of(token: str) -> str:
    """Return the hash of a token, as it is stored."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


# ----------------------------------------------------------------------------------------------------- links to other devices


@dataclass(frozen=True)
class IdentityLink:
    """A link that makes another device the same guest.

    Attributes:
        token: the hash of the token.
        guest: the id of the guest.
        for_account: whether the guest had an account when the link was made. It is worth nothing if that has changed.
        confirms: whether the link also proves who the person is, so that they can choose a new password.
        expires_at: until when it can be used.
        session: the id of the session or device that has made it, with which it ends; None: the host of the hall has made it.
    """

    token: str
    guest: str
    for_account: bool
    confirms: bool
    expires_at: datetime
    session: str | None = None

    @classmethod
    def new(
        cls, guest: Guest, at: datetime, confirms: bool = False, valid_for: timedelta = VALID_FOR, session: str | None = None
    ) -> tuple[str, Self]:
        """Return a link, which isn't stored yet, and its token."""
        token, hash = new_token()
        return token, cls(hash, guest.id, guest.has_account, confirms, at + valid_for, session)


def put_identity_link(db: Db, link: IdentityLink) -> None:
    """Store a link, in place of the earlier ones of its guest."""
    end_identity_links(db, link.guest)
    db.insert("identity_links", vars(link))


def find_identity_link(db: Db, token: str) -> IdentityLink | None:
    """Return the link with a token, given by its hash; None if it was used or has expired."""
    return _identity_link(db.one("SELECT * FROM identity_links WHERE token = ? AND expires_at > ?", token, db.now()))


def use_identity_link(db: Db, token: str) -> IdentityLink | None:
    """Use a link up, and return it; None if it was used or has expired."""
    return _identity_link(db.one("DELETE FROM identity_links WHERE token = ? AND expires_at > ? RETURNING *", token, db.now()))


def end_identity_links(db: Db, guest: str) -> None:
    """Delete the links of a guest."""
    db.run("DELETE FROM identity_links WHERE guest = ?", guest)


def _identity_link(row: Row | None) -> IdentityLink | None:
    if row is None:
        return None
    is_for = (bool(row["for_account"]), bool(row["confirms"]))
    return IdentityLink(row["token"], row["guest"], *is_for, in_utc(row["expires_at"]), row["session"])


# --------------------------------------------------------------------------------------------------------- links into the hall


@dataclass(frozen=True)
class AdmissionLink:
    """A link that admits people to a hall for invited guests.

    Attributes:
        id: names the link in commands. It gives no access.
        token: the hash of the token.
        note: for whom it is, in the host's words.
        uses: how many people it admits; None for any number.
        used: how many it has admitted.
        expires_at: until when it admits; None for always.
    """

    id: str
    token: str
    note: str
    uses: int | None
    used: int
    created_at: datetime
    expires_at: datetime | None

    @classmethod
    def new(cls, at: datetime, note: str = "", uses: int | None = 1, expires_at: datetime | None = None) -> tuple[str, Self]:
        """Return a link, which isn't stored yet, and its token."""
        token, hash = new_token()
        return token, cls(new_id(), hash, note, uses, 0, at, expires_at)

    def is_valid(self, at: datetime) -> bool:
        """Return whether it still admits at this time."""
        return (self.uses is None or self.used < self.uses) and (self.expires_at is None or self.expires_at > at)


def add_admission(db: Db, link: AdmissionLink) -> None:
    """Store a new link."""
    db.insert("admission_links", vars(link))


def admissions(db: Db) -> list[AdmissionLink]:
    """Return all links, the newest first, also those that are used up."""
    return [_admission(row) for row in db.rows("SELECT * FROM admission_links ORDER BY created_at DESC, id")]


def find_admission(db: Db, token: str) -> AdmissionLink | None:
    """Return the link with a token, given by its hash; None if it is used up."""
    row = db.one("SELECT * FROM admission_links WHERE token = ?", token)
    found = None if row is None else _admission(row)
    return found if found is not None and found.is_valid(db.now()) else None


def use_admission(db: Db, token: str) -> str | None:
    """Use a link once, and return its id; None if it is used up."""
    link = find_admission(db, token)
    if link is None:
        return None
    db.run("UPDATE admission_links SET used = used + 1 WHERE id = ?", link.id)
    return link.id


def revoke_admission(db: Db, id: str) -> bool:
    """Delete a link. Return whether there was one."""
    return db.run("DELETE FROM admission_links WHERE id = ?", id) > 0


def _admission(row: Row) -> AdmissionLink:
    times = {"created_at": in_utc(row["created_at"]), "expires_at": in_utc_or_none(row["expires_at"])}
    return AdmissionLink(**{**dict(row), **times})
