"""The ASGI application: routes, dependencies, limits and the background tasks."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from math import inf
from types import ModuleType
from typing import Any, Final, cast

from litestar import Litestar, Router
from litestar.di import Provide
from litestar.exceptions import HTTPException, InternalServerException
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import Server
from litestar.static_files import create_static_files_router
from litestar.types import Receive, Scope, Send

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import speak
from meadhall.server.hall import push_service
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.match_records import MatchRecords
from meadhall.server.host_commands import obeying
from meadhall.server.ops import machine
from meadhall.server.ops.metrics import LoopLag
from meadhall.server.pages.frames import Frames
from meadhall.server.pages.picture import MOST_BOARDS, Drawings, Pictures
from meadhall.server.pages.responses import failed, no_file, refused
from meadhall.server.pages.templates import static_folders
from meadhall.server.routes import (
    account,
    api,
    deeds,
    editor,
    evenings,
    front_page,
    host,
    mail,
    monitoring,
    people,
    questions,
    quick_match,
    replay,
    tables,
    talk,
    workshop,
)
from meadhall.server.routes.deeds import DirectDeed
from meadhall.server.settings import Settings
from meadhall.server.store.store import Store
from meadhall.server.web import links
from meadhall.server.web.forms import read_form
from meadhall.server.web.gateway import Gateway
from meadhall.server.web.limits import GuestLimit, RequestLimit, StreamLimit, unlimited_paths
from meadhall.server.web.request import AnyRequest, HallRequest, client_address
from meadhall.server.web.sessions import Sessions, check_same_origin, guest_of
from meadhall.server.worker.client import Worker

log = logging.getLogger(__name__)

BODY_LIMIT: Final = 64 * 1024
"""Bytes of a request, except for uploads."""

_PAGE_MODULES: Final = (
    evenings,
    front_page,
    account,
    quick_match,
    tables,
    deeds,
    workshop,
    questions,
    editor,
    talk,
    replay,
    people,
    host,
    mail,
)
_DEVELOPMENT: Final = "meadhall.server.dev"
"""The package of development mode. Only an application for development loads it."""

_MINUTE: Final = 60.0


def create_app(settings: Settings, store: Store, worker: Worker) -> Litestar:
    """Return the hall as an ASGI application. It closes the worker when it ends, but not the store."""
    app = build_app(settings.requests_per_minute, development=settings.development)
    serve_hall(app, settings, store, worker)
    return app


def serve_hall(app: Litestar, settings: Settings, store: Store, worker: Worker) -> None:
    """Let the application serve a new hall, from its next lifespan on."""
    links.serve(settings)
    app.state.gateway.serve(settings)
    assert app.openapi_config is not None
    app.openapi_config.servers = [Server(links.sub_path() or "/")]
    app.state.hall = Hall(settings, store, worker)
    store.secret(push_service.SECRET)
    app.state.hall.uptime.begin()
    app.state.sessions = Sessions.load(store, app.state.hall.accounts)
    app.state.pictures = Pictures()
    app.state.boards = Drawings(MOST_BOARDS)
    app.state.frames = Frames()
    app.state.match_records = MatchRecords(store, app.state.hall.can_show)
    app.state.stream_limit = StreamLimit(settings.streams_per_client)
    app.state.dev = import_module(f"{_DEVELOPMENT}.reloading").Reloading(store.time) if settings.development else None


def build_app(requests_per_minute: int, *, development: bool = False) -> Litestar:
    """Return the application without a hall. The routes serve the hall in its state, see ``serve_hall``.

    ``development``: whether it has the routes of development mode. Its hall must have the same setting.
    """

    def seconds() -> float:
        hall: Hall = app.state.hall
        return hall.time.seconds()

    limit, lag = RequestLimit(requests_per_minute, seconds), LoopLag()
    modules = (*_PAGE_MODULES, import_module(f"{_DEVELOPMENT}.routes")) if development else _PAGE_MODULES
    app = _litestar(
        route_handlers=[_pages(modules), api.router(), *monitoring.routes, *host.for_machines, *_static_files()],
        dependencies={
            "hall": Provide(lambda: app.state.hall, sync_to_thread=False),
            "sessions": Provide(lambda: app.state.sessions, sync_to_thread=False),
            "stream_limit": Provide(lambda: app.state.stream_limit, sync_to_thread=False),
        },
        request_class=HallRequest,
        exception_handlers={MeadhallError: refused, HTTPException: failed, Exception: failed},
        lifespan=[_lifespan(limit, lag)],
        openapi_config=_openapi(),
        logging_config=None,  # the operator configures logging
        request_max_body_size=BODY_LIMIT,
    )
    app.state.guest_limit = GuestLimit(
        lambda: app.state.hall.switches.quota("new_in_hour") if requests_per_minute else inf, seconds
    )
    gateway = Gateway(app.asgi_handler, lag.note_request, _refuse, limit if requests_per_minute else None, unlimited_paths(app))
    for_pages = DirectDeed(deeds.ACT, app, app.asgi_handler, _identify)
    for_programs = DirectDeed(deeds.ACT, app, app.asgi_handler, api.identify)
    gateway.direct["/tables", deeds.ACT.form] = for_pages.answer_page
    gateway.direct["/api/v1/tables", deeds.ACT.api] = for_programs.answer_program
    app.asgi_handler = app.state.gateway = gateway
    return app


def _litestar(**given: Any) -> Litestar:
    """Return an application of Litestar without its plugin for Pydantic: nothing here uses it, and it takes 12 MB."""
    absent = "pydantic" not in sys.modules
    if absent:
        sys.modules["pydantic"] = cast("ModuleType", None)  # as if it was not installed
    try:
        return Litestar(**given)
    finally:
        if absent:
            del sys.modules["pydantic"]


async def _refuse(scope: Scope, receive: Receive, send: Send, error: Exception) -> None:
    """Answer a request that doesn't even reach its route."""
    request = HallRequest(scope, receive)
    await failed(request, error).to_asgi_response(app=None, request=request)(scope, receive, send)


