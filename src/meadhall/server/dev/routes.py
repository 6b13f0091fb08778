"""The addresses of development mode, all below ``/dev``. Without ``--dev`` they don't exist."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from litestar import MediaType, Response, Router, get, post
from litestar.exceptions import HTTPException
from litestar.response import Redirect, Stream

from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import speak
from meadhall.server.dev.guard import refuse_other_names
from meadhall.server.dev.panel import Panel, panel_of, tab_of
from meadhall.server.dev.problems import problem_of
from meadhall.server.dev.saved_test import test_name, test_source
from meadhall.server.dev.tables import act, change_player, continue_from, edit, entries_until, restart
from meadhall.server.dev.workshop import Workshop
from meadhall.server.errors import NotFound, reason_of, rule_of, status_of
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.notices.pubsub import updates
from meadhall.server.hall.room import Room
from meadhall.server.pages.models import Refusal
from meadhall.server.pages.replay import replay_page
from meadhall.server.pages.responses import Html, failed, page, see_other
from meadhall.server.pages.templates import render_part
from meadhall.server.store.models import Guest
from meadhall.server.web import event_stream
from meadhall.server.web.forms import Form, action_number, integer, read_long_form
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest

log = logging.getLogger(__name__)


def workshop_of(request: AnyRequest) -> Workshop:
    """Return the workshop of the hall."""
    workshop: Workshop = request.app.state.workshop
    return workshop


@get("/dev")
async def show_workshop(request: AnyRequest, guest: Guest) -> Html:
    """Show the games with their files, and what doesn't work."""
    return page(request, guest, "dev/workshop.html", workshop_of(request))


@get("/dev/stream", opt={"unlimited": True})
async def stream(request: AnyRequest, hall: Hall, guest: Guest) -> Stream:
    """Tell a page when the files have changed from which it was made, and what doesn't work."""
    workshop = workshop_of(request)

    async def states() -> AsyncIterator[bytes]:
        with workshop.channel.subscribe(guest.id) as subscriber:
            async for changed in updates(subscriber, hall.closing, event_stream.HEARTBEAT_INTERVAL):
                if subscriber.is_due:
                    yield event_stream.HEARTBEAT
                if not changed:
                    continue
                shown = render_part("dev/problems.html", tuple(workshop.problems.values()))
                yield event_stream.encode_event(json.dumps({"build": workshop.build, "problems": shown.strip()}))

    return event_stream.event_stream(states())


@get("/dev/tables/{id:str}")
async def show_panel(
    request: AnyRequest, room: Room, guest: Guest, tab: str = "", at: int | None = None, part: bool = False
) -> Html:
    """Show the panel of a table: as a page, or only its content for the drawer beside the table."""
    return _answer(request, guest, panel_of(room, guest.id, tab_of(tab), at), part)


@post("/dev/tables/{id:str}/act", status_code=200)
async def play_for_seat(request: AnyRequest, room: Room, guest: Guest, form: Form) -> Html | Redirect:
    """Play an action for any seat."""
    seat, number = _number(form, "seat"), _number(form, "n")
    return _done(partial(act, room, seat, action_number(form), number), request, room, guest, form)


@post("/dev/tables/{id:str}/edit", status_code=200)
async def edit_fields(request: AnyRequest, room: Room, guest: Guest, form: Form) -> Html | Redirect:
    """Give fields of the state new values."""
    values = await read_long_form(request)
    return _done(partial(edit, room, values, _number(form, "n")), request, room, guest, form)


@post("/dev/tables/{id:str}/seat", status_code=200)
async def choose_player(request: AnyRequest, room: Room, guest: Guest, form: Form) -> Html | Redirect:
    """Choose who plays for a seat."""
    return _done(partial(change_player, room, guest, _number(form, "seat"), form.get("player", "")), request, room, guest, form)


