"""Fan-out inside the process: whoever watches a table is woken when it changes, and then looks at the latest state.

There is no queue of news: a slow watcher skips versions instead of falling behind. Changes take turns, those of all tables: the
next is made when all who were woken by the last have looked.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager


class Turns:
    """Lets changes be told one after the other.

    Of two moves that come at the same moment the first is then seen by everybody before the second is looked at: the first
    sooner, the second no later.
    """

    def __init__(self) -> None:
        self._untold = 0
        self._queue: deque[asyncio.Future[None]] = deque()

    async def turn(self) -> None:
        """Wait until everybody who was woken has looked, and those before have had their turn."""
        if self._untold or self._queue:
            loop = asyncio.get_running_loop()
            mine = loop.create_future()
            self._queue.append(mine)
            try:
                await mine
            finally:  # nobody might be woken by this turn, or only after it has waited for something
                loop.call_soon(self._go_on)

    def woken(self) -> None:
        """Somebody was woken who will look in the event loop's next round."""
        self._untold += 1

    def told(self) -> None:
        """They have."""
        self._untold -= 1
        self._go_on()

    def _go_on(self) -> None:
        while self._queue and not self._untold:
            first = self._queue.popleft()
            if not first.done():  # else its request was dropped
                first.set_result(None)
                break


class Watcher:
    """One open page. ``wait`` returns True when there is something new, False when nothing came for a while."""

    def __init__(self, guest: str, turns: Turns) -> None:
        self.guest = guest
        self._turns = turns
        self._news = True
        self._roused = asyncio.Event()
        self._asleep = self._woken = False

    def wake(self) -> None:
        """There is something new."""
        self._news = True
        if self._asleep and not self._woken:
            self._woken = True
            self._turns.woken()
        self._roused.set()

    async def wait(self, patience: float) -> bool:
        """Wait for news, at most ``patience`` seconds.

        An alarm is half the work of a timeout, and every page waits anew after every move.
        """
        if not self._news:
            alarm = asyncio.get_running_loop().call_later(patience, self._roused.set)
            self._asleep = True
            try:
                await self._roused.wait()
            finally:
                alarm.cancel()
                self._asleep = False
                if self._woken:
                    self._woken = False
                    self._turns.told()
        self._roused.clear()
        news, self._news = self._news, False
        return news


class Hub:
    """The watchers of one table."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._watchers: set[Watcher] = set()

    def __len__(self) -> int:
        return len(self._watchers)

    @contextmanager
    def watching(self, guest: str) -> Iterator[Watcher]:
        """Watch, as the guest with that id, as long as the block lasts."""
        watcher = Watcher(guest, self._turns)
        self._watchers.add(watcher)
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)

    def wake(self) -> None:
        """Tell everybody that there is something new."""
        for watcher in self._watchers:
            watcher.wake()

    def guests(self) -> Counter[str]:
        """How many pages each guest has open here."""
        return Counter(watcher.guest for watcher in self._watchers)


async def pulses(watcher: Watcher, closing: asyncio.Event, patience: float) -> AsyncIterator[bool]:
    """True for every piece of news, False whenever none came for ``patience`` seconds; ends when the hall closes."""
    while not closing.is_set():
        yield await watcher.wait(patience)
