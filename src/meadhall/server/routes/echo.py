"""How a request arrives here, for ``meadhall doctor``: proxies may change its host and scheme, and hold streams back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Final

from litestar import get
from litestar.response import Stream

from meadhall.server.web import event_stream
from meadhall.server.web.limits import StreamLimit
from meadhall.server.web.request import AnyRequest

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


routes = [echo]
