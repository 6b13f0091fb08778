"""Private links: each shares a seat with another device of the same player, and can be renewed."""

from __future__ import annotations

from litestar import Response, get, post
from litestar.response import Redirect

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall import match_changes
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.pages.responses import Answer, page, see_other, wants_json
from meadhall.server.store import tables
from meadhall.server.store.models import Guest
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions


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


routes = [show_seat, move_seat, renew_link]
