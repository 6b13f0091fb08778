"""Deeds of hosts and helpers: what each changes, and a line of it in the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from meadhall.server.store import host_log
from meadhall.server.store.database import Db


@dataclass(frozen=True)
class Done:
    """What a deed has changed.

    Attributes:
        answer: what it tells the host, as JSON has it.
        tables: the ids of tables that have changed.
        guests: the ids of guests who have changed, or whose sessions have ended.
        chats: the ids of tables whose chats have changed.
        subject: to whom or what it was done, for the log: a public id, or another name that is no secret. None: the log has no
            line of it.
        shut_out: the id of a guest who was shut out; "" if none was.
    """

    answer: Any = None
    tables: list[str] = field(default_factory=list)
    guests: list[str] = field(default_factory=list)
    chats: list[str] = field(default_factory=list)
    subject: str | None = ""
    shut_out: str = ""


def carried_out(db: Db, by: str, deed: str, work: Callable[..., Done], /, **arguments: Any) -> Done:
    """Carry out a deed and note it in the log, with its argument ``reason`` if it has one. ``deed`` can be an argument, too.

    ``by``: the public id of the host or helper, "" for a command.
    """
    done = work(db, **arguments)
    if done.subject is not None:
        host_log.note(db, by, str(arguments.get("deed", deed)), done.subject, str(arguments.get("reason", "")))
    return done
