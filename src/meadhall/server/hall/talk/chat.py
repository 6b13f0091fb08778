"""The chat of one table in this process: its last lines, and whether its host has closed it.

Lines are stored before they are kept here. Pages read them from here, so a line costs one query in each process that shows the
table, however many pages are open.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from typing import Final, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from meadhall.server.hall.notices.pubsub import Channel
from meadhall.server.store.models import Audience, ChatLine
from meadhall.server.store.notices import send
from meadhall.server.store.queries import chat
from meadhall.server.store.store import Store

T = TypeVar("T")

KEPT: Final = 100
"""Lines of each audience in memory. Older ones are read from the database when a guest asks for them."""

_APART: Final = 50
"""Guests at most for whom lines are kept apart."""

_AUDIENCES: Final[tuple[Audience, ...]] = ("players", "spectators")

_TRIES: Final = 20
"""Attempts to store a line when others are stored at the same time."""

_CHANGED: Final = "changed"
"""The word of a notice that tells of more than new lines: some were deleted, or the chat was closed or opened."""


class Chat:
    """The chat of a table.

    Attributes:
        version: changes with every change of the chat.
        is_closed: whether the host has closed it.
        apart: the last lines of guests who don't hear some of those in memory, with what they were read for. The lines that a
            guest doesn't hear must not displace others: the guest would notice it.
    """

    def __init__(self, table: str, store: Store, channel: Channel) -> None:
        self.version = 0
        self.is_closed = False
        self.apart: OrderedDict[str, tuple[object, list[ChatLine]]] = OrderedDict()
        self._table = table
        self._store = store
        self._channel = channel
        self._lines: dict[Audience, list[ChatLine]] = {audience: [] for audience in _AUDIENCES}
        self._noted, self._read = 1, 0  # how many times changes were told, and those read; the first is what is stored already
        self._is_outdated = True  # whether what is known may have changed, so that new lines are not enough
        self._lock = asyncio.Lock()

    # --------------------------------------------------------------------------------------------------------------- reading

    @property
    def is_current(self) -> bool:
        """Whether everything that was told about this chat has been read."""
        return self._read == self._noted and self._store.is_informed

    def lines(self, audiences: Collection[Audience]) -> list[ChatLine]:
        """Return the last lines that these audiences have heard, in the order of time."""
        found = [line for audience in audiences for line in self._lines[audience]]
        return found if len(audiences) < 2 else sorted(found, key=lambda line: (line.at, line.id))

    def is_full(self, audiences: Collection[Audience]) -> bool:
        """Return whether these audiences may have heard lines before those in memory."""
        return any(len(self._lines[audience]) >= KEPT for audience in audiences)

    def keep_apart(self, guest: str, read_for: object, lines: list[ChatLine]) -> None:
        """Keep the last lines of a guest who doesn't hear some of those in memory."""
        self.apart.pop(guest, None)
        self.apart[guest] = read_for, lines
        if len(self.apart) > _APART:
            self.apart.popitem(last=False)

    def concerns(self, guest: str) -> bool:
        """Return whether a guest has said one of the lines in memory."""
        return any(line.guest == guest for lines in self._lines.values() for line in lines)

    async def refresh(self) -> None:
        """Read what is new, if anything was told. Raises DatabaseUnavailable."""
        if self.is_current:
            return
        async with self._lock:
            if not self.is_current:
                noted, is_outdated = self._noted, self._is_outdated or not self._store.is_informed
                known = {audience: 0 if is_outdated else _last(lines) for audience, lines in self._lines.items()}
                self._is_outdated = False

                def read(connection: Connection) -> tuple[list[ChatLine], bool]:
                    return chat.following(connection, self._table, known, KEPT), chat.is_closed(connection, self._table)

                try:
                    lines, is_closed = await self._store.transact(read)
                except BaseException:
                    self._is_outdated |= is_outdated
                    raise
                before = self._lines, self.is_closed
                self._lines = {a: _joined([] if is_outdated else self._lines[a], lines, a) for a in _AUDIENCES}
                self.is_closed, self._read = is_closed, noted
                self.version += before != (self._lines, is_closed)

    def note_change(self, *words: str) -> None:
        """Note that another process, or a host's command, has changed the chat, and tell the open pages."""
        self._noted += 1
        self._is_outdated |= words != ()
        self._channel.call()

    # --------------------------------------------------------------------------------------------------------------- writing

    async def say(self, line: chat.NewLine, check: Callable[[Connection], ChatLine | None]) -> ChatLine:
        """Store a line and tell the open pages of it. Return it.

        ``check`` runs before in the same transaction: it may refuse the line, or return one in its place that the same request
        has already stored.
        """

        def store(connection: Connection) -> ChatLine:
            return check(connection) or chat.add(connection, line)

        for tries_left in reversed(range(_TRIES)):
            try:
                said = await self._change(store)
                break
            except IntegrityError:
                if not tries_left:
                    raise
        lines = self._lines[said.audience]
        if not self._is_outdated and said.number == _last(lines) + 1:
            self._lines[said.audience] = [*lines[1 - KEPT :], said]
            self.version += 1
        elif said.number > _last(lines):
            self._noted += 1  # another process has said something before
        self._channel.call()
        return said

    async def close(self, closed: bool = True) -> None:
        """Close the chat, or open it again."""
        await self._change(lambda connection: chat.close(connection, self._table, closed), _CHANGED)
        self.note_change(_CHANGED)

    async def _change(self, work: Callable[[Connection], T], *words: str) -> T:
        def change(connection: Connection) -> T:
            result = work(connection)
            announce(self._store, connection, self._table, *words)
            return result

        return await self._store.transact(change)


def announce(store: Store, connection: Connection, table: str, *words: str) -> None:
    """Tell the other processes that a chat has changed, when the transaction is committed."""
    if store.shared:
        send(connection, store.payload("chat", table, *words))


def _last(lines: Collection[ChatLine]) -> int:
    return max((line.number for line in lines), default=0)


def _joined(known: list[ChatLine], read: Iterable[ChatLine], audience: Audience) -> list[ChatLine]:
    numbers = {line.number for line in known}
    return [*known, *(line for line in read if line.audience == audience and line.number not in numbers)][-KEPT:]
