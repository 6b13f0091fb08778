"""A table: its page, its live stream, and everything that can be done there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect, Stream

from meadhall.bots import in_words
from meadhall.bots.ranks import HUSCARL
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.language import gettext as _
from meadhall.engine.record.format import SUFFIX, dumps
from meadhall.server.errors import NotFound
from meadhall.server.hall import daily
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.hints import RequestedHint
from meadhall.server.hall.pubsub import updates
from meadhall.server.hall.room import Room
from meadhall.server.hall.seating import emptied, listed, resized, with_bot, with_options, without_seat
from meadhall.server.pages.frames import FRAMES
from meadhall.server.pages.models import VerifyPage
from meadhall.server.pages.responses import (
    Html,
    guest_of,
    page,
    see_other,
    table_answer,
    table_page,
    wants_json,
)
from meadhall.server.pages.verify import verify_page
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, action_number, integer, read_form
from meadhall.server.web.request import base_url
from meadhall.server.web.sessions import AnyRequest, Visitors
from meadhall.server.web.stream_limit import Streams

Answer = Response[Any] | Redirect

_PATIENCE = 15.0
"""Seconds without news after which a stream says that it is still there."""


async def provide_room(request: AnyRequest, hall: Hall, id: str) -> Room:
    """The room of the table in the address."""
    return await daily.visible_room(hall, guest_of(request), id)


@get("/tables/{id:str}")
async def show_table(request: AnyRequest, hall: Hall, room: Room, guest: Guest) -> Html:
    """The table: lobby, game or end."""
    hall.request_chart(room)
    return table_page(request, room, guest)


@get("/tables/{id:str}/stream", opt={"unlimited": True})
async def stream_table(request: AnyRequest, hall: Hall, room: Room, guest: Guest, streams: Streams) -> Stream:
    """Server-sent events: the table as this guest sees it, whenever it changes."""
    base = base_url(request)
    address = request.client.host if request.client else ""
    streams.check(address)

    async def frames() -> AsyncIterator[bytes]:
        with streams.counted(address), room.subscribe(guest.id) as subscriber:
            async for news in updates(subscriber, hall.closing, _PATIENCE):
                hall.request_chart(room)
                yield as_event(FRAMES.frame(room, guest, base).html) if news else b": still here\n\n"

    return Stream(frames(), media_type="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})


def as_event(html: str) -> bytes:
    """A server-sent event of several lines."""
    return ("data: " + html.strip().replace("\n", "\ndata: ") + "\n\n").encode()


# ------------------------------------------------------------------------------------------------------------ before the match


@post("/tables/{id:str}/seats", status_code=200)
async def change_seat(request: AnyRequest, hall: Hall, room: Room, guest: Guest, visitors: Visitors, form: Form) -> Answer:
    """Sit down, stand up, seat a bot, free or take away a seat."""
    if form.get("name"):
        guest = await visitors.save(guest, name=form["name"])
    seat, change = integer(form, "seat"), form.get("set", "")
    kind, _colon, rank = change.partition(":")
    if kind == "sit":
        return await _done(request, room, guest, hall.join(room, guest, seat))
    if kind == "leave":
        return await _done(request, room, guest, hall.leave(room, guest))
    if seat is None:
        raise BadSetup(_("Which seat?"))
    bot = with_bot(room.game, seat, rank or HUSCARL.name)
    changes = {"bot": bot, "open": emptied(seat), "remove": without_seat(room.game, seat)}
    if kind not in changes:
        raise BadSetup(_("A seat can be taken, left, opened, removed or given to a bot."))
    return await _done(request, room, guest, hall.arrange(room, guest, changes[kind]))


@post("/tables/{id:str}/size", status_code=200)
async def change_size(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Answer:
    """Another number of seats."""
    players = integer(form, "players")
    if players is None:
        raise BadSetup(_("How many players?"))
    return await _done(request, room, guest, hall.arrange(room, guest, resized(room.game, players)))


@post("/tables/{id:str}/options", status_code=200)
async def change_options(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Answer:
    """Other options of the game."""
    return await _done(request, room, guest, hall.arrange(room, guest, with_options(room.game, form)))


@post("/tables/{id:str}/visibility", status_code=200)
async def change_visibility(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Answer:
    """List the table in the hall, or not."""
    return await _done(request, room, guest, hall.arrange(room, guest, listed(form.get("public") == "yes")))


@post("/tables/{id:str}/start", status_code=200)
async def start_match(request: AnyRequest, hall: Hall, room: Room, guest: Guest) -> Answer:
    """Begin the match."""
    return await _done(request, room, guest, hall.start(room, guest))


# ----------------------------------------------------------------------------------------------------------------- the match


@post("/tables/{id:str}/act", status_code=200)
async def act(request: AnyRequest, room: Room) -> Answer:
    """Play an action."""
    guest, form = guest_of(request), await read_form(request)  # if these were provided too, a task would be begun for each
    try:
        action, number = action_number(form), integer(form, "n")
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    return await _done(request, room, guest, room.act(guest, action, number))


@post("/tables/{id:str}/undo", status_code=200)
async def undo(request: AnyRequest, room: Room, guest: Guest, form: Form) -> Answer:
    """Take back one's last action."""
    return await _done(request, room, guest, room.undo(guest, integer(form, "n")))


