"""Health and metrics, for the operator of a hall."""

from __future__ import annotations

from litestar import Response, get
from prometheus_client import CONTENT_TYPE_LATEST

from meadhall.server.hall.hall import Hall
from meadhall.server.ops.metrics import ROOMS, STREAMS, exposition
from meadhall.server.web.stream_limit import StreamLimit


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
async def metrics(hall: Hall, stream_limit: StreamLimit) -> Response[bytes]:
    """Return metrics of all processes for Prometheus."""
    measure(hall, stream_limit)
    return Response(exposition(), headers={"Content-Type": CONTENT_TYPE_LATEST})


def measure(hall: Hall, stream_limit: StreamLimit) -> None:
    """Measure what this process holds. It does so regularly, because another process may be asked for metrics."""
    ROOMS.set(len(hall.rooms()))
    STREAMS.set(stream_limit.total)


routes = [live, ready, metrics]
