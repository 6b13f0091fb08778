"""Notices: the messages between processes that share a PostgreSQL database, sent with ``NOTIFY``.

A notice names what has changed and says nothing about it: anyone who may connect to the database can listen. It is sent in the
transaction that makes the change, so PostgreSQL delivers it exactly if, and after, the change is committed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, Self, cast, get_args

from sqlalchemy import Connection, func, select

CHANNEL: Final = "meadhall"

LONGEST: Final = 7900
"""Bytes of a notice at most. PostgreSQL refuses a payload of 8000 bytes."""

NoticeKind = Literal[
    "table",
    "entry",
    "guest",
    "secret",
    "hello",
    "alive",
    "bye",
    "presence",
    "lease",
    "session",
    "chat",
    "ignored",
    "seek",
    "here",
]
"""What a notice is about.

- ``table``: tables that were changed: their seats, options or status; their ids.
- ``entry``: the id of a table whose match has a new entry.
- ``guest``: the id of a guest whose name or settings were changed.
- ``session``: ids of guests whose sessions have changed: a device was signed out, or another guest has become this one.
- ``secret``: the name of a secret that was replaced.
- ``hello``: a process has begun to listen, and wants to know who is present.
- ``alive``, ``bye``: a process still runs, or is about to end.
- ``presence``: who is at a table, see ``hall.presence``.
- ``chat``: the id of a table with a new line of chat; a second word says that it isn't only that.
- ``ignored``: the ids of a guest who has muted or blocked others, and of those.
- ``lease``: a process stops; its tables and its jobs are free.
- ``here``: the id of a guest who is in the hall, and that of the table where the guest plays.
- ``seek``: the queue of people who wait for a quick match, one of whom came, left or was seated.
"""

_KINDS: Final = frozenset(get_args(NoticeKind))


class Announce(Protocol):
    """Sends a notice to the other processes when the transaction is committed."""

    def __call__(self, kind: NoticeKind, *words: str) -> None: ...


@dataclass(frozen=True)
class Notice:
    """A notice.

    Attributes:
        sender: the process that has sent it.
        stamp: the sender's ``Store.stamp`` when it was written.
        words: what it is about, by ``kind``. No word contains a blank.
    """

    kind: NoticeKind
    sender: str
    stamp: int
    words: tuple[str, ...] = ()

    def encode(self) -> str:
        """Return the notice as a payload."""
        return " ".join((self.kind, self.sender, str(self.stamp), *self.words))

    @classmethod
    def decode(cls, payload: str) -> Self | None:
        """Return the notice in a payload; None if it is of a kind that this version doesn't know."""
        match payload.split(" "):
            case [kind, sender, stamp, *words] if kind in _KINDS and stamp.isdecimal():
                return cls(cast("NoticeKind", kind), sender, int(stamp), tuple(words))
        return None


def send(connection: Connection, payload: str) -> None:
    """Send a notice when the transaction is committed."""
    connection.execute(select(func.pg_notify(CHANNEL, payload)))


def tell_from_command(connection: Connection, kind: NoticeKind, *words: str) -> None:
    """Send a notice of a command, which is no process of the hall, when the transaction is committed. SQLite has no notices."""
    if connection.dialect.name == "postgresql":
        send(connection, Notice(kind, "command", 0, words).encode())


def in_parts(words: Sequence[str], longest: int = LONGEST - 100) -> Iterator[Sequence[str]]:
    """Yield the words in parts that fit into one notice each."""
    part: list[str] = []
    size = 0
    for word in words:
        if size + len(word) + 1 > longest:
            yield part
            part, size = [], 0
        part.append(word)
        size += len(word) + 1
    if part:
        yield part
