"""The chat of a table in the API: read it, say a line, mute and block, close it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import get, post
from litestar.params import HeaderParameter, QueryParameter

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import BadLine
from meadhall.server.hall.chat import LONGEST_TEXT, in_words
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.hall.talk import Listener, audience_of, heard
from meadhall.server.routes.api_refusals import STRICT, table_refusals
from meadhall.server.routes.chat import IGNORED
from meadhall.server.routes.tables import UNNOTICED
from meadhall.server.store.models import Guest
from meadhall.server.store.talk import Audience, ChatLine
from meadhall.server.web import event_stream

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
    """Your line: a ``text`` of at most 500 letters, or the key of a preset ``phrase``."""

    text: Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)] = ""
    phrase: Annotated[str, msgspec.Meta(max_length=20)] | None = None


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
    lines, has_earlier = hall.talk.earlier(room, program, before)
    room.chat.refresh()
    found = [line_info(line, program) for line in lines]
    return ChatInfo(found, has_earlier, audience_of(room.table, program), room.chat.is_closed)


@post("/tables/{id:str}/chat", status_code=201, opt={UNNOTICED: True}, responses=table_refusals(403, 413, 422))
async def say_line(
    data: Annotated[NewLine, STRICT], hall: Hall, room: Room, program: Guest, idempotency_key: Annotated[str | None, _KEY] = None
) -> LineInfo:
    """Say a line. With a seat you talk to the players, without one to the spectators.

    With an ``Idempotency-Key`` you can repeat the request: it answers with the line that the first one said. You may say 5 lines
    in 10 seconds and 60 in 5 minutes, at all tables together.
    """
    if data.phrase is not None and data.text:
        raise BadLine(_("Send a text or a phrase, not both."))
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


def _chat_info(hall: Hall, room: Room, guest: Guest) -> ChatInfo:
    lines, has_earlier = hall.talk.earlier(room, guest, None)
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
        """Return the events of lines that are new to the client or have changed. Raises DatabaseUnavailable."""
        ignored = self._listener.news()
        if ignored is None:
            return []
        lines = {line.id: line_info(line, self._guest) for line in heard(self._room, self._guest, ignored)}
        news = [line for id, line in lines.items() if self._sent.get(id) != line]
        self._sent = lines
        return [event_stream.encode_event(msgspec.json.encode(line).decode(), "chat") for line in news]


routes: list[Any] = [read_chat, say_line, ignore_person, close_chat, open_chat]
