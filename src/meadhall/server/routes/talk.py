"""The chat of a table, for pages and for programs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Response, get, post
from litestar.params import HeaderParameter, QueryParameter

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import BadLine, NotFound, reason_of, status_of
from meadhall.server.hall.chat import LONGEST_TEXT, in_words
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.hall.talk import Listener, audience_of, heard, reactions
from meadhall.server.pages.models import Refusal
from meadhall.server.pages.responses import Answer, Html, page, refusal_json, see_other, wants_json
from meadhall.server.pages.talk import chat_page
from meadhall.server.routes.api_models import STRICT, table_refusals
from meadhall.server.routes.tables import UNNOTICED
from meadhall.server.store.acquaintances import IgnoreKind
from meadhall.server.store.models import Guest
from meadhall.server.store.talk import Audience, ChatLine
from meadhall.server.web import event_stream
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
    """Say a line, or a preset phrase, or react. A refused line stays in the form."""
    form = await read_form(request, LONGEST_TEXT + 1)
    try:
        if "reaction" in form:
            hall.talk.react(room, guest, form["reaction"])
        else:
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


@post(["/tables/{id:str}/chat/close", "/tables/{id:str}/chat/open"], status_code=200)
async def open_or_close(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Answer:
    """Close the chat of the table, or open it again, as its host."""
    try:
        hall.talk.close(room, guest, closed=request.url.path.endswith("close"))
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


_KEY: Final = HeaderParameter(name="Idempotency-Key", min_length=1, max_length=100)


class LineInfo(msgspec.Struct):
    """A line of chat. ``audience`` hears it, ``seat`` is its author's (null: a spectator), ``you`` whether you said it.

    ``phrase`` is the key of a preset phrase, null for a text. ``at`` is in UTC.
    """

    id: str
    audience: Audience
    seat: int | None
    name: str
    text: str
    phrase: str | None
    deleted: bool
    you: bool
    at: datetime


class ChatInfo(msgspec.Struct):
    """The lines that you hear at a table, in the order of time, and whether there are ``earlier`` ones.

    ``audience`` hears what you say. ``closed``: the host of the table has closed the chat.
    """

    lines: list[LineInfo]
    earlier: bool
    audience: Audience
    closed: bool


class NewLine(msgspec.Struct, forbid_unknown_fields=True):
    """Your line: a ``text`` of at most 500 letters, or the key of a preset ``phrase``.

    A ``reaction`` is a sign over your seat for 6 seconds, and isn't stored: ``skal``, ``well``, ``laugh``, ``wow`` or ``oops``.
    """

    text: Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)] = ""
    phrase: Annotated[str, msgspec.Meta(max_length=20)] | None = None
    reaction: Annotated[str, msgspec.Meta(max_length=20)] | None = None


class IgnorePerson(msgspec.Struct, forbid_unknown_fields=True):
    """Whom to mute or block: the author of a ``line`` that you hear (its id), or the player on a ``seat``."""

    set: Literal["mute", "unmute", "block", "unblock"]
    line: Annotated[str, msgspec.Meta(max_length=16)] | None = None
    seat: int | None = None


def line_info(line: ChatLine, guest: Guest) -> LineInfo:
    """Describe a line to a guest."""
    words = line.text if line.phrase is None else in_words(line.phrase)
    is_own = line.guest == guest.id
    return LineInfo(line.id, line.audience, line.seat, line.name, words, line.phrase, line.is_deleted, is_own, line.at)


@get("/tables/{id:str}/chat", responses=table_refusals(403))
async def read_chat(
    hall: Hall,
    room: Room,
    program: Guest,
    before: Annotated[str | None, QueryParameter(max_length=16, description="the id of a line: return those before it")] = None,
) -> ChatInfo:
    """Return the last 50 lines that you hear, or the last 50 before a line."""
    return _chat_info(hall, room, program, before)


@post("/tables/{id:str}/chat", status_code=201, opt={UNNOTICED: True}, responses=table_refusals(403, 413, 422))
async def say_line(
    data: Annotated[NewLine, STRICT], hall: Hall, room: Room, program: Guest, idempotency_key: Annotated[str | None, _KEY] = None
) -> LineInfo:
    """Say a line. With a seat you talk to the players, without one to the spectators.

    With an ``Idempotency-Key`` you can repeat the request: it answers with the line that the first one said. You may say 5 lines
    in 10 seconds and 60 in 5 minutes, at all tables together, and react with your seat 3 times in 10 seconds.
    """
    if (data.phrase is not None) + (data.reaction is not None) + bool(data.text) > 1:
        raise BadLine(_("Send a text, a phrase or a reaction."))
    if data.reaction is not None:
        return line_info(hall.talk.react(room, program, data.reaction), program)
    return line_info(hall.talk.say(room, program, data.text, data.phrase, idempotency_key), program)


@post("/tables/{id:str}/chat/people", status_code=200, opt={UNNOTICED: True}, responses=table_refusals(403, 413))
async def ignore_person(data: Annotated[IgnorePerson, STRICT], hall: Hall, room: Room, program: Guest) -> ChatInfo:
    """Mute or block a person at the table, or stop doing so. They are not told."""
    who = f"seat:{data.seat}" if data.seat is not None else f"line:{data.line}"
    hall.talk.ignore(room, program, who, *IGNORED[data.set])
    return _chat_info(hall, room, program)


@post("/tables/{id:str}/chat/close", status_code=200, responses=table_refusals(403))
async def close_chat(hall: Hall, room: Room, program: Guest) -> ChatInfo:
    """Close the chat of a table that you host, for all."""
    hall.talk.close(room, program, closed=True)
    return _chat_info(hall, room, program)


@post("/tables/{id:str}/chat/open", status_code=200, responses=table_refusals(403))
async def open_chat(hall: Hall, room: Room, program: Guest) -> ChatInfo:
    """Open the chat of a table that you host again."""
    hall.talk.close(room, program, closed=False)
    return _chat_info(hall, room, program)


def _chat_info(hall: Hall, room: Room, guest: Guest, before: str | None = None) -> ChatInfo:
    lines, has_earlier = hall.talk.earlier(room, guest, before)
    room.chat.refresh()
    return ChatInfo([line_info(line, guest) for line in lines], has_earlier, audience_of(room.table, guest), room.chat.is_closed)


class ChatEvents:
    """The chat of a table as events for one client."""

    def __init__(self, hall: Hall, room: Room, guest: Guest) -> None:
        self._room = room
        self._guest = guest
        self._listener = Listener(hall.talk, room, guest)
        self._sent: dict[str, LineInfo] = {}

    def news(self) -> list[bytes]:
        """Return the events of lines and reactions that are new to the client or have changed. Raises DatabaseUnavailable."""
        ignored = self._listener.news()
        if ignored is None:
            return []
        shown = {line.id: "reaction" for line in reactions(self._room, ignored)}
        said = (*heard(self._room, self._guest, ignored), *reactions(self._room, ignored))
        lines = {line.id: line_info(line, self._guest) for line in said}
        news = [line for id, line in lines.items() if self._sent.get(id) != line]
        self._sent = lines
        return [event_stream.encode_event(msgspec.json.encode(line).decode(), shown.get(line.id, "chat")) for line in news]


routes = [show_chat, say, change_people, open_or_close]

api_routes: list[Any] = [read_chat, say_line, ignore_person, close_chat, open_chat]
