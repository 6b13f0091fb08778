"""Queries about the people that a guest has met, has muted or blocked, and invites to tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

from meadhall.server.store import guests
from meadhall.server.store.database import Db, each_of, in_utc
from meadhall.server.store.models import Guest

IgnoreKind = Literal["mute", "block"]


@dataclass(frozen=True)
class Ignored:
    """Whom a guest has muted or blocked, and who has blocked the guest. It says so by guest ids.

    Attributes:
        blocked_by: when others have blocked the guest, who must not learn it.
    """

    muted: frozenset[str] = frozenset()
    blocked: frozenset[str] = frozenset()
    blocked_by: Mapping[str, datetime] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Acquaintance:
    """A person that a guest has played with.

    Attributes:
        matches: the number of matches at which both had a seat.
        last_at: when the last one began; None if they only know each other from a chat.
    """

    person: Guest
    matches: int
    last_at: datetime | None


@dataclass(frozen=True)
class Invitation:
    """An invitation to a table that a guest hasn't answered. ``inviter`` is the name of the person who invites."""

    table: str
    game: str
    inviter: str
    at: datetime


_LIFETIME: Final = timedelta(days=1)
"""How long an invitation is shown. The hall forgets a lobby, too, in which nothing happens for a day."""


# ------------------------------------------------------------------------------------------------------------------------ met


def met_lately(db: Db, guest: str, limit: int) -> list[Acquaintance]:
    """Return the people who have had a seat beside the guest in a match that has begun; those of the last matches first."""
    query = """SELECT other.guest, count(DISTINCT tables.id), max(started_at)
        FROM seat_guests mine JOIN seat_guests other ON mine.table_id = other.table_id AND mine.seat != other.seat
        JOIN tables ON tables.id = other.table_id
        WHERE mine.guest = :guest AND other.guest != :guest AND started_at IS NOT NULL
        GROUP BY other.guest ORDER BY max(started_at) DESC, other.guest LIMIT :limit"""
    found = {other: (matches, in_utc(last)) for other, matches, last in db.rows(query, guest=guest, limit=limit)}
    return [Acquaintance(person, *found[person.id]) for person in guests.find_all(db, [*found])]


def have_met(db: Db, one: str, other: str) -> bool:
    """Return whether two guests have had seats at the same table whose match has begun."""
    query = """SELECT 1 FROM seat_guests mine JOIN seat_guests other ON mine.table_id = other.table_id
        JOIN tables ON tables.id = other.table_id WHERE mine.guest = ? AND other.guest = ? AND started_at IS NOT NULL LIMIT 1"""
    return db.value(query, one, other) is not None


# -------------------------------------------------------------------------------------------------------------------- ignored


def ignored_by(db: Db, guest: str) -> Ignored:
    """Return the guests that a guest ignores, and those that have blocked the guest."""
    rows = db.rows("SELECT kind, other FROM ignored_guests WHERE guest = ?", guest)
    blocked_by = db.rows("SELECT guest, created_at FROM ignored_guests WHERE other = ? AND kind = 'block'", guest)
    return Ignored(
        frozenset(other for kind, other in rows if kind == "mute"),
        frozenset(other for kind, other in rows if kind == "block"),
        {other: in_utc(at) for other, at in blocked_by},
    )


def ignored_strangers(db: Db, guest: str, known: Collection[str]) -> list[Acquaintance]:
    """Return the people whom the guest has muted or blocked, except those who are known already."""
    found = ignored_by(db, guest)
    others = sorted((found.muted | found.blocked) - {*known})
    return [Acquaintance(person, 0, None) for person in guests.find_all(db, others)]


def blocks_of(db: Db, guest: str) -> frozenset[str]:
    """Return the ids of all guests whom this guest has blocked, and of those who have blocked this guest."""
    ignored = ignored_by(db, guest)
    return ignored.blocked | ignored.blocked_by.keys()


def ignore(db: Db, guest: str, others: Collection[str], kind: IgnoreKind, on: bool) -> None:
    """Mute or block others, or stop doing so. What is already so stays as it is, with its time."""
    if not on:
        ending = "DELETE FROM ignored_guests WHERE guest = ? AND kind = ? AND other IN (SELECT value FROM json_each(?))"
        db.run(ending, guest, kind, each_of(others))
        return
    rows = [{"guest": guest, "kind": kind, "other": other, "created_at": db.now()} for other in sorted({*others} - {guest})]
    db.insert("ignored_guests", *rows, conflict="ON CONFLICT DO NOTHING")


# ---------------------------------------------------------------------------------------------------------------- invitations


def invited_to(db: Db, table: str) -> dict[str, bool]:
    """Return the guests invited to a table, by id, and whether they have declined."""
    return {guest: bool(is_declined) for guest, is_declined in db.rows(_INVITED, table)}


_INVITED: Final = "SELECT guest, declined_at IS NOT NULL FROM invitations WHERE table_id = ?"


def count_invited_since(db: Db, inviter: str, seconds: timedelta) -> int:
    """Return how many people the guest has invited in the last time."""
    return int(db.value("SELECT count(*) FROM invitations WHERE inviter = ? AND created_at > ?", inviter, db.now() - seconds))


def invite(db: Db, table: str, guest: str, inviter: str) -> bool:
    """Invite a guest to a table. Return False if they were invited before."""
    row = {"table_id": table, "guest": guest, "inviter": inviter, "created_at": db.now()}
    return db.insert("invitations", row, conflict="ON CONFLICT DO NOTHING") > 0


def invitations_of(db: Db, guest: str) -> list[Invitation]:
    """Return the invitations that a guest can still accept and hasn't declined, the newest first.

    Those of people whom the guest has blocked are left out.
    """
    query = """SELECT table_id, game, guests.name, invitations.created_at, inviter FROM invitations
        JOIN tables ON tables.id = table_id JOIN guests ON guests.id = inviter
        WHERE guest = :guest AND declined_at IS NULL AND invitations.created_at > :since AND status = 'gathering'
        AND EXISTS (SELECT 1 FROM seats WHERE seats.table_id = tables.id AND kind = 'open')
        AND NOT EXISTS (SELECT 1 FROM seat_guests WHERE seat_guests.table_id = tables.id AND seat_guests.guest = :guest)
        ORDER BY invitations.created_at DESC"""
    rows = db.rows(query, guest=guest, since=db.now() - _LIFETIME)
    blocked = ignored_by(db, guest).blocked if rows else frozenset()
    return [Invitation(table, game, name, in_utc(at)) for table, game, name, at, inviter in rows if inviter not in blocked]


def decline_invitation(db: Db, table: str, guest: str) -> bool:
    """Note that a guest declines an invitation. Return whether there was one."""
    change = "UPDATE invitations SET declined_at = ? WHERE table_id = ? AND guest = ? AND declined_at IS NULL"
    return db.run(change, db.now(), table, guest) > 0
