"""Queries about mail: the addresses of accounts, their confirmation, and the mails that wait."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from meadhall.server.store import jobs
from meadhall.server.store.database import Db
from meadhall.server.store.links import hash_of, new_token
from meadhall.server.store.models import new_id

TURNS: Final = "mail-turns"
"""The kind of jobs that look, for the guest with the id in the key, whether a mail about turns is due."""

OUTBOX: Final = "mail"
"""The kind of jobs that send a mail."""

CONFIRMED_WITHIN: Final = timedelta(days=1)
"""How long the link that confirms an address can be used."""


@dataclass(frozen=True)
class MailAddress:
    """The mail address of an account.

    Attributes:
        address: the address that was confirmed; "" without one.
        turns: whether mails about turns are wanted.
        refusal: why the mail server has refused the address, "" if it hasn't.
        pending: an address that waits for its link; "" without one.
        pending_refusal: why the mail server has refused that one.
    """

    address: str = ""
    turns: bool = True
    refusal: str = ""
    pending: str = ""
    pending_refusal: str = ""


def find(db: Db, guest: str) -> MailAddress:
    """Return the mail address of a guest."""
    row = db.one("SELECT address, turns, coalesce(refusal, '') FROM mail_addresses WHERE guest = ?", guest)
    waits = "SELECT address, coalesce(refusal, '') FROM mail_confirmations WHERE guest = ? AND expires_at > ?"
    address, turns, refusal = row or ("", True, "")
    return MailAddress(address, bool(turns), refusal, *(db.one(waits, guest, db.now()) or ()))


def guests_at(db: Db, address: str) -> list[str]:
    """Return the ids of the guests who have confirmed an address, in any case of its letters."""
    return db.values("SELECT guest FROM mail_addresses WHERE address = ?", address)


def remove(db: Db, guest: str) -> None:
    """Forget the addresses of a guest."""
    for table in ("mail_addresses", "mail_confirmations"):
        db.run(f"DELETE FROM {table} WHERE guest = ?", guest)


def set_turns(db: Db, guest: str, wanted: bool) -> None:
    """Note whether a guest wants mails about turns."""
    db.run("UPDATE mail_addresses SET turns = ? WHERE guest = ?", wanted, guest)


# --------------------------------------------------------------------------------------------------------------- confirmation


def ask(db: Db, guest: str, address: str) -> str:
    """Let an address wait for its link, in place of another one that waits. Return the token of the link."""
    token, hash = new_token()
    db.run("DELETE FROM mail_confirmations WHERE guest = ?", guest)
    row = {"guest": guest, "address": address, "token": hash, "expires_at": db.now() + CONFIRMED_WITHIN}
    db.insert("mail_confirmations", row)
    return token


def waiting(db: Db, token: str) -> tuple[str, str] | None:
    """Return the guest and the address that a link confirms; None if it was used or has expired."""
    query = "SELECT guest, address FROM mail_confirmations WHERE token = ? AND expires_at > ?"
    row = db.one(query, hash_of(token), db.now())
    return None if row is None else (row["guest"], row["address"])


def confirm(db: Db, token: str) -> bool:
    """Use the link up: the address is the guest's now. Return False if it was used or has expired."""
    found = waiting(db, token)
    if found is not None:
        wants = find(db, found[0]).turns
        remove(db, found[0])
        db.insert("mail_addresses", {"guest": found[0], "address": found[1], "turns": wants})
    return found is not None


# ---------------------------------------------------------------------------------------------------------------------- mails


def put(db: Db, kind: str, guest: str, valid_for: timedelta) -> None:
    """Let a mail of a kind wait to be sent to a guest, in place of an earlier one of this kind."""
    payload = {"id": new_id(), "kind": kind, "guest": guest, "until": (db.now() + valid_for).isoformat()}
    jobs.put(db, OUTBOX, f"{kind}:{guest}", db.now(), payload)


def tell(db: Db, guest: str, valid_for: timedelta) -> None:
    """Let a mail about turns wait, the only one until the guest comes back."""
    db.run("UPDATE mail_addresses SET told_at = ? WHERE guest = ?", db.now(), guest)
    put(db, TURNS, guest, valid_for)


def come_back(db: Db, guest: str) -> None:
    """Note that a guest is here: mails about turns that wait aren't needed, and the next absence may have one again."""
    jobs.cancel(db, TURNS, guest)
    jobs.cancel(db, OUTBOX, f"{TURNS}:{guest}")
    take_back(db, guest)


def take_back(db: Db, guest: str) -> None:
    """Note that a mail about turns was not needed, so that the next turn may have one."""
    db.run("UPDATE mail_addresses SET told_at = NULL WHERE guest = ?", guest)


def absent(db: Db) -> Collection[str]:
    """Return the guests for whom a mail about turns waits, or who had one and have not been here since."""
    query = "SELECT guest FROM mail_addresses WHERE told_at IS NOT NULL UNION SELECT key FROM jobs WHERE kind = ?"
    return db.values(query, TURNS)


def note_refusal(db: Db, guest: str, address: str, reason: str | None) -> None:
    """Store why the mail server has refused an address of a guest; None: it is tried again."""
    for table in ("mail_addresses", "mail_confirmations"):
        db.run(f"UPDATE {table} SET refusal = ? WHERE guest = ? AND address = ?", reason, guest, address)
