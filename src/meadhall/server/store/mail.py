"""Queries about mail: the addresses of accounts, and the guests who are told of their turns by mail."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from meadhall.server.store import jobs
from meadhall.server.store.database import Db

TURNS: Final = "mail-turns"
CONFIRM: Final = "mail-confirm"
RECOVER: Final = "mail-recover"
"""The kinds of mails, and of the jobs that send them. The key of a job is the guest's id."""

_CONFIRMED_WITHIN: Final = timedelta(days=1)
"""How long an address waits to be confirmed."""


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

    address: str
    turns: bool
    refusal: str
    pending: str
    pending_refusal: str


def find(db: Db, guest: str) -> MailAddress:
    """Return the mail address of a guest."""
    query = """SELECT coalesce(own.address, ''), coalesce(turns, 1), coalesce(own.refusal, ''),
        coalesce(new.address, ''), coalesce(new.refusal, '') FROM (SELECT :guest AS guest) asked
        LEFT JOIN mail_addresses own ON own.guest = asked.guest
        LEFT JOIN mail_confirmations new ON new.guest = asked.guest AND expires_at > :now"""
    return MailAddress(*db.rows(query, guest=guest, now=db.now())[0])


def guests_at(db: Db, address: str) -> list[str]:
    """Return the ids of the guests who have confirmed an address, in any case of its letters."""
    return db.values("SELECT guest FROM mail_addresses WHERE address = ?", address)


def ask(db: Db, guest: str, address: str) -> None:
    """Let an address wait for its link, and the mail with it, in place of another one that waits."""
    db.run("DELETE FROM mail_confirmations WHERE guest = ?", guest)
    db.insert("mail_confirmations", {"guest": guest, "address": address, "expires_at": db.now() + _CONFIRMED_WITHIN})
    jobs.put(db, CONFIRM, guest, db.now(), {"tries": 0})


def confirm(db: Db, guest: str) -> None:
    """Give a guest the address that waits, in place of the one before."""
    change = """INSERT INTO mail_addresses (guest, address) SELECT guest, address FROM mail_confirmations WHERE guest = ?
        ON CONFLICT (guest) DO UPDATE SET address = excluded.address, refusal = NULL"""
    db.run(change, guest)
    db.run("DELETE FROM mail_confirmations WHERE guest = ?", guest)


def change(db: Db, guest: str, /, **values: datetime | bool | None) -> None:
    """Change columns of a confirmed address: ``turns``, ``told_at``, ``refusal``."""
    columns = ", ".join(f"{name} = :{name}" for name in values)
    db.run(f"UPDATE mail_addresses SET {columns} WHERE guest = :guest", guest=guest, **values)


def remove(db: Db, guest: str) -> None:
    """Forget the addresses of a guest."""
    for table in ("mail_addresses", "mail_confirmations"):
        db.run(f"DELETE FROM {table} WHERE guest = ?", guest)


def note_refusal(db: Db, guest: str, address: str, reason: str) -> None:
    """Store why the mail server has refused an address of a guest."""
    for table in ("mail_addresses", "mail_confirmations"):
        db.run(f"UPDATE {table} SET refusal = ? WHERE guest = ? AND address = ?", reason, guest, address)


def come_back(db: Db, guest: str) -> None:
    """Note that a guest is here: a mail about turns that waits isn't needed, and the next absence may have one again."""
    jobs.cancel(db, TURNS, guest)
    change(db, guest, told_at=None)


def absent(db: Db) -> Collection[str]:
    """Return the guests for whom a mail about turns waits, or who had one and have not been here since."""
    query = "SELECT guest FROM mail_addresses WHERE told_at IS NOT NULL UNION SELECT key FROM jobs WHERE kind = ?"
    return db.values(query, TURNS)
