"""A table: its page, its live stream, its record, what stands beside its match, and the private links of its seats."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Final, Literal, cast

from litestar import Response, get, post
from litestar.params import QueryParameter
from litestar.response import Redirect, Stream

from meadhall.bots import in_words
from meadhall.engine.errors import MeadhallError, UnknownGame
from meadhall.engine.match.record import SUFFIX, dumps
from meadhall.engine.match.view import SPECTATOR
from meadhall.engine.registry import game_names
from meadhall.engine.text.language import LANGUAGES, gettext as _, speak
from meadhall.pictures import svg
from meadhall.pictures.regions import encoded
from meadhall.server.errors import DatabaseUnavailable, NotFound, OtherRules
from meadhall.server.hall import match_changes
from meadhall.server.hall.chat import LONGEST_NOTE, clean_note
from meadhall.server.hall.daily_puzzle import is_sealed
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.match_records import MatchRecords
from meadhall.server.hall.notices.pubsub import updates
from meadhall.server.hall.room import Room
from meadhall.server.pages.evening import bar as evening_bar
from meadhall.server.pages.frames import Frames
from meadhall.server.pages.picture import Drawings
from meadhall.server.pages.proposals import propose_page
from meadhall.server.pages.regions import message
from meadhall.server.pages.replay import verification
from meadhall.server.pages.responses import Answer, Html, page, see_other, table_answer, table_page, wants_json
from meadhall.server.pages.rulebook import rulebook_of_match
from meadhall.server.pages.talk import TalkPanel
from meadhall.server.pages.templates import render_part
from meadhall.server.routes.api_tables import hint_infos
from meadhall.server.store import tables, talk
from meadhall.server.store.models import Guest
from meadhall.server.web import event_stream
from meadhall.server.web.forms import Form, read_form
from meadhall.server.web.limits import StreamLimit
from meadhall.server.web.links import link, outside
from meadhall.server.web.request import AnyRequest, page_id
from meadhall.server.web.sessions import Sessions, guest_of

UNNOTICED: Final = "unnoticed"
"""The option of a route whose requests tell others nothing by themselves, such as those with a line that they may not hear."""


async def provide_room(request: AnyRequest, hall: Hall, id: str) -> Room:
    """Return the room of the table in the address."""
    guest = guest_of(request)
    if not request.route_handler.opt.get(UNNOTICED):
        return await visited_room(hall, guest, id, is_hidden="hidden" in request.query_params)
    room = await hall.room(id)
    room.check_visible(guest)
    return room


async def visited_room(hall: Hall, guest: Guest, id: str, *, is_hidden: bool = False) -> Room:
    """Return the room of a table, where a guest is from now on. ``is_hidden``: a hidden page of the lobby asks."""
    room = await hall.room(id)
    room.check_visible(guest)
    room.visits.note(guest.id, is_hidden=is_hidden and room.table.status == "gathering")
    if not is_hidden:
        hall.note_at_table(room, guest)
    return room


_From = Annotated[str, QueryParameter(name="from", max_length=16)]


@get("/tables/{id:str}")
async def show_table(request: AnyRequest, hall: Hall, room: Room, guest: Guest, id: str, came_from: _From = "") -> Html:
    """Show the lobby, the running match or its end. Who comes from another table of theirs finds a way back."""
    hall.request_chart(room)
    if hall.talk.has_chat(room.table):
        with suppress(DatabaseUnavailable):  # the stream brings the chat later
            hall.talk.prepare(room, guest)
    turns = await hall.turns_of(guest)
    has_note = hall.store.transact(talk.find_note, id, guest.id) != ""
    before = hall.store.transact(tables.find, came_from) if came_from else None
    back = before if before is not None and before.seat_of(guest.id) is not None and before.game in game_names() else None
    evening, bar = hall.evenings.of_table.get(id), ""
    with suppress(NotFound):  # an evening is deleted before its tables
        bar = evening_bar(hall.evenings.find(evening), id, guest) if evening else ""
    return table_page(request, room, guest, turns=len(turns) - (id in turns), has_note=has_note, back=back, evening=bar)


@get("/tables/{id:str}/stream", opt={"unlimited": True})
async def stream_table(request: AnyRequest, hall: Hall, room: Room, guest: Guest, stream_limit: StreamLimit) -> Stream:
    """Send the table as the guest sees it, now and after every change.

    A page that says its name gets the regions that it lacks. Any other client, also a page of an older version of this program,
    gets whole frames.
    """
    reached, name, drawn = outside(request), page_id(request), cast("Frames", request.app.state.frames)
    stream_limit.check(request, guest)

    async def frames() -> AsyncIterator[bytes]:
        panel = TalkPanel(hall, room, guest) if name else None
        shown = drawn.shown(room, guest, request.headers.get("Meadhall-Seen", "")) if name else None
        shown_told = -1 if hall.switches.told() else hall.switches.version  # -1: the page may be older
        with stream_limit.count(request, guest), room.visits.subscribe(guest.id, name) as subscriber:
            async for changed in updates(subscriber, hall.closing, event_stream.HEARTBEAT_INTERVAL):
                hall.request_chart(room)
                if subscriber.is_due:
                    hall.note_at_table(room, guest)
                news = b""
                if changed:
                    frame, before = drawn.frame(room, guest, reached), shown
                    if not name:
                        news = event_stream.encode_event(frame.html)
                    elif frame is not before:
                        news = b"data: %b\n\n" % message(before, frame)
                    shown = frame
                said = panel.news() if panel is not None else None
                if said is not None:
                    news += b"event: chat\ndata: %b\n\n" % said
                if name and shown_told != hall.switches.version:
                    shown_told = hall.switches.version
                    html = render_part("_told.html", hall.switches.told())
                    news += b"event: told\ndata: %b\n\n" % encoded(html)
                yield news + event_stream.HEARTBEAT if subscriber.is_due else news

    return event_stream.event_stream(frames())


@get("/tables/{id:str}/rules")
async def show_rules_of_table(request: AnyRequest, room: Room, guest: Guest) -> Html:
    """Show the rulebook with the components that the table uses."""
    return page(request, guest, "rulebook.html", rulebook_of_match(room.game, room.table.options, guest.language))


@get("/tables/{id:str}/sheets/{name:str}")
async def show_sheet(request: AnyRequest, room: Room, guest: Guest, name: str) -> Html:
    """Show a sheet of the game's page, such as what a player has. The page of the table loads it when it opens."""
    found = cast("Frames", request.app.state.frames).sheet(room, guest, outside(request), name)
    if found is None:
        raise NotFound(_("There is no such sheet at this table."))
    return page(request, guest, "sheet.html", found[0], sheet=found[1])


