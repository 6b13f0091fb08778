"""What is stored about a guest as a whole: merge it with another guest's, export it, delete it.

``schema.GUEST_COLUMNS`` says what happens to the rows of each table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from meadhall.server.store import guests, schema, tables
from meadhall.server.store.database import Db, as_json, in_utc, of_json
from meadhall.server.store.models import TableRow

# -------------------------------------------------------------------------------------------------------------------- merging


def merge_guests(db: Db, source: str, target: str) -> list[str]:
    """Give everything of one guest to another, and delete the first. Return the ids of the tables that have changed.

    It happens when a device with a guest already (the source) signs in to an account (the target). Where both have something that
    a person has only once:

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
    for table in tables.unfinished_of(db, source):
        if table.seat_of(source) is not None and table.seat_of(target) not in (None, table.seat_of(source)):
            tables.save(db, tables.without_seats(table, source, db.now()))
            changed.add(table.id)
    changed |= tables.change_all_of(db, source)
    _move(db, "seat_guests", "guest", source, target)
    _give_tables(db, source, target)
    for each in schema.GUEST_COLUMNS:
        if each.merge == "move":
            _move(db, each.table, each.column, source, target)
    _keep_choices(db, source, target)
    admitted = db.one("SELECT admitted_by FROM guests WHERE id = ? AND admitted_at IS NOT NULL", source)
    if admitted is not None:
        guests.admit(db, target, admitted["admitted_by"])
    carry = """UPDATE guests SET (muted_until, reason) = (SELECT muted_until, reason FROM guests WHERE id = :source)
        WHERE id = :target AND coalesce(muted_until, '') < (SELECT coalesce(muted_until, '') FROM guests WHERE id = :source)"""
    db.run(carry, source=source, target=target)  # a mute comes along
    db.run("DELETE FROM guests WHERE id = ?", source)
    person = guests.find(db, target)
    if person is not None:
        tables.change_seats(db, target, before_match=True, crest=person.crest.text)
    return sorted(changed)


def _give_tables(db: Db, source: str, target: str) -> None:
    """Make the target the host of the source's tables, except attempts at a daily puzzle that the target has attempted, too."""
    change = """UPDATE tables SET host = :target WHERE host = :source
        AND NOT EXISTS (SELECT 1 FROM tables own WHERE own.host = :target AND own.daily = tables.daily)"""
    db.run(change, source=source, target=target)


def _keep_choices(db: Db, source: str, target: str) -> None:
    choices: dict[str, Any] = {}
    for guest in (source, target):
        choices |= of_json(db.value("SELECT choices FROM guests WHERE id = ?", guest)) or {}
    db.run("UPDATE guests SET choices = ? WHERE id = ?", as_json(choices or None), target)


