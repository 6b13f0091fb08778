"""Let a guest become another one: everything of the first belongs to the second afterwards. ``schema.GUEST_COLUMNS`` says how.

It happens when a device with a guest already (the source) signs in to an account (the target).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Column, Connection, PrimaryKeyConstraint, UniqueConstraint, delete, exists, select, update

from meadhall.server.store import schema
from meadhall.server.store.queries import admission_links, tables
from meadhall.server.store.queries.guests import find
from meadhall.server.store.queries.leaving import unfinished_of, without_seats
from meadhall.server.store.queries.present import now

_GUEST: Final = schema.guests.c
_TABLE: Final = schema.tables.c
_OWNER: Final = schema.seat_guests.c


def merge_guests(connection: Connection, source: str, target: str) -> list[str]:
    """Give everything of one guest to another, and delete the first. Return the ids of the tables that have changed.

    Where both have something that a person has only once:

    - Their settings: the target's stay, with the source's choices for games that the target has never chosen anything for.
    - An attempt at the same daily puzzle: the target's is theirs. The source's stays ranked as it was; the target can open it as
      any match they sat at. Its host is still the source, so that its seed stays sealed.
    - A seat at the same table: before a match the source's is opened. In a running match a bot takes it, as after a resignation.
      After it both belong to the target.
    - Any other row: the target's stays.
    """
    if source == target:
        return []
    changed = set()
    for table in unfinished_of(connection, source):
        if table.seat_of(source) is not None and table.seat_of(target) not in (None, table.seat_of(source)):
            tables.save(connection, without_seats(table, source, now(connection)))
            changed.add(table.id)
    changed |= tables.change_all_of(connection, source)
    _move(connection, _OWNER.guest, source, target)
    _give_tables(connection, source, target)
    for each in schema.GUEST_COLUMNS:
        if each.merge == "move":
            _move(connection, each.column, source, target)
    _keep_choices(connection, source, target)
    admitted = connection.execute(select(_GUEST.admitted_at, _GUEST.admitted_by).where(_GUEST.id == source)).one_or_none()
    if admitted is not None and admitted.admitted_at is not None:
        admission_links.admit(connection, target, admitted.admitted_by)
    connection.execute(delete(schema.guests).where(_GUEST.id == source))
    person = find(connection, target)
    if person is not None:
        tables.set_crest(connection, target, person.crest.text)
    return sorted(changed)


def _give_tables(connection: Connection, source: str, target: str) -> None:
    """Make the target the host of the source's tables, except attempts at a daily puzzle that the target has attempted, too."""
    own = schema.tables.alias()
    attempted = exists().where(own.c.host == target, own.c.daily == _TABLE.daily)
    connection.execute(update(schema.tables).where(_TABLE.host == source, ~attempted).values(host=target))


def _keep_choices(connection: Connection, source: str, target: str) -> None:
    choices: dict[str, Any] = {}
    for guest in (source, target):
        choices |= connection.scalar(select(_GUEST.choices).where(_GUEST.id == guest)) or {}
    connection.execute(update(schema.guests).where(_GUEST.id == target).values(choices=choices or None))


def _move(connection: Connection, column: Column[Any], source: str, target: str) -> None:
    """Write the target for the source in a column. Rows that the target has already are deleted."""
    table = column.table
    for others in _unique_with(column):
        own = table.alias()
        same = [own.c[other.name] == other for other in others]
        connection.execute(delete(table).where(column == source, exists().where(own.c[column.name] == target, *same)))
    connection.execute(update(table).where(column == source).values({column: target}))
    for each in schema.GUEST_COLUMNS:  # for example a block of the target by the target
        if each.column.table is table and each.column is not column and each.column.primary_key and column.primary_key:
            connection.execute(delete(table).where(column == target, each.column == target))


def _unique_with(column: Column[Any]) -> Iterator[list[Column[Any]]]:
    """Yield for each unique constraint and index with the column its other columns."""
    table = column.table
    unique = [each for each in table.constraints if isinstance(each, PrimaryKeyConstraint | UniqueConstraint)]
    for group in (*unique, *(index for index in table.indexes if index.unique)):
        if column in list(group.columns):
            yield [each for each in group.columns if each is not column]
