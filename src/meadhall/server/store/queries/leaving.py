"""Take a guest off tables that are not over, when the guest ceases to exist or has a second seat there."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, and_

from meadhall.bots.ranks import JARL
from meadhall.server.store import schema
from meadhall.server.store.models import SeatRow, TableRow, TableStatus, new_link_token
from meadhall.server.store.queries import tables

_TABLE = schema.tables.c


def unfinished_of(connection: Connection, guest: str) -> list[TableRow]:
    """Return the tables that a guest hosts or sits at and whose match has not ended, in the order of their ids."""
    found = tables.read(connection, and_(tables.belongs_to(guest), _TABLE.status.in_(("gathering", "running"))), None)
    return sorted(found, key=lambda table: table.id)


def without_seats(table: TableRow, guest: str, at: datetime, name: str | None = None) -> TableRow:
    """Return an unfinished table without the guest's seats.

    ``at``: the time; ``name``: what their seats in a match are called from now on.

    Before a match the seat is open; if the guest was the host, the next person is; without one the table is closed. In a match
    a bot takes the seat; if no person is left, the match is given up. A seat that other devices hold, too, stays theirs.
    """
    for row in table.seats:
        if guest in row.guests:
            table = table.replace_seat(_left(replace(row, name=name or row.name), guest, table.status))
    people = [min(row.guests) for row in table.seats if row.guests]
    if table.host == guest and people:
        table = replace(table, host=people[0])
    if people:
        return table
    if table.status == "gathering":
        return replace(table, status="closed", finished_at=at)
    return replace(table, status="abandoned", finished_at=at, abandon_reason="everybody left")


def _left(row: SeatRow, guest: str, status: TableStatus) -> SeatRow:
    others = row.guests - {guest}
    if others:
        return replace(row, guests=others)
    if status == "running":
        return replace(row, kind="bot", bot=JARL.name, guests=frozenset(), link_token=new_link_token(), stored_crest="")
    return SeatRow(row.seat, "open", "", None, frozenset(), new_link_token())
