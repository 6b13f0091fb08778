"""Queries about push subscriptions: the browsers that receive push messages of a guest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, insert, or_, select, update

from meadhall.server.store import schema
from meadhall.server.store.models import PushSubscription

MAX_DEVICES: Final = 10
"""Number of browsers that a guest may have. With another one, the oldest is forgotten."""

_SUBSCRIPTION: Final = schema.push_subscriptions.c
_OF_GUEST: Final = select(schema.push_subscriptions).where(_SUBSCRIPTION.guest == bindparam("guest"))


def add(connection: Connection, subscription: PushSubscription, instead_of: str = "") -> PushSubscription:
    """Store a subscription, in place of one with the same endpoint, or of the guest's one with the endpoint ``instead_of``.

    A browser has one endpoint, and receives the messages of the guest who subscribed it last. If that was this guest before, too,
    the subscription keeps its id, by which waiting messages find it. Return it as stored.
    """
    is_own = (_SUBSCRIPTION.guest == subscription.guest) & _SUBSCRIPTION.endpoint.in_([subscription.endpoint, instead_of])
    before = connection.execute(select(schema.push_subscriptions).where(is_own).order_by(_SUBSCRIPTION.created_at)).first()
    if before is not None:
        is_same = before.endpoint == subscription.endpoint
        subscription = replace(subscription, id=before.id, refusal=before.refusal if is_same else None)
    connection.execute(delete(schema.push_subscriptions).where(or_(_SUBSCRIPTION.endpoint == subscription.endpoint, is_own)))
    others = of_guests(connection, [subscription.guest])
    for oldest in others[: max(0, len(others) + 1 - MAX_DEVICES)]:
        delete_one(connection, oldest.id)
    connection.execute(insert(schema.push_subscriptions).values(**vars(subscription)))
    return subscription


def of_guests(connection: Connection, guests: Collection[str]) -> list[PushSubscription]:
    """Return the subscriptions of guests, the oldest first."""
    found = [row for guest in guests for row in connection.execute(_OF_GUEST, {"guest": guest})]  # almost always one guest
    return sorted(_found(found), key=lambda each: (each.created_at, each.id))


def find(connection: Connection, id: str) -> PushSubscription | None:
    """Return the subscription with that id, None if it was deleted."""
    found = _found(connection.execute(select(schema.push_subscriptions).where(_SUBSCRIPTION.id == id)).all())
    return found[0] if found else None


def delete_one(connection: Connection, id: str, guest: str | None = None) -> bool:
    """Delete a subscription, with a ``guest`` only if it is theirs. Return whether it was deleted."""
    chosen = delete(schema.push_subscriptions).where(_SUBSCRIPTION.id == id)
    if guest is not None:
        chosen = chosen.where(_SUBSCRIPTION.guest == guest)
    return connection.execute(chosen).rowcount > 0


def note_refusal(connection: Connection, id: str, reason: str | None) -> None:
    """Store why the push service has refused the last message; None: it has accepted it."""
    connection.execute(update(schema.push_subscriptions).where(_SUBSCRIPTION.id == id).values(refusal=reason))


def _found(rows: Sequence[Any]) -> list[PushSubscription]:
    return [PushSubscription(**{**row._mapping, "created_at": row.created_at.replace(tzinfo=UTC)}) for row in rows]