@post("/tables/{id:str}/resign", status_code=200)
async def resign(request: AnyRequest, room: Room, guest: Guest) -> Answer:
    """Leave the match to a bot."""
    return await _done(request, room, guest, room.resign(guest))


@post("/tables/{id:str}/hint", status_code=200)
async def hint(request: AnyRequest, room: Room, guest: Guest) -> Answer:
    """What the strongest bot would consider. It is shown at the table until the next action."""
    try:
        daily.check_hint(room.table)
        advice = await room.request_hint(guest)
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    if wants_json(request):
        return Response({"hint": in_words(advice.view, advice.hints), "hints": told(advice)})
    return table_answer(request, room, guest)


def told(advice: RequestedHint) -> list[dict[str, Any]]:
    """A hint for programs: the best action first, with the expected share of the win, and whether that is exact."""
    words, view = advice.view.game.words, advice.view
    return [
        {
            "action": hint.action,
            "text": words.action(view.state, hint.action, view.names),
            "chance": hint.chance,
            "sure": hint.sure,
        }
        for hint in advice.hints
    ]


@post("/tables/{id:str}/rematch", status_code=200)
async def rematch(hall: Hall, room: Room, guest: Guest) -> Redirect:
    """The same people once more."""
    daily.check_rematch(room.table)
    again = await hall.rematch(room, guest)
    return see_other(f"/tables/{again.table.id}")


async def _done(request: AnyRequest, room: Room, guest: Guest, deed: Awaitable[Any]) -> Answer:
    """Do it, and answer with the table as it is then; refusals too. The streams are told first: the doer's page has one too."""
    try:
        await deed
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    await asyncio.sleep(0)
    return table_answer(request, room, guest)


# ------------------------------------------------------------------------------------------------------ records and devices


@get("/tables/{id:str}/record")
async def download_record(room: Room, guest: Guest) -> Response[str]:
    """The match record: all of it when the match is over, what the guest may know while it runs."""
    return record_response(room, room.table.seat_of(guest.id))


def record_response(room: Room, seat: int | None) -> Response[str]:
    """The record of a room's match as a file."""
    if room.match is None:
        raise NotFound(_("The match has not begun yet."))
    text = dumps(room.match.record(seat, sealed=daily.is_sealed(room.table)))
    name = f"{room.game.name}-{room.table.id}{SUFFIX}"
    return Response(
        text,
        media_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )


@get("/tables/{id:str}/verify")
async def verify_dice(request: AnyRequest, room: Room, guest: Guest) -> Html:
    """Verify every die of the match."""
    content: VerifyPage = await verify_page(room)
    return page(request, guest, "verify.html", content)


@get("/seat/{key:str}")
async def show_seat(request: AnyRequest, hall: Hall, guest: Guest, key: str) -> Answer:
    """A private link: asks before it carries the seat here, since messengers open links by themselves."""
    room, seat = await _seat_behind(hall, key)
    if room.table.seat_of(guest.id) == seat:
        return see_other(f"/tables/{room.table.id}")
    content = {"title": room.game.title, "name": room.table.seats[seat].name, "seat": seat, "action": f"/seat/{key}"}
    return page(request, guest, "seat.html", content)


@post("/seat/{key:str}", status_code=200)
async def carry_seat(hall: Hall, guest: Guest, visitors: Visitors, key: str) -> Redirect:
    """Carry the seat to this device."""
    room, seat = await _seat_behind(hall, key)
    await room.carry_seat(seat, await visitors.save(guest))
    return see_other(f"/tables/{room.table.id}")


async def _seat_behind(hall: Hall, key: str) -> tuple[Room, int]:
    found = await hall.store.table_by_link(key)
    if found is None:
        raise NotFound(_("This link leads to no seat (any more)."))
    return await hall.room(found[0].id), found[1]


routes = [
    show_table,
    stream_table,
    change_seat,
    change_size,
    change_options,
    change_visibility,
    start_match,
    act,
    undo,
    resign,
    hint,
    rematch,
    download_record,
    verify_dice,
    show_seat,
    carry_seat,
]
