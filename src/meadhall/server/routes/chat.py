"""The chat of a table: lines, its own page, muted and blocked people, and its end by the host of the table."""

from __future__ import annotations

from typing import Annotated, Final

from litestar import Response, get, post
from litestar.params import QueryParameter

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, reason_of, status_of
from meadhall.server.hall.chat import LONGEST_TEXT
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.pages.models import Refusal
from meadhall.server.pages.responses import Answer, Html, page, refusal_json, see_other, wants_json
from meadhall.server.pages.talk import chat_page
from meadhall.server.routes.tables import UNNOTICED
from meadhall.server.store.acquaintances import IgnoreKind
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, read_form
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest

_Before = Annotated[str | None, QueryParameter(name="before", max_length=16)]

IGNORED: Final[dict[str, tuple[IgnoreKind, bool]]] = {
    "mute": ("mute", True),
    "unmute": ("mute", False),
    "block": ("block", True),
    "unblock": ("block", False),
}
"""A change that a form or a program asks for: its kind, and whether it begins."""


@get("/tables/{id:str}/chat")
async def show_chat(request: AnyRequest, hall: Hall, room: Room, guest: Guest, before: _Before = None) -> Html:
    """Show the last lines of a table's chat, or the last ones before a line."""
    return page(request, guest, "chat.html", chat_page(hall, room, guest, before))


@post("/tables/{id:str}/chat", status_code=200, opt={UNNOTICED: True})
async def say(request: AnyRequest, hall: Hall, room: Room, guest: Guest) -> Answer:
    """Say a line, or a preset phrase. A refused line stays in the form."""
    form = await read_form(request, LONGEST_TEXT + 1)
    try:
        hall.talk.say(room, guest, form.get("text", ""), form.get("phrase"), form.get("key", "")[:100] or None)
    except MeadhallError as error:
        return _refused(request, hall, room, guest, error, form)
    return _done(request, room, form)


@post("/tables/{id:str}/chat/people", status_code=200, opt={UNNOTICED: True})
async def change_people(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Answer:
    """Mute or block a person at the table, or stop doing so."""
    try:
        if form.get("set") not in IGNORED:
            raise NotFound(_("People can be muted, unmuted, blocked and unblocked."))
        hall.talk.ignore(room, guest, form.get("who", ""), *IGNORED[form["set"]])
    except MeadhallError as error:
        return _refused(request, hall, room, guest, error, form)
    return _done(request, room, form)


@post("/tables/{id:str}/chat/close", status_code=200)
async def close_chat(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Answer:
    """Close the chat of the table, as its host."""
    return await _set_closed(request, hall, room, guest, form, closed=True)


@post("/tables/{id:str}/chat/open", status_code=200)
async def open_chat(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Answer:
    """Open the chat of the table again, as its host."""
    return await _set_closed(request, hall, room, guest, form, closed=False)


async def _set_closed(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form, closed: bool) -> Answer:
    try:
        hall.talk.close(room, guest, closed)
    except MeadhallError as error:
        return _refused(request, hall, room, guest, error, form)
    return _done(request, room, form)


def _done(request: AnyRequest, room: Room, form: Form) -> Answer:
    """Answer a request that was done. A plain form leads back to the page that it was on."""
    if wants_json(request):
        return Response({"ok": True})
    return see_other(link(f"/tables/{room.table.id}/chat" if form.get("from") == "page" else f"/tables/{room.table.id}"))


def _refused(request: AnyRequest, hall: Hall, room: Room, guest: Guest, error: MeadhallError, form: Form) -> Answer:
    """Answer a refused request: a program with the reason, a plain form with the chat's page, which keeps what was typed."""
    if wants_json(request) or not hall.talk.has_chat(room.table):
        if wants_json(request):
            return refusal_json(error)
        raise error
    content = chat_page(hall, room, guest, None, Refusal("", reason_of(error)), form.get("text", ""))
    return page(request, guest, "chat.html", content, int(status_of(error)))


routes = [show_chat, say, change_people, close_chat, open_chat]
