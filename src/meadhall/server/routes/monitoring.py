"""What whoever runs the hall looks at: health and metrics."""

from __future__ import annotations

from litestar import Response, get
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest

from meadhall.server.hall.hall import Hall
from meadhall.server.web.stream_limit import Streams

_ROOMS = Gauge("meadhall_rooms", "Tables in memory")
_STREAMS = Gauge("meadhall_streams", "Live pages that are open")


@get("/health", include_in_schema=False, opt={"unlimited": True})
async def health(hall: Hall) -> Response[dict[str, object]]:
    """Whether the hall and its database answer."""
    alive = await hall.store.alive()
    return Response({"status": "ok" if alive else "database away"}, status_code=200 if alive else 503)


@get("/metrics", include_in_schema=False, opt={"unlimited": True})
async def metrics(hall: Hall, streams: Streams) -> Response[bytes]:
    """Prometheus metrics."""
    _ROOMS.set(len(hall.rooms()))
    _STREAMS.set(streams.total)
    return Response(generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})


routes = [health, metrics]
