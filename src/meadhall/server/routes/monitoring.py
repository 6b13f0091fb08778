"""What machines ask: whether the hall is well, how a request arrives, and its time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from hmac import compare_digest
from typing import Final

from litestar import Response, get
from litestar.response import Stream
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
from meadhall.server.pages.clock import milliseconds
from meadhall.server.store import uptime
from meadhall.server.web import event_stream
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
        unfinished, backup = hall.store.transact(lambda each: (uptime.count_tables(each), uptime.last_backup(each)))
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


PATH: Final = "/health/stream"

PAUSE: Final = 1.0
"""Seconds between the two events. A proxy that buffers delivers both at once."""


@get(PATH, include_in_schema=False, opt={"unlimited": True})
async def echo(request: AnyRequest, stream_limit: StreamLimit) -> Stream:
    """Send an event that tells how this request arrived, and an empty one after a pause."""
    stream_limit.check(request)
    arrived = {
        "scheme": request.scope["scheme"],
        "host": request.headers.get("host", ""),
        "client": request.client.host if request.client else "",
        "forwarded_for": request.headers.get("x-forwarded-for", ""),
        "forwarded_scheme": request.headers.get("x-forwarded-proto", ""),
    }

    async def events() -> AsyncIterator[bytes]:
        with stream_limit.count(request):
            yield event_stream.encode_event(json.dumps(arrived))
            await asyncio.sleep(PAUSE)
            yield event_stream.encode_event("{}")

    return event_stream.event_stream(events())


@get("/time", include_in_schema=False, opt={"unlimited": True})
async def tell_time(hall: Hall) -> Response[dict[str, int]]:
    """Return the time in milliseconds since 1970."""
    return Response({"now": milliseconds(hall.time.now())})


routes = [live, ready, metrics, echo, tell_time]
