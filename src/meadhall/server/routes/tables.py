"""A table: its page, its live stream, its record, and the check of its dice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final, cast

from litestar import Response, get
from litestar.response import Stream

from meadhall.engine.errors import UnknownGame
from meadhall.engine.record.format import SUFFIX, dumps
from meadhall.engine.text.language import LANGUAGES, speak
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import DatabaseUnavailable, NotFound, OtherRules
from meadhall.server.hall.daily import daily
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.notices.pubsub import updates
from meadhall.server.hall.records.match_records import MatchRecords
from meadhall.server.hall.room import Room
from meadhall.server.pages.frames import Frames
from meadhall.server.pages.patches import SentFrame
from meadhall.server.pages.responses import Html, page, table_page
from meadhall.server.pages.rulebook import rulebook_of_match
from meadhall.server.pages.talk import TalkPanel
from meadhall.server.pages.verify import verify_page
from meadhall.server.store.models import Guest
from meadhall.server.store.queries import notes, tables
from meadhall.server.web import event_stream
from meadhall.server.web.limits import StreamLimit
from meadhall.server.web.links import outside
from meadhall.server.web.request import AnyRequest, page_id
from meadhall.server.web.sessions import guest_of

UNNOTICED: Final = "unnoticed"
"""The option of a route whose requests tell others nothing by themselves, such as those with a line that they may not hear."""


async def provide_room(request: AnyRequest, hall: Hall, id: str) -> Room:
    """Return the room of the table in the address."""
    guest = guest_of(request)
    if not request.route_handler.opt.get(UNNOTICED):
        return await visited_room(hall, guest, id)
    room = await hall.room(id)
    room.check_visible(guest)
    return room


async def visited_room(hall: Hall, guest: Guest, id: str) -> Room:
    """Return the room of a table, where a guest is from now on."""
    room = await hall.room(id)
    room.check_visible(guest)
    room.visits.note(guest.id)
    hall.note_at_table(room, guest)
    return room


@get("/tables/{id:str}")
async def show_table(request: AnyRequest, hall: Hall, room: Room, guest: Guest, id: str) -> Html:
    """Show the lobby, the running match or its end."""
    hall.request_chart(room)
    if hall.talk.has_chat(room.table):
        with suppress(DatabaseUnavailable):  # the stream brings the chat later
            hall.talk.prepare(room, guest)
    turns = await hall.turns_of(guest)
    has_note = hall.store.transact(notes.find, id, guest.id) != ""
    return table_page(request, room, guest, turns=len(turns) - (id in turns), has_note=has_note)


@get("/tables/{id:str}/stream", opt={"unlimited": True})
async def stream_table(request: AnyRequest, hall: Hall, room: Room, guest: Guest, stream_limit: StreamLimit) -> Stream:
    """Send the table as the guest sees it, now and after every change.

    A page that says who it is gets patches. Any other client, also a page of an older version of this program, gets whole frames.
    """
    reached, name, drawn = outside(request), page_id(request), cast("Frames", request.app.state.frames)
    stream_limit.check(request, guest)

    async def frames() -> AsyncIterator[bytes]:
        sent, panel = SentFrame(), TalkPanel(hall, drawn, room, guest) if name else None
        with stream_limit.count(request, guest), room.visits.subscribe(guest.id, name) as subscriber:
            async for changed in updates(subscriber, hall.closing, event_stream.HEARTBEAT_INTERVAL):
                hall.request_chart(room)
                if subscriber.is_due:
                    hall.note_at_table(room, guest)
                news = b""
                if changed and name:
                    news = b"data: %b\n\n" % sent.patch_to(drawn.frame(room, guest, reached).sections)
                elif changed:
                    news = event_stream.encode_event(drawn.frame(room, guest, reached).html.strip())
                said = panel.news() if panel is not None else None
                if said is not None:
                    news += b"event: chat\ndata: %b\n\n" % said
                yield news + event_stream.HEARTBEAT if subscriber.is_due else news

    return event_stream.event_stream(frames())


@get("/tables/{id:str}/rules")
async def show_rules_of_table(request: AnyRequest, room: Room, guest: Guest) -> Html:
    """Show the rulebook with the components that the table uses."""
    return page(request, guest, "rulebook.html", rulebook_of_match(room.game, room.table.options, guest.language))


@get("/tables/{id:str}/record")
async def download_record(request: AnyRequest, hall: Hall, guest: Guest, id: str) -> Response[str]:
    """Return the match record: complete after the match, before that only what the guest may know."""
    return await record_response(request, hall, guest, id)


async def record_response(request: AnyRequest, hall: Hall, guest: Guest, id: str) -> Response[str]:
    """Return the record of a match as a file, as the guest may know it.

    Of a finished match whose rules aren't installed any more it is the record that was stored. Raises NotFound in a lobby.
    """
    try:
        room = await provide_room(request, hall, id)
    except (OtherRules, UnknownGame):
        table = hall.store.transact(tables.find, id)
        records: MatchRecords = request.app.state.match_records
        text = None if table is None else await records.of_table(table)
        if table is None or text is None:
            raise
        return _as_file(text, f"{table.game}-{id}{SUFFIX}")
    if room.match is None:
        raise NotFound(_("The match has not begun yet."))
    record = room.match.record(room.table.seat_of(guest.id), sealed=daily.is_sealed(room.table, room.time))
    return _as_file(dumps(record), f"{room.game.name}-{id}{SUFFIX}")


def _as_file(text: str, name: str) -> Response[str]:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="application/json", headers=headers)


@get("/tables/{id:str}/picture.png", media_type="image/png")
async def show_picture(request: AnyRequest, room: Room, guest: Guest, language: str = "") -> Response[bytes]:
    """Return the end of a match as a picture to share. It depends on its address only, so it can be cached."""
    chosen = language if language in LANGUAGES else guest.language
    speak(chosen)
    picture = await request.app.state.pictures.picture(room, chosen)
    return Response(picture, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})


@get("/tables/{id:str}/verify")
async def verify_dice(request: AnyRequest, room: Room, guest: Guest) -> Html:
    """Show how every die of the match follows from its seed."""
    return page(request, guest, "verify.html", await verify_page(room))


routes = [show_table, stream_table, show_rules_of_table, download_record, show_picture, verify_dice]
