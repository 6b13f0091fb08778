"""Health and metrics, for the operator of a hall."""

from __future__ import annotations

from hmac import compare_digest

from litestar import Response, get
from prometheus_client import CONTENT_TYPE_LATEST

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import DatabaseUnavailable, NotForYou
from meadhall.server.hall.hall import Hall
from meadhall.server.ops.metrics import (
    DATABASE_UP,
    GAME_READY,
    LAST_BACKUP,
    ROOMS,
    STREAMS,
    TABLES,
    exposition,
    measure_process,
)
from meadhall.server.store.queries import health as queries
from meadhall.server.web.forwarded import comes_from_this_machine
from meadhall.server.web.limits import StreamLimit
from meadhall.server.web.request import AnyRequest


@get("/health/live", include_in_schema=False, opt={"unlimited": True})
async def live() -> dict[str, str]:
    """Return 200 while this process answers at all. If it doesn't, start it again."""
    return {"status": "ok"}


@get(["/health/ready", "/health"], include_in_schema=False, opt={"unlimited": True})
async def ready(hall: Hall) -> Response[dict[str, object]]:
    """Return 200 while every game can be played, else 503. The database must be able to store, and the rules must be loaded."""
    games = hall.ready.by_game()
    if hall.closing.is_set():
        status = "closing"
    elif not await hall.store.alive():
        status = "database away"
    else:
        status = "ok" if all(games.values()) else "loading"
    return Response({"status": status, "games": games}, status_code=200 if status == "ok" else 503)


@get("/metrics", include_in_schema=False, opt={"unlimited": True})
async def metrics(request: AnyRequest, hall: Hall, stream_limit: StreamLimit) -> Response[bytes]:
    """Return metrics for Prometheus, to programs on this machine and to those with the token.

    Others could tell by them what happens in secret: when a bot thinks, and that a hint was requested. Raises NotForYou.
    """
    if not (comes_from_this_machine(request.scope) or _has_token(request, hall.settings.metrics_token)):
        raise NotForYou(_("Metrics are for programs on the machine of the hall, and for those with the token of its host."))
    measure_process()
    ROOMS.set(len(hall.rooms()))
    STREAMS.set(stream_limit.total)
    for name, is_ready in hall.ready.by_game().items():
        GAME_READY.labels(name).set(is_ready)
    measure_database(hall)
    return Response(exposition(), headers={"Content-Type": CONTENT_TYPE_LATEST})


def measure_database(hall: Hall) -> None:
    """Measure what the database knows of the whole hall, and whether it answers."""
    try:
        unfinished, backup = hall.store.transact(lambda each: (queries.unfinished(each), queries.last_backup(each)))
    except DatabaseUnavailable:
        DATABASE_UP.set(0)
        return
    DATABASE_UP.set(1)
    LAST_BACKUP.set(backup)
    for status, count in unfinished.items():
        TABLES.labels(status).set(count)


def _has_token(request: AnyRequest, token: str) -> bool:
    sent = request.headers.get("Authorization", "").encode()
    return bool(token) and compare_digest(sent, f"Bearer {token}".encode())


routes = [live, ready, metrics]
