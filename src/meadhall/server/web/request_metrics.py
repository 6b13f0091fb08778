"""Metrics of requests for Prometheus: their number, their time, and how many are being answered.

They have the names of those of Litestar's own middleware, which looks each of them up by its labels several times a request. This
one looks up all metrics of a route and a status at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from time import perf_counter
from typing import Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import Counter, Gauge, Histogram

_NOT_MEASURED: Final = re.compile(r"^/static/|^/metrics$|/(stream|events)$")
"""A stream lasts as long as its page is open."""

_LABELS: Final = ("method", "path", "status_code")
_IN_PROGRESS: Final = Gauge("meadhall_requests_in_progress", "Requests that are being answered", multiprocess_mode="livesum")
_REQUESTS: Final = Counter("meadhall_requests_total", "Requests", _LABELS)
_ERRORS: Final = Counter("meadhall_requests_error_total", "Requests that failed with an internal error", _LABELS)
_SECONDS: Final = Histogram("meadhall_request_duration_seconds", "Time until a request was answered, in seconds", _LABELS)


def measure_requests(app: ASGIApp, note: Callable[[], None]) -> ASGIApp:
    """Wrap ``app``, which routes requests, so that they are measured by the template of their path. ``note`` hears of each."""

    async def measured(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or _NOT_MEASURED.search(scope["path"]):
            await app(scope, receive, send)
            return
        note()
        began, status = perf_counter(), 500

        async def send_measured(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        _IN_PROGRESS.inc()
        try:
            await app(scope, receive, send_measured)
        finally:
            template = scope.get("path_template")
            _IN_PROGRESS.dec()
            if template is not None:  # else there is no such page
                requests, errors, seconds = _metrics(scope["method"], template, status)
                requests.inc()
                seconds.observe(perf_counter() - began)
                if status >= 500:
                    errors.inc()

    return measured


@lru_cache(maxsize=1024)
def _metrics(method: str, template: str, status: int) -> tuple[Counter, Counter, Histogram]:
    labels = method, template, str(status)
    return _REQUESTS.labels(*labels), _ERRORS.labels(*labels), _SECONDS.labels(*labels)
