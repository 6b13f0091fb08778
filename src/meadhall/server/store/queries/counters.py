"""Counters that survive restarts."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from meadhall.server.store import schema

_COUNTER = schema.counters.c


def next_value(connection: Connection, name: str) -> int:
    """Raise a counter by one and return its value. A migration has created it."""
    connection.execute(update(schema.counters).where(_COUNTER.name == name).values(value=_COUNTER.value + 1))
    return int(connection.execute(select(_COUNTER.value).where(_COUNTER.name == name)).scalar_one())
