"""The addresses of development mode, all below ``/dev``. Without ``--dev`` they don't exist."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from litestar import MediaType, Response, Router, get
from litestar.connection import ASGIConnection
from litestar.exceptions import PermissionDeniedException
from litestar.handlers import BaseRouteHandler
from litestar.response import Stream

from meadhall.engine.text.language import gettext as _
from meadhall.server.dev.panel import panel_of
from meadhall.server.dev.reloading import Reloading
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.notices.pubsub import updates
from meadhall.server.hall.room import Room
from meadhall.server.pages.responses import Html, page
from meadhall.server.pages.templates import render_part
from meadhall.server.store.models import Guest
from meadhall.server.web import event_stream
from meadhall.server.web.forwarded import is_name_of_this_machine, own_host
from meadhall.server.web.request import AnyRequest


@get("/dev/stream", opt={"unlimited": True})
async def stream(request: AnyRequest, hall: Hall, guest: Guest) -> Stream:
    """Tell a page which start of the hall this is, and which games can't be imported."""
    reloading: Reloading = request.app.state.dev

    async def states() -> AsyncIterator[bytes]:
        with reloading.channel.subscribe(guest.id) as subscriber:
            async for changed in updates(subscriber, hall.closing, event_stream.HEARTBEAT_INTERVAL):
                if subscriber.is_due:
                    yield event_stream.HEARTBEAT
                if changed:
                    told = {"build": reloading.build, "problems": reloading.problems}
                    yield event_stream.encode_event(json.dumps(told))

    return event_stream.event_stream(states())


@get("/dev/tables/{id:str}")
async def show_panel(request: AnyRequest, room: Room, guest: Guest, part: bool = False) -> Html:
    """Show the debug panel of a table: as a page, or only its content for the drawer beside the table."""
    panel = panel_of(room)
    if part:
        return Response(render_part("dev/panel.html", panel), media_type=MediaType.HTML)
    return page(request, guest, "dev/page.html", panel)


def _refuse_other_names(connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler) -> None:
    """Refuse a request under another name if only this machine can reach the hall: a page of another site could send it.

    A site can let its name lead to 127.0.0.1 (DNS rebinding). Then its pages and the hall have the same origin for a browser. The
    name is the Host header of the connection itself, because any page can send ``X-Forwarded-Host``.
    """
    hall: Hall = connection.app.state.hall
    if hall.settings.is_on_this_machine and not is_name_of_this_machine(own_host(connection.scope)):
        raise PermissionDeniedException(
            _("Open development mode under the name localhost, or under the address that it listens on.")
        )


routes = [Router("/", route_handlers=[stream, show_panel], guards=[_refuse_other_names])]
