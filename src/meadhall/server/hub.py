"""Fan-out inside the process: whoever watches a table is woken when it changes, and then looks at the latest state.

There is no queue: a slow watcher skips versions instead of falling behind.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager


class Watcher:
    """One open page. ``wait`` returns True when there is something new, False when nothing came for a while."""

    def __init__(self, seat: int | None) -> None:
        self.seat = seat
        self._news = True
        self._roused = asyncio.Event()

    def wake(self) -> None:
        """There is something new."""
        self._news = True
        self._roused.set()

    async def wait(self, patience: float) -> bool:
        """Wait for news, at most ``patience`` seconds.

        An alarm is half the work of a timeout, and every page waits anew after every move.
        """
        if not self._news:
            alarm = asyncio.get_running_loop().call_later(patience, self._roused.set)
            try:
                await self._roused.wait()
            finally:
                alarm.cancel()
        self._roused.clear()
        news, self._news = self._news, False
        return news


class Hub:
    """The watchers of one table."""

    def __init__(self) -> None:
        self._watchers: set[Watcher] = set()

    def __len__(self) -> int:
        return len(self._watchers)

    @contextmanager
    def watching(self, seat: int | None) -> Iterator[Watcher]:
        """Watch, from seat ``seat`` or as a spectator, as long as the block lasts."""
        watcher = Watcher(seat)
        self._watchers.add(watcher)
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)

    def wake(self) -> None:
        """Tell everybody that there is something new."""
        for watcher in self._watchers:
            watcher.wake()

    def seats(self) -> Counter[int | None]:
        """How many watch from each seat; None counts the spectators."""
        return Counter(watcher.seat for watcher in self._watchers)


async def pulses(watcher: Watcher, closing: asyncio.Event, patience: float) -> AsyncIterator[bool]:
    """True for every piece of news, False whenever none came for ``patience`` seconds; ends when the hall closes."""
    while not closing.is_set():
        yield await watcher.wait(patience)
