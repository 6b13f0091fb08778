"""The ASGI application: routes, security, limits, and what lives as long as it does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.enums import ScopeType
from litestar.exceptions import HTTPException, InternalServerException
from litestar.middleware.rate_limit import RateLimitConfig
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.plugins.prometheus import PrometheusConfig
from litestar.response import Redirect
from litestar.static_files import create_static_files_router
from litestar.stores.memory import MemoryStore
from litestar.types import Message, Middleware, Scope

from meadhall.engine.errors import MeadhallError
from meadhall.engine.language import speak
from meadhall.server.hall.hall import Hall
from meadhall.server.ops import gc_tuning
from meadhall.server.ops.loop_lag import measured_lag
from meadhall.server.pages import responses as answers
from meadhall.server.pages.templates import static_folders
from meadhall.server.routes import api, daily, documents, learn, redirects, replay
from meadhall.server.routes import hall as front
from meadhall.server.routes import monitoring as operator
from meadhall.server.routes import tables as table
from meadhall.server.routes.redirects import redirect_old_parameters
from meadhall.server.settings import Settings
from meadhall.server.store.store import Store
from meadhall.server.web.csrf import check_same_origin
from meadhall.server.web.forms import read_form
from meadhall.server.web.host_header import known_by_name
from meadhall.server.web.request import HallRequest
from meadhall.server.web.sessions import AnyRequest, Visitors, guest_cookie
from meadhall.server.web.stream_limit import Streams
from meadhall.server.worker.client import Worker

log = logging.getLogger(__name__)

BODY_LIMIT = 64 * 1024
"""Bytes that a request may carry, but for uploaded records."""

_HEADERS = {
    "Content-Security-Policy": "default-src 'self'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_MINUTE = 60.0
_UNLIMITED = ["^/static/", "^/health$", "^/metrics$", "/stream$", "/events$"]


async def create_app(settings: Settings, store: Store, worker: Worker) -> Litestar:
    """The hall as an ASGI application on an open store; it closes what thinks for it."""
    hall = Hall(settings, store, worker)
    visitors = Visitors(store, await store.secret("guests"))
    streams = Streams(settings.streams_per_client)

    async def greet(request: AnyRequest) -> Redirect | None:
        """Refuse forms of other sites; find out whose request it is, and the language to answer in."""
        check_same_origin(request)
        moved = redirect_old_parameters(request)
        if moved is not None:
            return moved
        request.scope["state"]["guest"] = guest = await visitors.of_page(request)
        speak(guest.language)
        return None

    pages = Router(
        "/",
        route_handlers=[
            *front.routes,
            *daily.routes,
            *learn.routes,
            *table.routes,
            *documents.routes,
            *replay.routes,
            *redirects.routes,
        ],
        dependencies={
            "guest": Provide(answers.guest_of, sync_to_thread=False),
            "form": Provide(read_form),
            "room": Provide(table.provide_room),
        },
        before_request=greet,
        include_in_schema=False,
    )
    counts = MemoryStore()
    metrics = PrometheusConfig(
        app_name="meadhall", prefix="meadhall", group_path=True, exclude=["^/static/", "^/metrics$", "/stream$", "/events$"]
    )
    limit = (
        [RateLimitConfig(("minute", settings.requests_per_minute), exclude=_UNLIMITED).middleware]
        if settings.requests_per_minute
        else []
    )
    middleware: list[Middleware] = [metrics.middleware, *limit]

    @asynccontextmanager
    async def lifetime(_: Litestar) -> AsyncIterator[None]:
        resuming: set[asyncio.Task[None]] = set()

        def ready(name: str) -> None:
            task = asyncio.create_task(hall.resume(name))
            resuming.add(task)
            task.add_done_callback(resuming.discard)

        async def prepare() -> None:
            await hall.ready.prepare(ready)
            gc_tuning.freeze_loaded_objects()

        preparing, forgetting = asyncio.create_task(prepare()), asyncio.create_task(forget_expired(counts))
        async with gc_tuning.tuned_gc(), measured_lag():
            yield
        for task in (preparing, forgetting, *resuming):
            task.cancel()
        await asyncio.gather(preparing, forgetting, *resuming, return_exceptions=True)
        await hall.close()

    app = Litestar(
        route_handlers=[
            pages,
            *api.routers(visitors),
            *operator.routes,
            *(
                create_static_files_router(
                    path,
                    [folder],
                    cache_control=None,
                    include_in_schema=False,
                    name=path,
                    exception_handlers={ValueError: answers.no_file, InternalServerException: answers.no_file},
                )
                for path, folder in static_folders().items()
            ),
        ],
        dependencies={
            "hall": Provide(lambda: hall, sync_to_thread=False),
            "visitors": Provide(lambda: visitors, sync_to_thread=False),
            "streams": Provide(lambda: streams, sync_to_thread=False),
        },
        request_class=HallRequest,
        middleware=middleware,
        stores={"rate_limit": counts},
        exception_handlers={MeadhallError: answers.refused, HTTPException: answers.failed, Exception: answers.failed},
        before_send=[add_headers],
        lifespan=[lifetime],
        openapi_config=OpenAPIConfig(
            title="Meadhall",
            version="1",
            description="Play in the hall with a program. An integer is written without a point and without quotes.",
            components=api.SECURITY,
            path="/schema",
            render_plugins=[JsonRenderPlugin()],
            use_handler_docstrings=True,
        ),
        logging_config=None,  # whoever runs the hall says where its log goes
        request_max_body_size=BODY_LIMIT,
        state=State({"hall": hall}),
    )
    app.asgi_handler = known_by_name(app.asgi_handler)
    return app


async def forget_expired(counts: MemoryStore) -> None:
    """Let go of how many requests came from where, once it doesn't matter any more: a client may never come back."""
    while True:
        await asyncio.sleep(_MINUTE)
        await counts.delete_expired()


async def add_headers(message: Message, scope: Scope) -> None:
    """Security headers on every answer, the cookie for a new guest, and leave to keep static files."""
    if message["type"] != "http.response.start" or scope["type"] != ScopeType.HTTP:
        return
    added = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
    if scope["path"].startswith("/static/") and message["status"] == 200:
        lasting = "public, max-age=31536000, immutable" if b"v=" in scope["query_string"] else "no-cache"
        added.append((b"cache-control", lasting.encode()))
    new = scope["state"].get("new_guest")
    if new:
        added.append((b"set-cookie", guest_cookie(new, scope).encode()))
    message["headers"] = [*message["headers"], *added]
