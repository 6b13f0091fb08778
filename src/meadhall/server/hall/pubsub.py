"""Publish and subscribe inside this process: open pages wait for changes of a table, then read its latest state.

There is no queue of messages. A slow subscriber skips versions, so it never falls behind.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import contextmanager


class Subscriber:
    """One open page of a guest."""

    def __init__(self, guest: str) -> None:
        self.guest = guest
        self._is_outdated = True
        self._wakeup = asyncio.Event()

    def notify(self) -> None:
        """Tell the subscriber that there is a new version."""
        self._is_outdated = True
        self._wakeup.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for a new version, at most ``seconds``. Return whether there is one; the first call returns True at once."""
        if not self._is_outdated:
            # asyncio.timeout costs twice as much, and every page waits again after every move
            timer = asyncio.get_running_loop().call_later(seconds, self._wakeup.set)
            try:
                await self._wakeup.wait()
            finally:
                timer.cancel()
        self._wakeup.clear()
        is_outdated, self._is_outdated = self._is_outdated, False
        return is_outdated


class Channel:
    """The subscribers of one table. Its length is their number."""

    def __init__(self) -> None:
        self._subscribers: set[Subscriber] = set()

    def __len__(self) -> int:
        return len(self._subscribers)

    @contextmanager
    def subscribe(self, guest: str) -> Iterator[Subscriber]:
        """Subscribe a page of the guest with this id until the end of the block."""
        subscriber = Subscriber(guest)
        self._subscribers.add(subscriber)
        try:
            yield subscriber
        finally:
            self._subscribers.discard(subscriber)

    def publish(self, guests: Collection[str] | None = None) -> None:
        """Notify all subscribers, or only the pages of some guests."""
        for subscriber in self._subscribers:
            if guests is None or subscriber.guest in guests:
                subscriber.notify()

    def has(self, guest: str) -> bool:
        """Return whether the guest has an open page."""
        return any(subscriber.guest == guest for subscriber in self._subscribers)

    def guests(self) -> Counter[str]:
        """Return the number of open pages by guest id."""
        return Counter(subscriber.guest for subscriber in self._subscribers)


async def updates(subscriber: Subscriber, closing: asyncio.Event, seconds: float) -> AsyncIterator[bool]:
    """Yield True for every new version, and False after each ``seconds`` without one. End when the server closes."""
    while not closing.is_set():
        yield await subscriber.wait(seconds)
