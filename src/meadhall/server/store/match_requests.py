"""Match requests: guests who wait for other people to start a match with, as older versions stored them.

Requests for the same game, number of players and options are in one *queue*.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from meadhall.server.store.database import Db, Row, as_json, each_of, in_utc, in_utc_or_none, of_json
from meadhall.server.store.models import Clock

PRESENT_FOR: Final = timedelta(seconds=20)
"""How long after the last sign of its page a guest counts as waiting."""

HIDDEN_FOR: Final = timedelta(seconds=75)
"""How long after the last sign of a hidden page a guest counts as waiting: browsers let such a page wake once a minute."""

LEAVING_FOR: Final = timedelta(seconds=5)
"""How long after its page was closed a guest counts as waiting: the page may be loaded again."""

KEPT_FOR: Final = timedelta(hours=1)


@dataclass(frozen=True)
class MatchRequest:
    """A guest who waits for other people to start a match with.

    Attributes:
        id: changes whenever the guest looks for another match.
        guest: the id of the guest.
        bot: level of the bots that fill the seats that stay empty.
        bots_after: seconds after ``created_at`` when bots fill them; None: never.
        clock: the clock of the match.
        seen_at: when the guest's page last gave a sign.
        table_id: the table where the guest was seated; None while the guest waits.
        matched_at: when that was.
    """

    id: str
    guest: str
    game: str
    players: int
    options: Mapping[str, Any] = field(hash=False)
    bot: str
    bots_after: int | None
    clock: Clock | None
    created_at: datetime
    seen_at: datetime
    table_id: str | None = None
    matched_at: datetime | None = None

    @property
    def queue(self) -> str:
        """The SHA-256 of the properties that guests must share to play together."""
        wanted = [self.game, self.players, dict(self.options), self.clock and self.clock.to_json()]
        return hashlib.sha256(json.dumps(wanted, sort_keys=True, default=str).encode()).hexdigest()

    @property
    def bots_at(self) -> datetime | None:
        """When bots fill the empty seats."""
        return None if self.bots_after is None else self.created_at + timedelta(seconds=self.bots_after)


def find(db: Db, guest: str) -> MatchRequest | None:
    """Return the request of a guest."""
    row = db.one("SELECT * FROM seeks WHERE guest = ?", guest)
    return None if row is None else _request(row)


def guest_of(db: Db, id: str) -> str | None:
    """Return the guest of the request with this id."""
    found: str | None = db.value("SELECT guest FROM seeks WHERE id = ?", id)
    return found


def put(db: Db, request: MatchRequest) -> None:
    """Store a request, in place of another one of the guest."""
    values = {name: getattr(request, name) for name in ("id", "guest", "game", "players", "bot", "bots_after", "created_at")}
    values |= {"options": as_json(request.options), "clock": as_json(request.clock and request.clock.to_json())}
    db.run("DELETE FROM seeks WHERE guest = ?", request.guest)
    db.insert("seeks", values | {"pool": request.queue, "seen_at": db.now()})


def touch(db: Db, guest: str, hidden: bool = False) -> None:
    """Note that the guest's page is still open. The sign of a hidden page lies ahead, so that it lasts longer."""
    seen = db.now() + (HIDDEN_FOR - PRESENT_FOR if hidden else timedelta(0))
    db.run("UPDATE seeks SET seen_at = ? WHERE guest = ? AND table_id IS NULL", seen, guest)


def leave(db: Db, guest: str, hidden: bool = False) -> None:
    """Note that the guest's page was closed. The end of a stream says nothing about a page that gave a sign as a hidden one."""
    change = """UPDATE seeks SET seen_at = :left WHERE guest = :guest AND table_id IS NULL AND (:hidden OR seen_at <= :now)"""
    db.run(change, left=db.now() - PRESENT_FOR + LEAVING_FOR, guest=guest, hidden=hidden, now=db.now())


def end(db: Db, guest: str) -> MatchRequest | None:
    """Delete the request of a guest, and return it; None if the guest has none that waits."""
    row = db.one("DELETE FROM seeks WHERE guest = ? AND table_id IS NULL RETURNING *", guest)
    return None if row is None else _request(row)


def waiting(db: Db, queue: str | None = None) -> list[MatchRequest]:
    """Return the requests of a queue, or of all queues, whose guests wait, the oldest first."""
    query = f"""SELECT * FROM seeks WHERE table_id IS NULL AND seen_at > ? {"" if queue is None else "AND pool = ?"}
        ORDER BY created_at, guest"""
    return [_request(row) for row in db.rows(query, db.now() - PRESENT_FOR, *(() if queue is None else (queue,)))]


def matched(db: Db, guests: Collection[str], table: str) -> None:
    """Store at which table these guests play."""
    change = "UPDATE seeks SET table_id = ?, matched_at = ? WHERE guest IN (SELECT value FROM json_each(?))"
    db.run(change, table, db.now(), each_of(guests))


def _request(row: Row) -> MatchRequest:
    values = {name: row[name] for name in row.keys() if name != "pool"}  # noqa: SIM118 - a row iterates over its values
    values |= {"created_at": in_utc(row["created_at"]), "seen_at": in_utc(row["seen_at"])}
    values["matched_at"] = in_utc_or_none(row["matched_at"])
    return MatchRequest(**{**values, "options": of_json(row["options"]), "clock": Clock.of_json(of_json(row["clock"]))})
