"""Delete what is stored about a guest. ``schema.GUEST_COLUMNS`` says which rows are deleted."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, delete, select, tuple_, update

from meadhall.server.store import schema
from meadhall.server.store.queries import records, tables
from meadhall.server.store.queries.leaving import unfinished_of, without_seats
from meadhall.server.store.queries.present import now

_SEAT: Final = schema.seats.c
_OWNER: Final = schema.seat_guests.c


def delete_guest(connection: Connection, guest: str, name: str) -> list[str]:
    """Delete a guest and their rows. Return the ids of the tables that have changed.

    Their matches stay: others played there, too. They leave the tables that are not over, as ``leaving.without_seats`` does.

    Args:
        guest: their id.
        name: what their seats are called from now on, for example "former player".
    """
    changed = set()
    for table in unfinished_of(connection, guest):
        tables.save(connection, without_seats(table, guest, now(connection), name))
        changed.add(table.id)
    changed |= tables.change_all_of(connection, guest)
    records.forget(connection, guest)
    seats = select(_OWNER.table_id, _OWNER.seat).where(_OWNER.guest == guest)
    connection.execute(update(schema.seats).where(tuple_(_SEAT.table_id, _SEAT.seat).in_(seats)).values(name=name, crest=None))
    for each in reversed(schema.GUEST_COLUMNS):
        if each.delete == "delete":
            connection.execute(delete(each.column.table).where(each.column == guest))
        elif each.delete == "clear":
            connection.execute(update(each.column.table).where(each.column == guest).values({each.column: None}))
    return sorted(changed)
