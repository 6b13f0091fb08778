"""The audience of a change that another process has stored: everyone, or only the seats that it concerns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from meadhall.server.store.models import Entry, TableRow


def private_seats(before: TableRow, after: TableRow, entries: Iterable[Entry]) -> set[int] | None:
    """Return the seats that may learn of a change of a table and of new entries; None if everyone may.

    Only the seat may learn that it has requested a hint, or that its player has another device.
    """
    seats = {entry.seat for entry in entries if entry.kind == "hint"}
    if any(entry.kind != "hint" for entry in entries) or _without_devices(before) != _without_devices(after):
        return None
    return seats | {old.seat for old, new in zip(before.seats, after.seats, strict=True) if old.guests != new.guests}


def _without_devices(table: TableRow) -> TableRow:
    """Return the table with one guest on each seat that has any, and without its version."""
    seats = tuple(replace(row, guests=frozenset({"a guest"} if row.guests else ())) for row in table.seats)
    return replace(table, seats=seats, version=0)
