"""How many live pages each client keeps open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from meadhall.engine.language import gettext as _
from meadhall.server.errors import TooMany


class Streams:
    """Counts open streams by client address, and refuses what is over the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """All streams that are open."""
        return self._open.total()

    def check(self, address: str) -> None:
        """Refuse one more from an address that has its fill."""
        if self._open[address] >= self._limit:
            raise TooMany(_("Too many live pages are open from your address; close some."))

    @contextmanager
    def counted(self, address: str) -> Iterator[None]:
        """Count a stream as long as the block lasts."""
        self._open[address] += 1
        try:
            yield
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]