@post("/dev/tables/{id:str}/continue", status_code=200)
async def begin_here(hall: Hall, room: Room, form: Form) -> Redirect:
    """Begin another match at a position of this one."""
    begun = await continue_from(hall, room, _number(form, "at"))
    return see_other(link(f"/tables/{begun.table.id}"))


@post("/dev/tables/{id:str}/restart", status_code=200)
async def begin_again(hall: Hall, room: Room, form: Form) -> Redirect:
    """Begin the match again, with the same seed or another one."""
    begun = await restart(hall, room, form.get("seed", ""))
    return see_other(link(f"/tables/{begun.table.id}"))


@get("/dev/tables/{id:str}/test")
async def save_as_test(hall: Hall, room: Room, at: int = 0) -> Response[str]:
    """Return a position as a file for pytest."""
    match = room.match
    if match is None:
        raise NotFound(_("The match has not begun yet."))
    entries = entries_until(hall, room, at)
    name = f"{test_name(match, at)}.py"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(test_source(match, entries, at), media_type="text/x-python; charset=utf-8", headers=headers)


@get("/dev/tables/{id:str}/board")
async def show_board(request: AnyRequest, room: Room, guest: Guest, step: int | None = None, seat: str = "") -> Html:
    """Show the board at any position, as any seat sees it, or with everything revealed."""
    if room.match is None:
        raise NotFound(_("The match has not begun yet."))
    opened = room.match.copy()
    if not opened.over:
        opened.abandoned = "looked at"  # a copy that has ended has no secrets
    url = link(f"/tables/{room.table.id}")
    content = replay_page(opened, link(f"/dev/tables/{room.table.id}/board"), step, seat, None, url)
    return page(request, guest, "replay.html", content)


routes = [
    Router(
        "/",
        route_handlers=[
            show_workshop,
            stream,
            show_panel,
            play_for_seat,
            edit_fields,
            choose_player,
            begin_here,
            begin_again,
            save_as_test,
            show_board,
        ],
        guards=[refuse_other_names],
    )
]


def _number(form: Form, name: str) -> int:
    number = integer(form, name)
    if number is None:
        raise BadSetup(_("{name} must be an integer, not {what}.").format(name=name, what=repr("")))
    return number


def _done(work: Callable[[], None], request: AnyRequest, room: Room, guest: Guest, form: Form) -> Html | Redirect:
    """Do the work of a form, and return the panel after it, with the reason if it was refused."""
    tab, is_part = form.get("tab", ""), form.get("part") == "true"
    try:
        work()
    except MeadhallError as error:
        notice = Refusal(rule_of(error), reason_of(error))
        return _answer(request, guest, panel_of(room, guest.id, tab_of(tab), None, notice), is_part, int(status_of(error)))
    if is_part:
        return _answer(request, guest, panel_of(room, guest.id, tab_of(tab), None), is_part)
    return see_other(link(f"/dev/tables/{room.table.id}?tab={tab_of(tab)}"))


def _answer(request: AnyRequest, guest: Guest, panel: Panel, is_part: bool, status: int = HTTPStatus.OK) -> Html:
    if not is_part:
        return page(request, guest, "dev/page.html", panel, status)
    return Response(render_part("dev/panel.html", panel), media_type=MediaType.HTML, status_code=status)


def explained(request: AnyRequest, error: Exception) -> Response[Any]:
    """Return the response to an internal error: in development mode the page shows the traceback."""
    if isinstance(error, HTTPException) or request.url.path.startswith("/api"):
        return failed(request, error)
    log.error("%s %s failed", request.method, request.scope.get("path_template"), exc_info=error)
    known = request.scope["state"].get("guest")
    guest = known if isinstance(known, Guest) else Guest("", "", "en")
    speak(guest.language)
    problem = problem_of("", _("This page can't be shown."), error, workshop_of(request).folder_of(error))
    return page(request, guest, "dev/error.html", (problem,), HTTPStatus.INTERNAL_SERVER_ERROR)
