"""Passwords: which are accepted (NIST SP 800-63B, 3.1.1.2), and their Argon2id hashes (RFC 9106)."""

from __future__ import annotations

import asyncio
import unicodedata
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import WeakPassword
from meadhall.server.worker.threads import run_in_thread

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
