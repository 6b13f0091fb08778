"""How attempts to sign in are slowed, over all processes: by account, by device and by address.

Attempts from devices that have signed in to the account before are counted apart. So an attacker who tries one password after
another can't keep its owner out on their own devices; on others the owner waits a minute at most, or uses a passkey.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from meadhall.engine.language import gettext as _
from meadhall.engine.language import ngettext
from meadhall.server.errors import TooMany
from meadhall.server.ops.metrics import FAILED_SIGN_INS
from meadhall.server.store.lookalikes import NameKeys
from meadhall.server.store.queries import attempts
from meadhall.server.store.queries.attempts import Limit
from meadhall.server.store.store import Store

OF_ACCOUNT: Final = Limit(free=10, first=timedelta(seconds=2), longest=timedelta(minutes=1))
OF_DEVICE: Final = Limit(free=10, first=timedelta(seconds=2), longest=timedelta(minutes=1))
OF_ADDRESS: Final = Limit(free=30, first=timedelta(seconds=2), longest=timedelta(minutes=15))
"""Many people may share an address, so it has more free attempts. It slows those who try a few passwords on many accounts."""


@dataclass(frozen=True)
class Client:
    """Where an attempt comes from.

    Attributes:
        address: the client's address.
        device: the random name of the browser; "" if it has none.
        accounts: the accounts, by their marks, that have signed in on this device before.
    """

    address: str
    device: str = ""
    accounts: frozenset[str] = frozenset()


def mark_of(handle: str) -> str:
    """Return how devices remember an account with this handle."""
    return hashlib.sha256(f"known {handle}".encode()).hexdigest()[:16]


class SignInLimit:
    """Counts attempts in the database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def count(self, name: str, handle: str | None, client: Client) -> None:
        """Count an attempt as failed, before it is checked. Raises TooMany during a pause, and counts nothing then.

        Args:
            name: the name that was given, of an account or not.
            handle: of the account with that name; None if there is none.
            client: where it comes from.
        """

        def count(connection: Connection) -> None:
            for key, limit in _keys(name, handle, client):
                if (end := attempts.count(connection, key, limit)) is not None:
                    FAILED_SIGN_INS.labels("pause").inc()
                    seconds = max(1, ceil((end - self._store.time.now()).total_seconds()))
                    raise TooMany(
                        ngettext(
                            "Too many attempts. Wait {count} second, then try again.",
                            "Too many attempts. Wait {count} seconds, then try again.",
                            seconds,
                        ).format(count=seconds)
                        + " "
                        + _("With a passkey you can sign in at once.")
                    )

        try:
            await self._store.transact(count)
        except IntegrityError:  # another process has counted the first attempt of a key
            await self._store.transact(count)

    async def succeed(self, name: str, handle: str, client: Client) -> None:
        """Forget the failed attempts, after one that succeeded."""
        (own, _limit), (address, _other) = _keys(name, handle, client)

        def forget(connection: Connection) -> None:
            attempts.forget(connection, own)
            attempts.take_back(connection, address)

        await self._store.transact(forget)


def _keys(name: str, handle: str | None, client: Client) -> tuple[tuple[str, Limit], tuple[str, Limit]]:
    """Return the keys under which an attempt is counted, always in the same order: no transactions wait for each other."""
    is_known = handle is not None and client.device and mark_of(handle) in client.accounts
    account = (
        _key("unknown", NameKeys.of(name).folded) if handle is None else _key("known", handle)
    )  # its name has many spellings
    own = (_key("device", client.device, account), OF_DEVICE) if is_known else (account, OF_ACCOUNT)
    return own, (_key("address", client.address), OF_ADDRESS)


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