def _move(db: Db, table: str, column: str, source: str, target: str) -> None:
    """Write the target for the source in a column. Rows that the target has already are deleted."""
    for others in _unique_with(db, table, column):
        same = "".join(f" AND own.{other} = {table}.{other}" for other in others)
        own = f"SELECT 1 FROM {table} own WHERE own.{column} = ?{same}"
        db.run(f"DELETE FROM {table} WHERE {column} = ? AND EXISTS ({own})", source, target)
    db.run(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", target, source)
    keys = db.values("SELECT name FROM pragma_table_info(?) WHERE pk", table)
    for each in schema.GUEST_COLUMNS:  # for example a block of the target by the target
        if each.table == table and each.column != column and {each.column, column} <= {*keys}:
            db.run(f"DELETE FROM {table} WHERE {column} = ? AND {each.column} = ?", target, target)


def _unique_with(db: Db, table: str, column: str) -> Iterator[list[str]]:
    """Yield for each unique key with the column its other columns."""
    for index in db.values('SELECT name FROM pragma_index_list(?) WHERE "unique"', table):
        columns = db.values("SELECT name FROM pragma_index_info(?)", index)
        if column in columns:
            yield [each for each in columns if each != column]


# ------------------------------------------------------------------------------------------------------------------- deleting


def delete_guest(db: Db, guest: str, name: str) -> list[str]:
    """Delete a guest and their rows. Return the ids of the tables that have changed.

    Their matches stay: others played there, too. They leave the tables that are not over, as ``tables.without_seats`` does.

    Args:
        db: the transaction.
        guest: their id.
        name: what their seats are called from now on, for example "former player".
    """
    changed = set()
    for table in tables.unfinished_of(db, guest):
        tables.save(db, tables.without_seats(table, guest, db.now(), name))
        changed.add(table.id)
    changed |= tables.change_all_of(db, guest)
    tables.change_seats(db, guest, name=name, crest=None)
    for each in reversed(schema.GUEST_COLUMNS):
        if each.delete == "delete":
            db.run(f"DELETE FROM {each.table} WHERE {each.column} = ?", guest)
        elif each.delete == "clear":
            db.run(f"UPDATE {each.table} SET {each.column} = NULL WHERE {each.column} = ?", guest)
    return sorted(changed)


# ------------------------------------------------------------------------------------------------------------------ exporting

_SECRETS: Final[Mapping[str, frozenset[str]]] = {
    "accounts": frozenset({"drawn_name", "folded_name", "handle", "password"}),
    "passkeys": frozenset({"id", "public_key", "sign_count"}),
    "sessions": frozenset({"id", "token"}),
    "push_subscriptions": frozenset({"endpoint", "p256dh", "auth", "vapid_key", "session"}),
    "cases": frozenset({"address"}),
    "chat_lines": frozenset({"number"}),  # it counts lines that the guest doesn't hear
}
"""Columns that no download contains: they prove who a person is, or say nothing about them."""

_MATCHES: Final = ("tables", "seat_guests")
"""Tables whose rows are exported as matches."""

_MATCH_VALUES: Final = (
    *("id", "game", "rules", "options", "status", "is_public", "daily", "created_at", "started_at", "finished_at"),
    *("abandon_reason", "outcome", "figures"),
)


def export(db: Db, guest: str) -> dict[str, list[dict[str, Any]]]:
    """Return everything that is stored about a guest, as rows by the name of their table, ready for JSON.

    Two things are left out: secrets, such as the hash of a password, and the ids of guests, which sessions sign. Another guest is
    named by their public id. Mail is left out if there is none, because not every hall sends it.
    """
    owners: dict[str, list[str]] = {}
    for each in schema.GUEST_COLUMNS:
        if each.export == "rows" and each.table not in _MATCHES:
            owners.setdefault(each.table, []).append(each.column)
    found = {
        table: rows
        for table, columns in owners.items()
        if (rows := _rows(db, table, columns, guest)) or not table.startswith("mail_")
    }
    return {**found, "matches": [_match(table, guest) for table in tables.of_guest(db, guest, None)]}


def _rows(db: Db, table: str, owners: list[str], guest: str) -> list[dict[str, Any]]:
    people = [each.column for each in schema.GUEST_COLUMNS if each.table == table]
    kinds = {name: kind for name, kind in db.rows("SELECT name, type FROM pragma_table_info(?)", table)}  # noqa: C416
    shown = [name for name in kinds if name not in people and name not in _SECRETS.get(table, ())]
    is_own = " OR ".join(f"{owner} = :guest" for owner in owners)
    rows = db.rows(f"SELECT * FROM {table} WHERE {is_own}", guest=guest)
    return [
        {name: _shown(kinds[name], row[name]) for name in shown}
        | {name: _public(db, row[name]) for name in people if name not in owners}
        for row in rows
    ]


def _shown(kind: str, value: Any) -> Any:
    """Return the value of a column of this type, ready for JSON."""
    if value is None:
        return None
    convert = {"DATETIME": lambda at: in_utc(at).isoformat(), "JSON": of_json, "BOOLEAN": bool}.get(kind)
    return value if convert is None else convert(value)


def _public(db: Db, guest: str) -> str | None:
    """Return the public id of another guest; None if they no longer exist."""
    found: str | None = db.value("SELECT public_id FROM guests WHERE id = ?", guest)
    return found


def _match(table: TableRow, guest: str) -> dict[str, Any]:
    values: Mapping[str, Any] = {name: getattr(table, name) for name in _MATCH_VALUES}
    clock = None if table.clock is None else table.clock.to_json()
    seats = [
        {"seat": row.seat, "kind": row.kind, "name": row.name, "bot": row.bot, "you": guest in row.guests} for row in table.seats
    ]
    told = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}
    return {**told, "clock": clock, "seats": seats}
