"""The chat of one table: its last lines, and whether its host has closed it.

Lines are stored before they are kept here. Pages read them from here, so a line costs no query, however many pages are open.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Final

from meadhall.server.hall.notices.pubsub import Channel
from meadhall.server.store import talk
from meadhall.server.store.database import Db
from meadhall.server.store.store import Store
from meadhall.server.store.talk import Audience, ChatLine

KEPT: Final = 100
"""Lines of each audience in memory. Older ones are read from the database when a guest asks for them."""

_APART: Final = 50
"""Guests at most for whom lines are kept apart."""

_AUDIENCES: Final[tuple[Audience, ...]] = ("players", "spectators")


class Chat:
    """The chat of a table.

    Attributes:
        version: changes with every change of the chat.
        is_current: whether what is stored is known here.
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
        self.is_current = False

    # --------------------------------------------------------------------------------------------------------------- reading

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

    def refresh(self) -> None:
        """Read the last lines, unless they are known. Raises DatabaseUnavailable."""
        if self.is_current:
            return

        def read(db: Db) -> tuple[list[ChatLine], bool]:
            unknown: dict[Audience, int] = dict.fromkeys(_AUDIENCES, 0)
            return talk.lines_after(db, self._table, unknown, KEPT), talk.is_chat_closed(db, self._table)

        before = self._lines, self.is_closed
        found, self.is_closed = self._store.transact(read)
        self._lines = {audience: [line for line in found if line.audience == audience] for audience in _AUDIENCES}
        self.is_current = True
        self.version += before != (self._lines, self.is_closed)

    def note_change(self) -> None:
        """Note that lines were deleted, or belong to another guest, and tell the open pages."""
        self.is_current = False
        self._channel.call()

    # --------------------------------------------------------------------------------------------------------------- writing

    def say(self, line: talk.NewLine, check: Callable[[Db], ChatLine | None]) -> ChatLine:
        """Store a line and tell the open pages of it. Return it.

        ``check`` runs before in the same transaction: it may refuse the line, or return one in its place that the same request
        has already stored.
        """

        def store(db: Db) -> ChatLine:
            return check(db) or talk.add_line(db, line)

        said = self._store.transact(store)
        lines = self._lines[said.audience]
        if self.is_current and said.number > max((line.number for line in lines), default=0):
            self._lines[said.audience] = [*lines[1 - KEPT :], said]
            self.version += 1
        self._channel.call()
        return said

    def close(self, closed: bool = True) -> None:
        """Close the chat, or open it again."""
        self._store.transact(talk.close_chat, self._table, closed)
        self.note_change()
