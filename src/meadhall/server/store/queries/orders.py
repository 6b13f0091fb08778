"""Queries about reports and prints that guests have ordered, see ``hall/orders.py``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, insert, select, update

from meadhall.server.store import schema
from meadhall.server.store.queries.present import now

KEPT_FOR: Final = timedelta(days=30)
"""How long an order is kept."""

_ORDER: Final = schema.orders.c


def add(connection: Connection, id: str, guest: str, kind: str, request: Mapping[str, Any]) -> None:
    """Store an order that waits."""
    values = {"id": id, "guest": guest, "kind": kind, "request": dict(request), "state": "waiting", "created_at": now(connection)}
    connection.execute(insert(schema.orders).values(values))


def every(connection: Connection) -> Sequence[Row[Any]]:
    """Return all orders without their answers, the oldest first."""
    columns = [_ORDER.id, _ORDER.guest, _ORDER.kind, _ORDER.request, _ORDER.state]
    return connection.execute(select(*columns).order_by(_ORDER.created_at)).all()


def guest_of(connection: Connection, id: str) -> str | None:
    """Return the guest who has ordered this; None if it was deleted."""
    return connection.scalar(select(_ORDER.guest).where(_ORDER.id == id))


def answer(connection: Connection, id: str) -> Mapping[str, Any]:
    """Return what the process of an order has answered; empty before, and if it was deleted."""
    found: Mapping[str, Any] | None = connection.scalar(select(_ORDER.answer).where(_ORDER.id == id))
    return found or {}


def finish(connection: Connection, id: str, state: str, answer: Mapping[str, Any]) -> None:
    """Store the answer of an order, if it was not deleted."""
    connection.execute(update(schema.orders).where(_ORDER.id == id).values(state=state, answer=dict(answer)))


def remove(connection: Connection, id: str) -> None:
    """Delete an order."""
    connection.execute(delete(schema.orders).where(_ORDER.id == id))


def delete_outdated(connection: Connection) -> None:
    """Delete the orders that were kept long enough."""
    connection.execute(delete(schema.orders).where(_ORDER.created_at <= now(connection) - KEPT_FOR))
