"""Queries about what a session has opened: push messages to its browser, and links to other devices. It ends with the session.

The private links of seats, which its pages show, are renewed then.

A guest without an account has no sessions. There the column ``session`` has the id of the device, which is in its cookie.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlalchemy import ColumnElement, Connection, Select, delete, or_, update

from meadhall.server.store import schema
from meadhall.server.store.models import new_link_token
from meadhall.server.store.queries import identity_links, tables
from meadhall.server.store.queries.leaving import unfinished_of

_PUSH: Final = schema.push_subscriptions
_TABLES: Final = (_PUSH, schema.identity_links)


def end(connection: Connection, sessions: Select[tuple[str]] | list[str]) -> None:
    """End what sessions or devices with these ids have opened."""
    for table in _TABLES:
        connection.execute(delete(table).where(table.c.session.in_(sessions)))


def end_all(connection: Connection, guest: str, except_session: str = "") -> None:
    """End all push messages of a guest, except to the browser of one session or device; and all links to other devices."""
    is_other: ColumnElement[bool] = or_(_PUSH.c.session.is_(None), _PUSH.c.session != except_session)
    connection.execute(delete(_PUSH).where(_PUSH.c.guest == guest, is_other))
    identity_links.end_all(connection, guest)


def hand_over(connection: Connection, session: str, to: str, guest: str) -> None:
    """Let what a session or device of this guest has opened belong to another one, of the same browser.

    What it has opened for another guest ends: the browser is this guest's now.
    """
    for table in _TABLES if session else ():
        connection.execute(delete(table).where(table.c.session == session, table.c.guest != guest))
        connection.execute(update(table).where(table.c.session == session).values(session=to))


def renew_seat_links(connection: Connection, guest: str) -> list[str]:
    """Give the seats of a guest at tables that are not over other private links. Return the ids of these tables.

    Devices that have a seat by its link keep it.
    """
    changed = []
    for table in unfinished_of(connection, guest):
        own = [row for row in table.seats if guest in row.guests]
        for row in own:
            table = table.replace_seat(replace(row, link_token=new_link_token()))  # noqa: PLW2901
        if own:
            tables.save(connection, table)
            changed.append(table.id)
    return changed
