"""Counters that survive restarts."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from meadhall.server.store import schema

_COUNTER = schema.counters.c


def next_value(connection: Connection, name: str, first: int) -> int:
    """Raise a counter by one and return its value; ``first`` at the first call."""
    raised = update(schema.counters).where(_COUNTER.name == name).values(value=_COUNTER.value + 1)
    if connection.execute(raised).rowcount == 0:
        connection.execute(insert(schema.counters).values(name=name, value=first))
    return int(connection.execute(select(_COUNTER.value).where(_COUNTER.name == name)).scalar_one())