@get("/tables/{id:str}/record")
async def download_record(request: AnyRequest, hall: Hall, guest: Guest, id: str) -> Response[str]:
    """Return the match record: complete after the match, before that only what the guest may know."""
    return await record_response(request, hall, guest, id)


async def record_response(request: AnyRequest, hall: Hall, guest: Guest, id: str) -> Response[str]:
    """Return the record of a match as a file, as the guest may know it.

    Of a finished match whose rules aren't installed any more it has no events and texts. Raises NotFound in a lobby.
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
    record = room.match.record(room.table.seat_of(guest.id), sealed=is_sealed(room.table, room.time))
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


@get("/tables/{id:str}/board.svg", opt={UNNOTICED: True, "unlimited": True})
async def show_board(
    request: AnyRequest, room: Room, guest: Guest, language: str = "", theme: Literal["light", "dark"] = "light"
) -> Response[bytes]:
    """Return the board of a match as an SVG, as spectators see it. Its address names a version, so it can be cached."""
    if room.match is None:
        raise NotFound(_("The match has not begun yet."))
    speak(chosen := language if language in LANGUAGES else guest.language)
    drawings, view = cast("Drawings", request.app.state.boards), room.match.view(SPECTATOR)
    key = room.table.id, room.version, chosen, theme
    drawn = await drawings.drawn(key, lambda: lambda: svg(view, theme).encode())
    return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=600"})


@get("/tables/{id:str}/verify")
async def verify_dice(request: AnyRequest, room: Room, guest: Guest) -> Html:
    """Show how every die of the match follows from its seed."""
    return page(request, guest, "verify.html", None, **await verification(room))


@get("/tables/{id:str}/propose")
async def show_offers(request: AnyRequest, hall: Hall, room: Room, guest: Guest) -> Html:
    """Show what the guest can propose, and their note. The page of the table opens it as a sheet."""
    note = hall.store.transact(talk.find_note, room.table.id, guest.id)
    return page(request, guest, "propose.html", propose_page(room, guest, note))


@post("/tables/{id:str}/note", status_code=200)
async def save_note(request: AnyRequest, hall: Hall, room: Room, guest: Guest) -> Answer:
    """Keep a player's private note in the place of the last one."""
    form = await read_form(request, 4 * LONGEST_NOTE)
    try:
        room.seat_of(guest)
        hall.store.transact(talk.save_note, room.table.id, guest.id, clean_note(form.get("text", "")))
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    return table_answer(request, room, guest)


