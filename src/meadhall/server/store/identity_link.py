"""A link that makes another device the same guest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class IdentityLink:
    """A link that makes another device the same guest.

    Attributes:
        token: the SHA-256 of what the address contains.
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
