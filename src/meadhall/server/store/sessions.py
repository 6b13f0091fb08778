"""Queries about sessions: the devices and programs that are signed in to an account; and about what they have opened.

A session opens push messages to its browser, and links to other devices. They end with the session. A guest without an account
has no sessions. There the column ``session`` has the id of the device, which is in its cookie.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from meadhall.server.store import links
from meadhall.server.store.database import Db, Row, each_of, in_utc

SessionKind = Literal["browser", "program"]


@dataclass(frozen=True)
class Session:
    """A device or program that is signed in to an account.

    Attributes:
        id: names the session in forms. It gives no access.
        token: the SHA-256 of its cookie or bearer token.
        label: what the person recognizes it by, for example "Firefox on Linux".
        confirmed_at: when the person last proved here who they are.
        last_used_at: when it was last used, to the hour.
    """

    id: str
    token: str
    guest: str
    kind: SessionKind
    label: str
    created_at: datetime
    confirmed_at: datetime
    last_used_at: datetime


@dataclass(frozen=True)
class PushSubscription:
    """A browser that receives push messages of a guest.

    Attributes:
        endpoint: the address at its push service, which is secret.
        p256dh: its public key, and ``auth``: its secret, which encrypt the messages. Both in base64url.
        vapid_key: the hall's public key for which it was made. Its push service accepts messages signed with no other key.
        device: what the person recognizes it by, for example "Chrome on Android".
        session: the id of the session with which it ends; for a guest without an account that of the device.
        refusal: why its push service has refused the last message, None if it hasn't.
    """

    id: str
    guest: str
    endpoint: str
    p256dh: str
    auth: str
    vapid_key: str
    device: str
    created_at: datetime
    session: str | None = None
    refusal: str | None = None


KEPT_FOR: Final = timedelta(days=400)
"""How long a session lasts that is not used. No browser keeps a cookie longer (RFC 6265bis, 5.5)."""

MAX_DEVICES: Final = 10
"""Number of browsers that receive push messages of a guest. With another one, the oldest is forgotten."""


# ------------------------------------------------------------------------------------------------------------------- sessions


def add(db: Db, session: Session) -> None:
    """Store a new session."""
    db.insert("sessions", vars(session))


def find(db: Db, token: str) -> Session | None:
    """Return the session with a token, given by its hash."""
    row = db.one("SELECT * FROM sessions WHERE token = ? AND last_used_at > ?", token, db.now() - KEPT_FOR)
    return None if row is None else _session(row)


def sessions_of(db: Db, guest: str) -> list[Session]:
    """Return the sessions of an account, the last used first."""
    query = "SELECT * FROM sessions WHERE guest = ? AND last_used_at > ? ORDER BY last_used_at DESC, id"
    return [_session(row) for row in db.rows(query, guest, db.now() - KEPT_FOR)]


def _session(row: Row) -> Session:
    times = (in_utc(row[name]) for name in ("created_at", "confirmed_at", "last_used_at"))
    return Session(row["id"], row["token"], row["guest"], row["kind"], row["label"], *times)


def touch(db: Db, id: str) -> None:
    """Note that a session is used."""
    db.run("UPDATE sessions SET last_used_at = ? WHERE id = ?", db.now(), id)


def confirm(db: Db, id: str, token: str) -> None:
    """Note that the person has proved who they are, and give the session another token."""
    at = db.now()
    db.run("UPDATE sessions SET confirmed_at = ?, last_used_at = ?, token = ? WHERE id = ?", at, at, token, id)


def end(db: Db, guest: str, id: str) -> bool:
    """End a session of an account, and what it has opened. Return whether there was one."""
    has_ended = db.run("DELETE FROM sessions WHERE guest = ? AND id = ?", guest, id) > 0
    if has_ended:
        end_opened(db, id)
    return has_ended


def end_all(db: Db, guest: str, except_id: str | None = None) -> None:
    """End all sessions of an account, or all except one, with what they have opened, and the links that could open new ones."""
    db.run("DELETE FROM sessions WHERE guest = ? AND id IS NOT ?", guest, except_id)
    end_all_opened(db, guest, except_id or "")


# ------------------------------------------------------------------------------------------------------- what they have opened


def end_opened(db: Db, *sessions: str) -> None:
    """End what sessions or devices with these ids have opened."""
    for table in ("push_subscriptions", "identity_links"):
        db.run(f"DELETE FROM {table} WHERE session IN (SELECT value FROM json_each(?))", each_of(sessions))


def end_all_opened(db: Db, guest: str, except_session: str = "") -> None:
    """End all push messages of a guest, except to the browser of one session or device; and all links to other devices."""
    db.run("DELETE FROM push_subscriptions WHERE guest = ? AND session IS NOT ?", guest, except_session)
    links.end_identity_links(db, guest)


def hand_over(db: Db, session: str, to: str, guest: str) -> None:
    """Let what a session or device of this guest has opened belong to another one, of the same browser.

    What it has opened for another guest ends: the browser is this guest's now.
    """
    for table in ("push_subscriptions", "identity_links") if session else ():
        db.run(f"DELETE FROM {table} WHERE session = ? AND guest != ?", session, guest)
        db.run(f"UPDATE {table} SET session = ? WHERE session = ?", to, session)


# ---------------------------------------------------------------------------------------------------------- push subscriptions


def add_subscription(db: Db, subscription: PushSubscription, instead_of: str = "") -> PushSubscription:
    """Store a subscription, in place of one with the same endpoint, or of the guest's one with the endpoint ``instead_of``.

    A browser has one endpoint, and receives the messages of the guest who subscribed it last. If that was this guest before, too,
    the subscription keeps its id, by which waiting messages find it. Return it as stored.
    """
    guest, endpoint = subscription.guest, subscription.endpoint
    query = "SELECT * FROM push_subscriptions WHERE guest = ? AND endpoint IN (?, ?) ORDER BY created_at LIMIT 1"
    before = db.one(query, guest, endpoint, instead_of)
    if before is not None:
        is_same = before["endpoint"] == endpoint
        subscription = replace(subscription, id=before["id"], refusal=before["refusal"] if is_same else None)
    replaced = "DELETE FROM push_subscriptions WHERE endpoint = ? OR (guest = ? AND endpoint = ?)"
    db.run(replaced, endpoint, guest, instead_of)
    others = subscriptions_of(db, [guest])
    for oldest in others[: max(0, len(others) + 1 - MAX_DEVICES)]:
        remove_subscription(db, oldest.id)
    db.insert("push_subscriptions", vars(subscription))
    return subscription


def subscriptions_of(db: Db, guests: Collection[str]) -> list[PushSubscription]:
    """Return the subscriptions of guests, the oldest first."""
    query = "SELECT * FROM push_subscriptions WHERE guest IN (SELECT value FROM json_each(?)) ORDER BY created_at, id"
    return [_subscription(row) for row in db.rows(query, each_of(guests))]


def ways_to_call(db: Db, guests: Collection[str]) -> list[tuple[bool, str]]:
    """Return how guests who are away can be called: whether by mail, with the guest's id; else with that of a subscription.

    A guest who had a mail about turns, and has not been here since, gets no other one.
    """
    query = """SELECT 0, id FROM push_subscriptions WHERE guest IN (SELECT value FROM json_each(:guests))
        UNION ALL SELECT 1, guest FROM mail_addresses WHERE guest IN (SELECT value FROM json_each(:guests))
        AND turns AND told_at IS NULL AND refusal IS NULL"""
    return [(bool(is_mail), id) for is_mail, id in db.rows(query, guests=each_of(guests))]


def find_subscription(db: Db, id: str) -> PushSubscription | None:
    """Return the subscription with that id, None if it was deleted."""
    row = db.one("SELECT * FROM push_subscriptions WHERE id = ?", id)
    return None if row is None else _subscription(row)


def remove_subscription(db: Db, id: str, guest: str | None = None) -> bool:
    """Delete a subscription, with a ``guest`` only if it is theirs. Return whether it was deleted."""
    return db.run("DELETE FROM push_subscriptions WHERE id = ? AND guest = coalesce(?, guest)", id, guest) > 0


def note_refusal(db: Db, id: str, reason: str | None) -> None:
    """Store why the push service has refused the last message; None: it has accepted it."""
    db.run("UPDATE push_subscriptions SET refusal = ? WHERE id = ?", reason, id)


def _subscription(row: Row) -> PushSubscription:
    return PushSubscription(**{**dict(row), "created_at": in_utc(row["created_at"])})
