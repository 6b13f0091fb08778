"""A link that admits people to a hall for invited guests."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime

from meadhall.server.store.models import new_id


@dataclass(frozen=True)
class AdmissionLink:
    """A link that admits people to a hall for invited guests.

    Attributes:
        id: names the link in commands. It gives no access.
        token: the SHA-256 of what the address contains.
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

    def is_valid(self, at: datetime) -> bool:
        """Return whether it still admits at this time."""
        return (self.uses is None or self.used < self.uses) and (self.expires_at is None or self.expires_at > at)


def new_link(at: datetime, note: str = "", uses: int | None = 1, expires_at: datetime | None = None) -> tuple[str, AdmissionLink]:
    """Return a link, which isn't stored yet, and its token."""
    token = secrets.token_urlsafe(18)
    return token, AdmissionLink(new_id(), hash_of(token), note, uses, 0, at, expires_at)


def hash_of(token: str) -> str:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
