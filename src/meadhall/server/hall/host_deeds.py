"""Deeds of hosts and helpers: what each changes, and a line of it in the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall.people.accounts import former_player
from meadhall.server.store import guests, host_log, personal_data
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


def delete_person(db: Db, person: str) -> Done:
    """Delete the person with a public id, as they could themselves: their matches stay. Raises NotFound."""
    guest = guests.find_public(db, person)
    if guest is None:
        raise NotFound(_("There is no such person here."))
    changed = personal_data.delete_guest(db, guest.id, former_player(guest.language))
    return Done(guest.name, changed, [guest.id], subject=person)
