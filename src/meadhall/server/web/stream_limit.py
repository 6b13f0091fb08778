"""The limit on event streams that one client address keeps open."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from meadhall.engine.language import gettext as _
from meadhall.server.errors import TooMany
from meadhall.server.ops.log_limit import OncePerInterval

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())


class StreamLimit:
    """Counts open streams by client address."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """Number of all open streams."""
        return self._open.total()

    def check(self, address: str) -> None:
        """Raise TooMany if the address has as many streams open as it may."""
        if self._open[address] >= self._limit:
            log.warning("a stream of %s was refused: it has %d open (MEADHALL_STREAMS_PER_CLIENT)", address, self._limit)
            raise TooMany(_("Too many pages are open from your address. Close some of them."))

    @contextmanager
    def count(self, address: str) -> Iterator[None]:
        """Count one stream of the address until the block ends."""
        self._open[address] += 1
        try:
            yield
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]
