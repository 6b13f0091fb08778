"""The people of a hall, for its host: list, rename and shut them out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, exists, func, select, tuple_, update

from meadhall.server.store import schema
from meadhall.server.store.models import Guest, in_utc
from meadhall.server.store.queries import admission_links, guests, records, sessions, tables
from meadhall.server.store.queries.leaving import unfinished_of, without_seats
from meadhall.server.store.queries.present import now

Change = Callable[[Connection, Guest], str]

_GUEST: Final = schema.guests.c
_SEAT: Final = schema.seats.c
_OWNER: Final = schema.seat_guests.c


@dataclass(frozen=True)
class KnownPerson:
    """A person whom a hall knows, for its host."""

    public_id: str
    name: str
    created_at: datetime
    has_account: bool
    is_closed: bool
    tables: int


def people(connection: Connection, name: str, limit: int) -> list[KnownPerson]:
    """Return people whose names contain a text, in any case, the newest first."""
    has_account = exists().where(schema.accounts.c.guest == _GUEST.id)
    seats = select(func.count()).select_from(schema.seat_guests).where(_OWNER.guest == _GUEST.id).scalar_subquery()
    query = select(_GUEST.public_id, _GUEST.name, _GUEST.created_at, has_account, _GUEST.closed_at, seats)
    if name:
        query = query.where(_GUEST.name.icontains(name, autoescape=True))
    rows = connection.execute(query.order_by(_GUEST.created_at.desc(), _GUEST.public_id).limit(limit))
    return [
        KnownPerson(id, named, in_utc(at), bool(account), closed is not None, n) for id, named, at, account, closed, n in rows
    ]


def rename(connection: Connection, guest: Guest, name: str) -> list[str]:
    """Give a person another name, at all their seats and in their lines of chat, too. Return the ids of the tables that changed.

    Raises NameTaken.
    """
    guests.save(connection, replace(guest, name=name), is_chosen=True)
    own = select(_OWNER.table_id, _OWNER.seat).where(_OWNER.guest == guest.id)
    connection.execute(update(schema.seats).where(tuple_(_SEAT.table_id, _SEAT.seat).in_(own)).values(name=name))
    connection.execute(update(schema.chat_lines).where(schema.chat_lines.c.guest == guest.id).values(name=name))
    records.forget(connection, guest.id)
    return sorted(tables.change_all_of(connection, guest.id))


def close(connection: Connection, guest: str) -> list[str]:
    """Shut a person out, sign them out everywhere, and take them off the tables that are not over. Return these tables' ids."""
    admission_links.shut_out(connection, guest, is_closed=True)
    sessions.end_all(connection, guest)
    changed = []
    for table in unfinished_of(connection, guest):
        tables.save(connection, without_seats(table, guest, now(connection)))
        changed.append(table.id)
    return changed


def reopen(connection: Connection, guest: str) -> None:
    """Admit a person again after they were shut out."""
    admission_links.shut_out(connection, guest, is_closed=False)
