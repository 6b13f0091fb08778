"""Read everything that is stored about a guest, for the guest. ``schema.GUEST_COLUMNS`` says which tables have it.

Two things are left out: secrets, such as the hash of a password, and the ids of guests, which sessions sign. Another guest is
named by their public id.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Column, Connection, Table, or_, select

from meadhall.server.store import schema
from meadhall.server.store.models import TableRow, in_utc
from meadhall.server.store.queries import tables

_SECRETS: Final = frozenset(
    {
        schema.accounts.c.drawn_name,
        schema.accounts.c.folded_name,
        schema.accounts.c.handle,
        schema.accounts.c.password,
        schema.passkeys.c.id,
        schema.passkeys.c.public_key,
        schema.passkeys.c.sign_count,
        schema.sessions.c.id,
        schema.sessions.c.token,
        schema.push_subscriptions.c.endpoint,
        schema.push_subscriptions.c.p256dh,
        schema.push_subscriptions.c.auth,
        schema.push_subscriptions.c.vapid_key,
        schema.push_subscriptions.c.session,
        schema.chat_lines.c.number,  # it counts lines that the guest doesn't hear
    }
)
"""Columns that no download contains: they prove who a person is, or say nothing about them."""

_MATCHES: Final = (schema.tables, schema.seat_guests)
"""Tables whose rows are exported as matches."""

_MATCH_VALUES: Final = (
    *("id", "game", "rules", "options", "clock", "status", "is_public", "daily", "created_at", "started_at", "finished_at"),
    *("abandon_reason", "outcome", "figures"),
)


def export(connection: Connection, guest: str) -> dict[str, list[dict[str, Any]]]:
    """Return everything that is stored about a guest, as rows by the name of their table, ready for JSON."""
    columns: dict[Table, list[Column[Any]]] = {}
    for each in schema.GUEST_COLUMNS:
        if each.export == "rows":
            columns.setdefault(each.column.table, []).append(each.column)
    found = {table.name: _rows(connection, table, owners, guest) for table, owners in columns.items() if table not in _MATCHES}
    return {**found, "matches": [_match(table, guest) for table in tables.of_guest(connection, guest, None)]}


def _rows(connection: Connection, table: Table, owners: list[Column[Any]], guest: str) -> list[dict[str, Any]]:
    people = {each.column for each in schema.GUEST_COLUMNS if each.column.table is table}
    shown = [column for column in table.columns if column not in _SECRETS and column not in people]
    others = [column for column in people if column not in owners]
    rows = connection.execute(select(*shown, *others).where(or_(*(owner == guest for owner in owners)))).all()
    return [
        {column.name: _value(row._mapping[column]) for column in shown}
        | {column.name: _public(connection, row._mapping[column]) for column in others}
        for row in rows
    ]


def _public(connection: Connection, guest: str) -> str | None:
    """Return the public id of another guest; None if they no longer exist."""
    return connection.scalar(select(schema.guests.c.public_id).where(schema.guests.c.id == guest))


def _match(table: TableRow, guest: str) -> dict[str, Any]:
    values: Mapping[str, Any] = {name: getattr(table, name) for name in _MATCH_VALUES}
    clock = None if table.clock is None else table.clock.to_json()
    seats = [
        {"seat": row.seat, "kind": row.kind, "name": row.name, "bot": row.bot, "you": guest in row.guests} for row in table.seats
    ]
    return {**{name: _value(value) for name, value in values.items()}, "clock": clock, "seats": seats}


def _value(value: Any) -> Any:
    return in_utc(value).isoformat() if isinstance(value, datetime) else value