async def _identify(request: AnyRequest) -> None:
    """Refuse forms of other sites, find the guest of the session, and choose the language of the response."""
    check_same_origin(request)
    state, scope = request.app.state, request.scope
    hall: Hall = state.hall
    if scope["method"] not in ("GET", "HEAD"):
        await hall.store.unlocked()
    scope["state"]["guest"] = guest = state.sessions.from_cookie(request)
    if "new_session" not in scope["state"] and scope["query_string"] != b"hidden":  # the browser keeps cookies
        hall.attendance.note(guest.id)
        if guest.id in hall.mails.absent:
            hall.mails.note_return(guest.id)
    speak(guest.language)
    if scope["method"] == "POST" and not guest.is_stored:
        state.guest_limit.count(client_address(request), guest.id)
    hall.admission.check(guest, scope["path"], scope["client"][0] if scope["client"] else "", scope["method"] in ("GET", "HEAD"))


def _pages(modules: Iterable[ModuleType]) -> Router:
    return Router(
        "/",
        route_handlers=[handler for module in modules for handler in module.routes],
        dependencies={
            "guest": Provide(guest_of, sync_to_thread=False),
            "helper": Provide(host.provide_helper, sync_to_thread=False),
            "host": Provide(host.provide_host, sync_to_thread=False),
            "form": Provide(read_form),
            "room": Provide(tables.provide_room),
        },
        before_request=_identify,
        include_in_schema=False,
    )


def _static_files() -> list[Router]:
    return [
        create_static_files_router(
            path,
            list(folders),
            cache_control=None,
            include_in_schema=False,
            name=path,
            opt={"unlimited": True},
            exception_handlers={ValueError: no_file, InternalServerException: no_file},
        )
        for path, folders in static_folders().items()
    ]


def _openapi() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Meadhall",
        version="1",
        description="Play at this hall with a program. Integers must be written without a decimal point and without quotes.",
        components=api.SECURITY,
        path="/schema",
        render_plugins=[api.DescribedJson()],
        use_handler_docstrings=True,
        operation_id_creator=lambda handler, _method, _path: handler.handler_name,  # generated clients name functions by it
    )


def _lifespan(limit: RequestLimit, lag: LoopLag) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    """Return the lifespan: compile the games and resume their bots in the background, close the hall at the end."""

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        hall: Hall = app.state.hall
        resuming: set[asyncio.Task[None]] = set()

        def resume(game: str) -> None:
            task = asyncio.create_task(hall.resume(game))
            resuming.add(task)
            task.add_done_callback(resuming.discard)

        async def prepare() -> None:
            await hall.ready.prepare(resume)
            hall.orders.go_on()
            machine.freeze_loaded_objects()

        work = (prepare(), _clean_up(limit, hall), *hall.background())
        tasks = [asyncio.create_task(each) for each in work]
        async with machine.tuned_gc(), lag.measured(), obeying(hall):
            yield
        for task in (*tasks, *resuming):
            task.cancel()
        await asyncio.gather(*tasks, *resuming, return_exceptions=True)
        await hall.close()

    return lifespan


async def _clean_up(limit: RequestLimit, hall: Hall) -> None:
    """Once a minute forget expired request counts, and release the rooms of finished matches."""
    while True:
        await hall.time.sleep(_MINUTE)
        limit.forget_expired()
        hall.release_finished_rooms()
