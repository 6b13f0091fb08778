"""Queries about the people that a guest has met, and about invitations to tables."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from sqlalchemy import Connection, exists, func, insert, select, update

from meadhall.server.store import schema
from meadhall.server.store.models import Acquaintance, Invitation, in_utc
from meadhall.server.store.queries import guests, ignored
from meadhall.server.store.queries.present import now

_ROW = schema.invitations.c
_TABLE = schema.tables.c
_SEAT = schema.seats.c
_OWNER = schema.seat_guests.c

_LIFETIME: Final = timedelta(days=1)
"""How long an invitation is shown. The hall forgets a lobby, too, in which nothing happens for a day."""


def met(connection: Connection, guest: str, limit: int) -> list[Acquaintance]:
    """Return the people who have had a seat beside the guest in a match that has begun; those of the last matches first."""
    mine = schema.seat_guests.alias("mine")
    last = func.max(_TABLE.started_at).label("last")
    together = (mine.c.table_id == _OWNER.table_id) & (mine.c.seat != _OWNER.seat)
    query = (
        select(_OWNER.guest, func.count(_TABLE.id.distinct()).label("matches"), last)
        .select_from(mine.join(schema.seat_guests, together).join(schema.tables, _TABLE.id == _OWNER.table_id))
        .where(mine.c.guest == guest, _OWNER.guest != guest, _TABLE.started_at.is_not(None))
        .group_by(_OWNER.guest)
        .order_by(last.desc(), _OWNER.guest)
        .limit(limit)
    )
    rows = {row.guest: row for row in connection.execute(query)}
    people = guests.find_all(connection, list(rows))
    return [Acquaintance(person, rows[person.id].matches, in_utc(rows[person.id].last)) for person in people]


def ignored_strangers(connection: Connection, guest: str, known: Collection[str]) -> list[Acquaintance]:
    """Return the people whom the guest has muted or blocked, except those who are known already."""
    found = ignored.of_guest(connection, guest)
    others = sorted((found.muted | found.blocked) - {*known})
    return [Acquaintance(person, 0, None) for person in guests.find_all(connection, others)]


def of_table(connection: Connection, table: str) -> dict[str, bool]:
    """Return the guests invited to a table, by id, and whether they have declined."""
    rows = connection.execute(select(_ROW.guest, _ROW.declined_at).where(_ROW.table_id == table))
    return {row.guest: row.declined_at is not None for row in rows}


def count_since(connection: Connection, inviter: str, seconds: timedelta) -> int:
    """Return how many people the guest has invited in the last time."""
    query = select(func.count()).where(_ROW.inviter == inviter, _ROW.created_at > now(connection) - seconds)
    return int(connection.execute(query).scalar_one())


def add(connection: Connection, table: str, guest: str, inviter: str) -> bool:
    """Invite a guest to a table. Return False if they were invited before."""
    if connection.execute(select(_ROW.guest).where(_ROW.table_id == table, _ROW.guest == guest)).first() is not None:
        return False
    connection.execute(
        insert(schema.invitations).values(table_id=table, guest=guest, inviter=inviter, created_at=now(connection))
    )
    return True


def pending(connection: Connection, guest: str) -> list[Invitation]:
    """Return the invitations that a guest can still accept and hasn't declined, the newest first.

    Those of people whom the guest has blocked are left out.
    """
    has_seat = exists().where(_OWNER.table_id == _TABLE.id, _OWNER.guest == guest)
    has_room = exists().where(_SEAT.table_id == _TABLE.id, _SEAT.kind == "open")
    is_open = (_TABLE.status == "gathering") & has_room & ~has_seat
    query = (
        select(_ROW.table_id, _ROW.created_at, _TABLE.game, _ROW.inviter, schema.guests.c.name)
        .select_from(
            schema.invitations.join(schema.tables, _TABLE.id == _ROW.table_id).join(
                schema.guests, schema.guests.c.id == _ROW.inviter
            )
        )
        .where(_ROW.guest == guest, _ROW.declined_at.is_(None), _ROW.created_at > now(connection) - _LIFETIME, is_open)
        .order_by(_ROW.created_at.desc())
    )
    rows = connection.execute(query).all()
    blocked = ignored.of_guest(connection, guest).blocked if rows else frozenset()
    return [Invitation(row.table_id, row.game, row.name, in_utc(row.created_at)) for row in rows if row.inviter not in blocked]


def decline(connection: Connection, table: str, guest: str) -> bool:
    """Note that a guest declines an invitation. Return whether there was one."""
    fits = (_ROW.table_id == table) & (_ROW.guest == guest) & _ROW.declined_at.is_(None)
    return connection.execute(update(schema.invitations).where(fits).values(declined_at=now(connection))).rowcount > 0
