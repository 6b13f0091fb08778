"""Health and metrics, for the operator of a hall."""

from __future__ import annotations

from litestar import Response, get
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest

from meadhall.server.hall.hall import Hall
from meadhall.server.web.stream_limit import StreamLimit

_ROOMS = Gauge("meadhall_rooms", "Tables in memory")
_STREAMS = Gauge("meadhall_streams", "Open event streams")


@get("/health", include_in_schema=False, opt={"unlimited": True})
async def health(hall: Hall) -> Response[dict[str, object]]:
    """Return 200 while the hall and its database work, else 503. The database must be able to store."""
    alive = await hall.store.alive()
    return Response({"status": "ok" if alive else "database away"}, status_code=200 if alive else 503)


@get("/metrics", include_in_schema=False, opt={"unlimited": True})
async def metrics(hall: Hall, stream_limit: StreamLimit) -> Response[bytes]:
    """Return metrics for Prometheus."""
    _ROOMS.set(len(hall.rooms()))
    _STREAMS.set(stream_limit.total)
    return Response(generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})


routes = [health, metrics]
