"""A running match: what the players may propose, private notes, hints, and the rematch."""

from __future__ import annotations

from litestar import Response, get, post
from litestar.response import Redirect

from meadhall.bots import in_words
from meadhall.engine.errors import MeadhallError
from meadhall.server.hall.chat import LONGEST_NOTE, clean_note
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.pages.proposals import propose_page
from meadhall.server.pages.responses import Answer, Html, page, see_other, table_answer, wants_json
from meadhall.server.routes.api_models import hint_infos
from meadhall.server.store import talk
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, read_form
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest


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


routes = [show_offers, save_note, hint, rematch]
