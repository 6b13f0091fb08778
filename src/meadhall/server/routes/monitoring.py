"""Health and metrics, for the operator of a hall."""

from __future__ import annotations

from litestar import Response, get
from prometheus_client import CONTENT_TYPE_LATEST

from meadhall.server.hall.hall import Hall
from meadhall.server.ops.metrics import ROOMS, STREAMS, exposition
from meadhall.server.web.stream_limit import StreamLimit


@get("/health", include_in_schema=False, opt={"unlimited": True})
async def health(hall: Hall) -> Response[dict[str, object]]:
    """Return 200 while the hall and its database work, else 503. The database must be able to store."""
    alive = await hall.store.alive()
    return Response({"status": "ok" if alive else "database away"}, status_code=200 if alive else 503)


@get("/metrics", include_in_schema=False, opt={"unlimited": True})
async def metrics(hall: Hall, stream_limit: StreamLimit) -> Response[bytes]:
    """Return metrics of all processes for Prometheus."""
    measure(hall, stream_limit)
    return Response(exposition(), headers={"Content-Type": CONTENT_TYPE_LATEST})


def measure(hall: Hall, stream_limit: StreamLimit) -> None:
    """Measure what this process holds. It does so regularly, because another process may be asked for metrics."""
    ROOMS.set(len(hall.rooms()))
    STREAMS.set(stream_limit.total)


routes = [health, metrics]
