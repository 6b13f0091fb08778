"""Links whose addresses contain a token. The database has only the hash of the token, so a copy of it opens nothing."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self

from meadhall.server.store.models import Guest, new_id

VALID_FOR: Final = timedelta(minutes=10)
"""How long a link to another device can be used."""


def _new_token() -> tuple[str, str]:
    """Return a token that can't be guessed, and its hash."""
    token = secrets.token_urlsafe(24)
    return token, hash_of(token)


def hash_of(token: str) -> str:
    """Return the hash of a token, as it is stored."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


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
        token, hash = _new_token()
        return token, cls(hash, guest.id, guest.has_account, confirms, at + valid_for, session)


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
        token, hash = _new_token()
        return token, cls(new_id(), hash, note, uses, 0, at, expires_at)

    def is_valid(self, at: datetime) -> bool:
        """Return whether it still admits at this time."""
        return (self.uses is None or self.used < self.uses) and (self.expires_at is None or self.expires_at > at)
