"""The people that guests have muted and blocked. What is known of a guest stays in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Final

from meadhall.server.store import acquaintances
from meadhall.server.store.acquaintances import Ignored, IgnoreKind
from meadhall.server.store.store import Store
from meadhall.server.store.talk import ChatLine

_CACHE_SIZE: Final = 20_000


class Ignoring:
    """Knows whom guests ignore.

    Args:
        changed: called with the guests for whom something has changed.
    """

    def __init__(self, store: Store, changed: Callable[[Collection[str]], None]) -> None:
        self._store = store
        self._changed = changed
        self._cache: OrderedDict[str, Ignored] = OrderedDict()

    def known(self, guest: str) -> Ignored | None:
        """Return whom a guest ignores if it is known without asking the database."""
        return self._cache.get(guest)

    def of(self, guest: str) -> Ignored:
        """Return the guests that a guest ignores, and those that have blocked the guest. Raises DatabaseUnavailable."""
        found = self.known(guest)
        if found is None:
            found = self._store.transact(acquaintances.ignored_by, guest)
            self._cache[guest] = found
            if len(self._cache) > _CACHE_SIZE:
                self._cache.popitem(last=False)
        return found

    def change(self, guest: str, others: Collection[str], kind: IgnoreKind, on: bool) -> None:
        """Mute or block others, or stop doing so. The others learn nothing of it."""
        self._store.transact(acquaintances.ignore, guest, others, kind, on)
        self.forget(guest, *others)

    def forget(self, *guests: str) -> None:
        """Forget what is known of guests: it has changed."""
        for guest in guests:
            self._cache.pop(guest, None)
        self._changed(guests)


def hears(ignored: Ignored, line: ChatLine) -> bool:
    """Return whether a guest hears a line: its author is not ignored, and had not blocked the guest.

    A block hides later lines only. If earlier ones disappeared, the blocked guest would notice it.
    """
    blocked_at = ignored.blocked_by.get(line.guest)
    return line.guest not in ignored.muted and line.guest not in ignored.blocked and (blocked_at is None or line.at < blocked_at)
