"""Queries about guests."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, exists, insert, select, update

from meadhall.server.store import schema
from meadhall.server.store.models import Guest, new_id
from meadhall.server.store.queries import accounts
from meadhall.server.store.queries.present import now

_GUEST = schema.guests.c
_SETTINGS = ("language", "theme", "motion", "confirm", "profile")
_WITH_ACCOUNT = select(schema.guests, exists().where(schema.accounts.c.guest == _GUEST.id).label("has_account"))


def find(connection: Connection, id: str) -> Guest | None:
    """Return the guest with that id, None if the database has no row of them."""
    return _find(connection, _GUEST.id == id)


def find_public(connection: Connection, public_id: str) -> Guest | None:
    """Return the guest with that public id."""
    return _find(connection, _GUEST.public_id == public_id)


def find_all(connection: Connection, ids: Sequence[str]) -> list[Guest]:
    """Return the guests with these ids, in their order. Those that no longer exist are left out."""
    rows = connection.execute(_WITH_ACCOUNT.where(_GUEST.id.in_(ids)))
    found = {row.id: _guest(row) for row in rows}
    return [found[id] for id in ids if id in found]


def names(connection: Connection, ids: Collection[str]) -> dict[str, str]:
    """Return the names of stored guests by their ids."""
    rows = connection.execute(select(_GUEST.id, _GUEST.name).where(_GUEST.id.in_(ids)))
    return {row.id: row.name for row in rows}


def _find(connection: Connection, condition: ColumnElement[bool]) -> Guest | None:
    row = connection.execute(_WITH_ACCOUNT.where(condition)).one_or_none()
    return None if row is None else _guest(row)


def _guest(row: Row[Any]) -> Guest:
    settings: dict[str, Any] = {name: getattr(row, name) for name in _SETTINGS}
    more: dict[str, Any] = {"choices": row.choices or {}, "public_id": row.public_id, "has_account": row.has_account}
    more |= {"notifications": row.notifications or {}, "chosen_crest": row.crest or ""}
    more |= {"is_admitted": row.admitted_at is not None, "is_closed": row.closed_at is not None}
    return Guest(row.id, row.name, **settings, is_stored=True, **more)


def save(connection: Connection, guest: Guest, is_chosen: bool = False) -> Guest:
    """Insert or update a guest, and return them as stored.

    A name that looks like that of an account is for its owner alone: other guests get it with a number.

    Args:
        connection: the transaction.
        guest: the guest.
        is_chosen: whether the guest has just chosen the name, so that a name that is not free is refused.

    Raises:
        NameTaken: the name belongs to an account, and it is chosen or an account's.
    """
    guest = replace(guest, name=accounts.free_name(connection, guest, is_chosen))
    accounts.rename(connection, guest.id, guest.name)  # the account may be newer than the caller's copy of the guest
    settings = {name: getattr(guest, name) for name in _SETTINGS}
    values = {"name": guest.name, "crest": guest.chosen_crest or None, **settings, "choices": dict(guest.choices) or None}
    values["notifications"] = dict(guest.notifications) or None
    changed = update(schema.guests).where(_GUEST.id == guest.id).values(**values)
    if connection.execute(changed).rowcount == 0:
        connection.execute(insert(schema.guests).values(id=guest.id, public_id=new_id(), created_at=now(connection), **values))
    stored = find(connection, guest.id)
    assert stored is not None
    return stored
