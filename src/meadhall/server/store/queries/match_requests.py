"""Queries about match requests: guests who wait for other people to start a match with, see ``hall/matching/quick_match.py``.

Requests for the same game, number of players and options are in one *queue*.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, delete, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from meadhall.server.store import schema
from meadhall.server.store.clock import Clock
from meadhall.server.store.match_request import MatchRequest
from meadhall.server.store.models import in_utc
from meadhall.server.store.queries.present import now

PRESENT_FOR: Final = timedelta(seconds=20)
"""How long after the last sign of its page a guest counts as waiting."""

HIDDEN_FOR: Final = timedelta(seconds=75)
"""How long after the last sign of a hidden page a guest counts as waiting: browsers let such a page wake once a minute."""

LEAVING_FOR: Final = timedelta(seconds=5)
"""How long after its page was closed a guest counts as waiting: the page may be loaded again."""

_KEPT_FOR: Final = timedelta(hours=1)

_REQUEST = schema.seeks.c


def find(connection: Connection, guest: str) -> MatchRequest | None:
    """Return the request of a guest."""
    row = connection.execute(select(schema.seeks).where(_REQUEST.guest == guest)).one_or_none()
    return None if row is None else _request(row)


def guest_of(connection: Connection, id: str) -> str | None:
    """Return the guest of the request with this id."""
    return connection.execute(select(_REQUEST.guest).where(_REQUEST.id == id)).scalar_one_or_none()


def put(connection: Connection, request: MatchRequest) -> None:
    """Store a request, in place of another one of the guest."""
    values = {
        "id": request.id,
        "game": request.game,
        "players": request.players,
        "options": dict(request.options),
        "pool": request.queue,
        "bot": request.bot,
        "bots_after": request.bots_after,
        "clock": None if request.clock is None else request.clock.to_json(),
        "created_at": request.created_at,
        "seen_at": now(connection),
        "table_id": None,
        "matched_at": None,
    }
    insert = upsert(schema.seeks).values(guest=request.guest, **values)
    connection.execute(insert.on_conflict_do_update(index_elements=["guest"], set_=values))


def touch(connection: Connection, guest: str, hidden: bool = False) -> None:
    """Note that the guest's page is still open. The sign of a hidden page lies ahead, so that it lasts longer."""
    seen = now(connection) + (HIDDEN_FOR - PRESENT_FOR if hidden else timedelta(0))
    connection.execute(update(schema.seeks).where(_REQUEST.guest == guest, _is_unmatched()).values(seen_at=seen))


def leave(connection: Connection, guest: str, hidden: bool = False) -> None:
    """Note that the guest's page was closed. The end of a stream says nothing about a page that gave a sign as a hidden one."""
    here = now(connection)
    which = [_REQUEST.guest == guest, _is_unmatched(), *(() if hidden else (_REQUEST.seen_at <= here,))]
    connection.execute(update(schema.seeks).where(*which).values(seen_at=here - PRESENT_FOR + LEAVING_FOR))


def end(connection: Connection, guest: str) -> MatchRequest | None:
    """Delete the request of a guest, and return it; None if the guest has none that waits."""
    deleted = delete(schema.seeks).where(_REQUEST.guest == guest, _is_unmatched()).returning(*schema.seeks.columns)
    row = connection.execute(deleted).one_or_none()
    return None if row is None else _request(row)


def waiting(connection: Connection, queue: str | None = None) -> list[MatchRequest]:
    """Return the requests of a queue, or of all queues, whose guests wait, the oldest first."""
    query = select(schema.seeks).where(_is_unmatched(), _REQUEST.seen_at > now(connection) - PRESENT_FOR)
    query = query.order_by(_REQUEST.created_at, _REQUEST.guest)
    rows = connection.execute(query if queue is None else query.where(_REQUEST.pool == queue))
    return [_request(row) for row in rows]


def matched(connection: Connection, guests: Collection[str], table: str) -> None:
    """Store at which table these guests play."""
    found = {"table_id": table, "matched_at": now(connection)}
    connection.execute(update(schema.seeks).where(_REQUEST.guest.in_(guests)).values(**found))


def delete_outdated(connection: Connection) -> None:
    """Delete the requests of guests who left or were matched long ago."""
    connection.execute(delete(schema.seeks).where(_REQUEST.seen_at <= now(connection) - _KEPT_FOR))


def _is_unmatched() -> ColumnElement[bool]:
    return _REQUEST.table_id.is_(None)


def _request(row: Row[Any]) -> MatchRequest:
    values: dict[str, Any] = {name: value for name, value in row._mapping.items() if name != "pool"}
    for name in ("created_at", "seen_at", "matched_at"):
        if values[name] is not None:
            values[name] = in_utc(values[name])
    return MatchRequest(**{**values, "clock": Clock.of_json(row.clock)})