@post("/tables/{id:str}/hint", status_code=200)
async def hint(request: AnyRequest, room: Room, guest: Guest) -> Answer:
    """Ask the strongest bot for its best actions. The table shows them until the next action."""
    try:
        advice = await room.request_hint(guest)
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    if wants_json(request):
        return Response({"hint": in_words(advice.view, advice.hints), "hints": hint_infos(advice)})
    return table_answer(request, room, guest)


@post("/tables/{id:str}/rematch", status_code=200)
async def rematch(hall: Hall, room: Room, guest: Guest, form: Form) -> Redirect:
    """Go to the table of the rematch; the first request opens it. ``level``: of the bots, if it is another one than before."""
    again = await hall.rematch(room, guest, form.get("level", ""))
    return see_other(link(f"/tables/{again.table.id}"))


@get("/seat/{key:str}")
async def show_seat(request: AnyRequest, hall: Hall, guest: Guest, key: str) -> Answer:
    """Ask before the seat moves: messengers open links to preview them."""
    room, seat = await _seat_behind(hall, key)
    if room.table.seat_of(guest.id) == seat:
        return see_other(link(f"/tables/{room.table.id}"))
    content = {"title": room.game.title, "name": room.table.seats[seat].name, "seat": seat, "action": link(f"/seat/{key}")}
    return page(request, guest, "seat.html", content)


@post("/seat/{key:str}", status_code=200)
async def move_seat(hall: Hall, guest: Guest, sessions: Sessions, key: str) -> Redirect:
    """Give the seat to the guest of this device too."""
    room, seat = await _seat_behind(hall, key)
    room.change(match_changes.carry_seat, seat, sessions.save(guest))
    return see_other(link(f"/tables/{room.table.id}"))


@post("/tables/{id:str}/device", status_code=200)
async def renew_link(request: AnyRequest, room: Room, guest: Guest) -> Answer:
    """Renew the private link of the guest's seat. Other devices lose the seat. The page that follows has the new link."""
    room.change(match_changes.renew_link, guest)
    if wants_json(request):
        return Response({"url": link(f"/seat/{room.table.seats[room.seat_of(guest)].link_token}")})
    return see_other(link(f"/tables/{room.table.id}"))


async def _seat_behind(hall: Hall, link_token: str) -> tuple[Room, int]:
    found = hall.store.transact(tables.find_by_link, link_token)
    if found is None:
        raise NotFound(_("This link leads to no seat, or no longer does."))
    return await hall.room(found[0].id), found[1]


routes = [
    show_table,
    stream_table,
    show_rules_of_table,
    show_sheet,
    download_record,
    show_picture,
    show_board,
    verify_dice,
    show_offers,
    save_note,
    hint,
    rematch,
    show_seat,
    move_seat,
    renew_link,
]
