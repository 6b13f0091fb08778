"""Publish and subscribe inside this process: open pages wait for changes of a table, then read its latest state.

There is no queue of messages. A slow subscriber skips versions, so it never falls behind.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from meadhall.server.ops.time import Time, Timer


class Subscriber:
    """One open page of a guest.

    Attributes:
        guest: the guest's id.
        page: the name that the page has chosen, "" if it has none.
        is_ended: whether its stream must end, because the session behind it may have ended.
        is_due: whether the last wait was ended by the clock: a heartbeat is due.
    """

    def __init__(self, time: Time, guest: str, page: str = "") -> None:
        self.guest = guest
        self.page = page
        self.is_ended = False
        self._time = time
        self._is_outdated = True
        self.is_due = False
        self._is_called = False
        self._is_due = False
        self._waiting: asyncio.Future[None] | None = None
        self._timer: Timer | None = None

    def notify(self) -> None:
        """Tell the subscriber that there is a new version."""
        self._is_outdated = True
        self._wake()

    def call(self) -> None:
        """End a wait, although there is no new version of the table: something beside it has changed, such as its chat."""
        self._is_called = True
        self._wake()

    async def wait(self, seconds: float) -> bool:
        """Wait for a new version, a call or the clock. Return whether there is a new version.

        The clock ends a wait every ``seconds`` since the first one. Nothing moves that: a call may be about something that this
        guest must not learn of. The first wait returns True at once.
        """
        if self._timer is None:
            self._timer = self._time.call_later(seconds, partial(self._beat, seconds))
        if not self._is_outdated and not self._is_called and not self._is_due:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        is_outdated, self._is_outdated = self._is_outdated, False
        self.is_due, self._is_due = self._is_due, False
        self._is_called = False
        return is_outdated

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _beat(self, seconds: float) -> None:
        """End a wait by the clock, and start it again."""
        self._timer = self._time.call_later(seconds, partial(self._beat, seconds))
        self._is_due = True
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class Channel:
    """The subscribers of one table. Its length is their number."""

    def __init__(self, time: Time) -> None:
        self._time = time
        self._subscribers: set[Subscriber] = set()
        self._guests: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._subscribers)

    @contextmanager
    def subscribe(self, guest: str, page: str = "") -> Iterator[Subscriber]:
        """Subscribe a page of the guest with this id until the end of the block."""
        subscriber = Subscriber(self._time, guest, page)
        self._subscribers.add(subscriber)
        self._guests[guest] += 1
        try:
            yield subscriber
        finally:
            self._subscribers.discard(subscriber)
            self._guests -= Counter((guest,))  # without those who have left
            subscriber.close()

    def publish(self, guests: Collection[str] | None = None) -> None:
        """Notify all subscribers, or only the pages of some guests."""
        for subscriber in self._subscribers:
            if guests is None or subscriber.guest in guests:
                subscriber.notify()

    def end(self, guest: str) -> None:
        """End the streams of a guest's pages."""
        for subscriber in self._subscribers:
            if subscriber.guest == guest:
                subscriber.is_ended = True
                subscriber.notify()

    def call(self, guests: Collection[str] | None = None) -> None:
        """Tell all subscribers, or the pages of some guests, that something beside the table has changed."""
        for subscriber in self._subscribers:
            if guests is None or subscriber.guest in guests:
                subscriber.call()

    def has(self, guest: str) -> bool:
        """Return whether the guest has an open page."""
        return guest in self._guests

    def has_page(self, guest: str, page: str) -> bool:
        """Return whether this page of the guest is open."""
        return any((subscriber.guest, subscriber.page) == (guest, page) for subscriber in self._subscribers)

    def has_all(self, players: Iterable[Collection[str]]) -> bool:
        """Return whether each of some players, given by the ids of their guests, has an open page."""
        here = self._guests.keys()
        for guests in players:
            if here.isdisjoint(guests):
                return False
        return True

    def guests(self) -> Counter[str]:
        """Return the number of open pages by guest id."""
        return self._guests.copy()


async def updates(subscriber: Subscriber, closing: asyncio.Event, seconds: float) -> AsyncIterator[bool]:
    """Yield True for every new version, and False after a call and every ``seconds``, when ``subscriber.is_due``.

    End when the server closes, or when the subscriber's stream must end.
    """
    while not closing.is_set():
        is_outdated = await subscriber.wait(seconds)
        if subscriber.is_ended:
            return
        yield is_outdated
