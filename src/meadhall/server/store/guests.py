"""Queries about guests, and about the people of a hall for its host: list, rename and admit them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from meadhall.server.store import accounts, links, tables
from meadhall.server.store.database import Db, Row, as_json, each_of, in_utc, in_utc_or_none, of_json
from meadhall.server.store.models import FOR_GOOD, Guest, new_id

_SETTINGS: Final = ("language", "theme", "motion", "confirm", "onward", "profile")
_SELECT: Final = "SELECT *, EXISTS (SELECT 1 FROM accounts WHERE guest = guests.id) AS has_account FROM guests"
_SAVE: Final = f"""UPDATE guests SET name = :name, crest = :crest, choices = :choices, notifications = :notifications,
{", ".join(f"{name} = :{name}" for name in _SETTINGS)} WHERE id = :id"""


def find(db: Db, id: str) -> Guest | None:
    """Return the guest with that id, None if the database has no row of them."""
    row = db.one(f"{_SELECT} WHERE id = ?", id)
    return None if row is None else _guest(row)


def find_public(db: Db, public_id: str) -> Guest | None:
    """Return the guest with that public id."""
    row = db.one(f"{_SELECT} WHERE public_id = ?", public_id)
    return None if row is None else _guest(row)


def find_all(db: Db, ids: Sequence[str]) -> list[Guest]:
    """Return the guests with these ids, in their order. Those that no longer exist are left out."""
    rows = db.rows(f"{_SELECT} WHERE id IN (SELECT value FROM json_each(?))", each_of(ids))
    found = {row["id"]: _guest(row) for row in rows}
    return [found[id] for id in ids if id in found]


def _guest(row: Row) -> Guest:
    settings: dict[str, Any] = {name: row[name] for name in _SETTINGS}
    return Guest(
        row["id"],
        row["name"],
        **settings,
        is_stored=True,
        choices=of_json(row["choices"]) or {},
        public_id=row["public_id"],
        has_account=bool(row["has_account"]),
        notifications=of_json(row["notifications"]) or {},
        is_admitted=row["admitted_at"] is not None,
        closed_until=None if row["closed_at"] is None else in_utc_or_none(row["closed_until"]) or FOR_GOOD,
        chosen_crest=row["crest"] or "",
        muted_until=in_utc_or_none(row["muted_until"]),
        reason=row["reason"],
        told=row["told"],
        asks=row["asks"],
        role=row["role"],
    )


def save(db: Db, guest: Guest, is_chosen: bool = False) -> Guest:
    """Insert or update a guest, and return them as stored.

    A name that looks like that of an account is for its owner alone: other guests get it with a number.

    Args:
        db: the transaction.
        guest: the guest.
        is_chosen: whether the guest has just chosen the name, so that a name that is not free is refused.

    Raises:
        NameTaken: the name belongs to an account, and it is chosen or an account's.
    """
    guest = replace(guest, name=accounts.free_name(db, guest, is_chosen))
    accounts.rename(db, guest.id, guest.name)  # the account may be newer than the caller's copy of the guest
    values = {"id": guest.id, "name": guest.name, "crest": guest.chosen_crest or None}
    values |= {name: getattr(guest, name) for name in _SETTINGS}
    values |= {"choices": as_json(guest.choices or None), "notifications": as_json(guest.notifications or None)}
    if not db.run(_SAVE, **values):
        db.insert("guests", values | {"public_id": new_id(), "created_at": db.now()})
    stored = find(db, guest.id)
    assert stored is not None
    return stored


# --------------------------------------------------------------------------------------------------------- the host of a hall


def named_like(db: Db, name: str, limit: int) -> list[Row]:
    """Return people whose names contain a text, in any case, the newest first.

    Each is a row with ``public_id``, ``name``, ``created_at``, ``role``, ``has_account``, ``is_closed`` and the number of their
    ``tables``.
    """
    query = """SELECT public_id, name, created_at, role, EXISTS (SELECT 1 FROM accounts WHERE guest = guests.id) AS has_account,
        closed_at IS NOT NULL AND coalesce(closed_until, '9') > ? AS is_closed,
        (SELECT count(*) FROM seat_guests WHERE guest = guests.id) AS tables FROM guests
        WHERE instr(lower(name), lower(?)) ORDER BY created_at DESC, public_id LIMIT ?"""
    return db.rows(query, db.now(), name, limit)


def rename(db: Db, guest: Guest, name: str, unlike_others: Callable[[str, Collection[str]], str]) -> list[str]:
    """Give a person another name, at all their seats and in their lines of chat, too. Return the ids of the tables that changed.

    ``unlike_others``: see ``tables.rename_seats``. Raises NameTaken.
    """
    save(db, replace(guest, name=name), is_chosen=True)
    tables.rename_seats(db, guest.id, name, unlike_others)
    db.run("UPDATE chat_lines SET name = ? WHERE guest = ?", name, guest.id)
    return sorted(tables.change_all_of(db, guest.id))


def change(db: Db, guest: str, /, **values: datetime | str | None) -> None:
    """Change columns of a guest that are no settings: ``role``, ``muted_until``, ``reason``, ``asks`` and so on."""
    columns = ", ".join(f"{name} = :{name}" for name in values)
    db.run(f"UPDATE guests SET {columns} WHERE id = :id", id=guest, **values)


def let_in_again(db: Db, guest: str) -> None:
    """Admit a person again after they were shut out."""
    change(db, guest, closed_at=None, closed_until=None)
    db.run("DELETE FROM closings WHERE guest = ?", guest)


def hold_address(db: Db, guest: str, address: str) -> None:
    """Let new guests from the address of someone who was shut out wait, as long as that lasts; of two people, the longer one."""
    query = """INSERT INTO closings (address, guest, ends_at) SELECT ?, id, closed_until FROM guests WHERE id = ?
        ON CONFLICT (address) DO UPDATE SET guest = excluded.guest, ends_at = excluded.ends_at
        WHERE coalesce(excluded.ends_at, '9') > coalesce(ends_at, '9')"""
    db.run(query, address, guest)


def holds_address(db: Db, public_id: str) -> bool:
    """Return whether new guests from the address of a person wait, because the person was shut out."""
    return bool(db.value("SELECT 1 FROM closings JOIN guests ON guests.id = guest WHERE public_id = ?", public_id))


def held_addresses(db: Db) -> dict[str, datetime]:
    """Return until when new guests of each address wait."""
    return {address: in_utc_or_none(end) or FOR_GOOD for address, end in db.rows("SELECT address, ends_at FROM closings")}


def tell(db: Db, guest: str, what: str) -> None:
    """Let the next page tell a guest something, by its key."""
    db.run("UPDATE guests SET told = trim(told || ' ' || ?1) WHERE id = ?2 AND instr(told, ?1) = 0", what, guest)


def waiting(db: Db, most: int) -> list[tuple[Guest, datetime]]:
    """Return the new guests who wait, and since when they are known, the first ones first."""
    query = f"{_SELECT} WHERE asks IS NOT NULL AND created_at > '' ORDER BY created_at LIMIT ?"
    return [(_guest(row), in_utc(row["created_at"])) for row in db.rows(query, most)]


def admit(db: Db, guest: str, link: str | None) -> None:
    """Admit a stored guest to a hall for invited guests, by the link with that id."""
    change = "UPDATE guests SET admitted_at = ?, admitted_by = ? WHERE id = ? AND admitted_at IS NULL"
    db.run(change, db.now(), link, guest)


def revoke_link_of(db: Db, guest: str) -> str | None:
    """Delete the link that has admitted a guest, and return its id; None if it is gone already."""
    link: str | None = db.value("SELECT admitted_by FROM guests WHERE id = ?", guest)
    return link if link is not None and links.revoke_admission(db, link) else None
