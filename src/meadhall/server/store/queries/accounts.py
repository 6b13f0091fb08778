"""Queries about accounts: names that are taken, passwords, passkeys and recovery codes."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NameTaken
from meadhall.server.store import schema
from meadhall.server.store.lookalikes import NameKeys
from meadhall.server.store.models import Account, Guest, Passkey, in_utc
from meadhall.server.store.queries.present import now

_ACCOUNT: Final = schema.accounts.c
_GUEST: Final = schema.guests.c
_PASSKEY: Final = schema.passkeys.c
_CODE: Final = schema.recovery_codes.c

_NUMBERED: Final = 20
"""Letters of a name that are kept when a number is added."""


# ---------------------------------------------------------------------------------------------------------------------- names


def owner_of(connection: Connection, name: str) -> str | None:
    """Return the id of the guest whose account has a name that looks like this one."""
    found = find_by_name(connection, name)
    return None if found is None else found.guest


def owned_of(connection: Connection, names: Collection[str]) -> frozenset[str]:
    """Return those of some names that look like the name of an account."""
    keys = {name: (keys.drawn, keys.folded, keys.spelled) for name in names for keys in (NameKeys.of(name),)}
    wanted = {key for each in keys.values() for key in each}
    alike = or_(_ACCOUNT.drawn_name.in_(wanted), _ACCOUNT.folded_name.in_(wanted))
    rows = connection.execute(select(_ACCOUNT.drawn_name, _ACCOUNT.folded_name).where(alike))
    owned = {key for row in rows for key in row}
    return frozenset(name for name, each in keys.items() if not owned.isdisjoint(each))


def free_name(connection: Connection, guest: Guest, is_chosen: bool) -> str:
    """Return the guest's name, with a number if it belongs to an account of another guest.

    Raises NameTaken instead if the guest has just chosen it (``is_chosen``) or has an account.
    """
    for number in range(1, 1000):
        name = guest.name if number == 1 else f"{guest.name[:_NUMBERED].rstrip()} {number}"
        if owner_of(connection, name) in (None, guest.id):
            return name
        if is_chosen or guest.has_account:
            break
    raise NameTaken(_("That name belongs to another player of this hall. Choose a different one; if it is yours, sign in."))


def rename(connection: Connection, guest: str, name: str) -> None:
    """Give an account another name. Raises NameTaken."""
    keys = NameKeys.of(name)
    changed = update(schema.accounts).where(_ACCOUNT.guest == guest).values(drawn_name=keys.drawn, folded_name=keys.folded)
    _run_unless_taken(connection, changed)


def _run_unless_taken(connection: Connection, statement: Any) -> None:
    try:
        connection.execute(statement)
    except IntegrityError:  # another guest has just taken it
        raise NameTaken(_("That name belongs to another player of this hall. Choose a different one.")) from None


# ------------------------------------------------------------------------------------------------------------------- accounts


def add(connection: Connection, guest: str, name: str, handle: str, password: str | None) -> None:
    """Make an account of a stored guest. Raises NameTaken."""
    keys = NameKeys.of(name)
    values = {"guest": guest, "drawn_name": keys.drawn, "folded_name": keys.folded, "handle": handle, "password": password}
    _run_unless_taken(connection, insert(schema.accounts).values(**values, created_at=now(connection)))


def find(connection: Connection, guest: str) -> Account | None:
    """Return the account of a guest."""
    return _find(connection, _ACCOUNT.guest == guest)


def find_by_name(connection: Connection, name: str) -> Account | None:
    """Return the account whose name looks like this one, first of all the one with the same spelling."""
    keys = NameKeys.of(name)
    is_alike = or_(_ACCOUNT.drawn_name == keys.drawn, _ACCOUNT.folded_name == keys.folded)
    return _find(connection, _ACCOUNT.drawn_name == keys.spelled) or _find(connection, is_alike)


def _find(connection: Connection, condition: ColumnElement[bool]) -> Account | None:
    query = select(schema.accounts, _GUEST.name).join(schema.guests, _GUEST.id == _ACCOUNT.guest).where(condition).limit(1)
    row = connection.execute(query).one_or_none()
    return None if row is None else Account(row.guest, row.name, row.handle, row.password, in_utc(row.created_at))


def set_password(connection: Connection, guest: str, password: str | None, instead_of: str | None = None) -> None:
    """Store the hash of a password. ``instead_of``: only if this one is still stored."""
    changed = update(schema.accounts).where(_ACCOUNT.guest == guest)
    if instead_of is not None:
        changed = changed.where(_ACCOUNT.password == instead_of)
    connection.execute(changed.values(password=password))


# ------------------------------------------------------------------------------------------------------------------- passkeys


def add_passkey(connection: Connection, passkey: Passkey) -> None:
    """Store a new passkey. Raises IntegrityError if there is one with its id."""
    values = {column.name: getattr(passkey, column.name) for column in schema.passkeys.columns}
    connection.execute(insert(schema.passkeys).values(**{**values, "transports": list(passkey.transports)}))


def find_passkey(connection: Connection, id: str) -> Passkey | None:
    """Return the passkey with that id."""
    found = _passkeys(connection, _PASSKEY.id == id)
    return found[0] if found else None


def passkeys_of(connection: Connection, guest: str) -> list[Passkey]:
    """Return the passkeys of an account, the oldest first."""
    return _passkeys(connection, _PASSKEY.guest == guest)


def _passkeys(connection: Connection, condition: ColumnElement[bool]) -> list[Passkey]:
    rows = connection.execute(select(schema.passkeys).where(condition).order_by(_PASSKEY.created_at, _PASSKEY.id))
    found = []
    for row in rows:
        values: dict[str, Any] = dict(row._mapping)
        used_at: datetime | None = row.last_used_at
        times = {"created_at": in_utc(row.created_at), "last_used_at": None if used_at is None else in_utc(used_at)}
        found.append(Passkey(**{**values, **times, "transports": tuple(row.transports)}))
    return found


def use_passkey(connection: Connection, passkey: Passkey, sign_count: int) -> bool:
    """Note that a passkey was used. Return False if it was used or removed at the same time elsewhere."""
    is_same = (_PASSKEY.id == passkey.id, _PASSKEY.sign_count == passkey.sign_count)
    used = update(schema.passkeys).where(*is_same).values(sign_count=sign_count, last_used_at=now(connection))
    return connection.execute(used).rowcount > 0


def remove_passkey(connection: Connection, guest: str, id: str) -> bool:
    """Remove a passkey of an account. Return whether there was one."""
    return connection.execute(delete(schema.passkeys).where(_PASSKEY.guest == guest, _PASSKEY.id == id)).rowcount > 0


# ------------------------------------------------------------------------------------------------------------- recovery codes


def replace_codes(connection: Connection, guest: str, codes: Collection[str]) -> None:
    """Store the hashes of new recovery codes. Older ones are not accepted any more."""
    connection.execute(delete(schema.recovery_codes).where(_CODE.guest == guest))
    connection.execute(insert(schema.recovery_codes), [{"guest": guest, "code": code} for code in codes])


def use_code(connection: Connection, guest: str, code: str) -> bool:
    """Delete a recovery code by its hash. Return whether the guest had it: a code is accepted once, at one process."""
    return connection.execute(delete(schema.recovery_codes).where(_CODE.guest == guest, _CODE.code == code)).rowcount > 0


def count_codes(connection: Connection, guest: str) -> int:
    """Return the number of recovery codes that are left."""
    return connection.execute(select(func.count()).select_from(schema.recovery_codes).where(_CODE.guest == guest)).scalar_one()
