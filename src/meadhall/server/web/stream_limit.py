"""The limits on event streams that one guest, and one client address, keep open."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import TooMany
from meadhall.server.ops.log_limit import OncePerInterval
from meadhall.server.store.models import Guest
from meadhall.server.web.request import AnyRequest, client_address

PER_GUEST: Final = 50
"""Number of streams that a guest may keep open. A club behind one router has many guests, so its address may have more."""

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())


class StreamLimit:
    """Counts open streams by guest and by client address.

    Args:
        per_address: number of streams that one address may keep open.
        per_guest: number of these that one guest may keep open.
    """

    def __init__(self, per_address: int, per_guest: int = PER_GUEST) -> None:
        self._per_address = per_address
        self._per_guest = per_guest
        self._open: Counter[str] = Counter()  # by address
        self._of_guests: Counter[str] = Counter()  # by id

    @property
    def total(self) -> int:
        """Number of all open streams."""
        return self._open.total()

    def check(self, request: AnyRequest, guest: Guest | None = None) -> None:
        """Raise TooMany if the guest or the address has as many streams open as they may."""
        address = client_address(request)
        if self._open[address] >= self._per_address:
            log.warning("a stream of %s was refused: it has %d open (MEADHALL_STREAMS_PER_CLIENT)", address, self._per_address)
            raise TooMany(_("Too many pages are open from your address. Close some of them."))
        if guest is not None and self._of_guests[guest.id] >= self._per_guest:
            log.warning("a stream of %s was refused: its guest has %d open", address, self._per_guest)
            raise TooMany(_("You have too many pages open. Close some of them."))

    @contextmanager
    def count(self, request: AnyRequest, guest: Guest | None = None) -> Iterator[None]:
        """Count one stream until the block ends."""
        counted = [(self._open, client_address(request))] + ([] if guest is None else [(self._of_guests, guest.id)])
        for counter, key in counted:
            counter[key] += 1
        try:
            yield
        finally:
            for counter, key in counted:
                counter[key] -= 1
                if not counter[key]:
                    del counter[key]
