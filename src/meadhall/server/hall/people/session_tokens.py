"""Tokens of sessions: what a signed-in device keeps in its cookie, or a program sends as its bearer token.

The hall stores only their hashes.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from typing import Final

from meadhall.server.store.models import new_id
from meadhall.server.store.sessions import Session, SessionKind

PREFIX: Final = "session."
"""The beginning of tokens. The signed id of a guest without an account never does."""

_LONGEST_LABEL: Final = 60


def new_token() -> str:
    """Return a token that can't be guessed."""
    return PREFIX + secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_session(at: datetime, guest: str, kind: SessionKind, label: str) -> tuple[str, Session]:
    """Return a session of a guest, which isn't stored yet, and its token."""
    token = new_token()
    return token, Session(new_id(), hash_of(token), guest, kind, label[:_LONGEST_LABEL], at, at, at)
