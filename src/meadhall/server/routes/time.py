"""The time of the hall. Pages with clocks ask for it: their machine's own clock may be wrong."""

from __future__ import annotations

from litestar import Response, get

from meadhall.server.hall.hall import Hall
from meadhall.server.pages.clock import milliseconds


@get("/time", include_in_schema=False, opt={"unlimited": True})
async def time(hall: Hall) -> Response[dict[str, int]]:
    """Return the time in milliseconds since 1970."""
    return Response({"now": milliseconds(hall.time.now())})


routes = [time]
