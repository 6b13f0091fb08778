"""A running match: actions, undo, hints, resignation, and the rematch."""

from __future__ import annotations

from litestar import Response, post
from litestar.response import Redirect

from meadhall.bots import in_words
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.daily import daily
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.pages.responses import see_other, table_answer, wants_json
from meadhall.server.routes.answers import Answer, answer_after
from meadhall.server.routes.api_models import hint_infos
from meadhall.server.routes.tables import provide_room
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, action_number, integer, read_form
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import guest_of


@post("/tables/{id:str}/act", status_code=200)
async def act(request: AnyRequest) -> Answer:
    """Play an action."""
    # not as dependencies: to find and start them takes Litestar longer than all of this
    room = await provide_room(request, request.app.state.hall, request.path_params["id"])
    guest, form = guest_of(request), await read_form(request)
    try:
        action, number = action_number(form), integer(form, "n")
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    return await answer_after(room.act(guest, action, number), request, room, guest, action)


@post("/tables/{id:str}/undo", status_code=200)
async def undo(request: AnyRequest, room: Room, guest: Guest, form: Form) -> Answer:
    """Take back the guest's last decision. ``n`` is its number: if the guest has decided again since, nothing is undone."""
    return await answer_after(room.undo(guest, integer(form, "n")), request, room, guest)


@post("/tables/{id:str}/resign", status_code=200)
async def resign(request: AnyRequest, room: Room, guest: Guest) -> Answer:
    """Give up the guest's seat: the other side wins, or with more than two sides a bot plays on."""
    return await answer_after(room.resign(guest), request, room, guest)


@post("/tables/{id:str}/stand-in", status_code=200)
async def let_bot_play(request: AnyRequest, room: Room, guest: Guest, form: Form) -> Answer:
    """Let a bot play for a player who is away."""
    seat = integer(form, "seat")
    if seat is None:
        raise BadSetup(_("Which seat?"))
    return await answer_after(room.let_bot_play(guest, seat), request, room, guest)


@post("/tables/{id:str}/return", status_code=200)
async def take_back_seat(request: AnyRequest, room: Room, guest: Guest) -> Answer:
    """Let the guest play again in a seat that a bot has taken over."""
    return await answer_after(room.take_back_seat(guest), request, room, guest)


@post("/tables/{id:str}/hint", status_code=200)
async def hint(request: AnyRequest, room: Room, guest: Guest) -> Answer:
    """Ask the strongest bot for its best actions. The table shows them until the next action."""
    try:
        daily.check_hint(room.table)
        advice = await room.request_hint(guest)
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    if wants_json(request):
        return Response({"hint": in_words(advice.view, advice.hints), "hints": hint_infos(advice)})
    return table_answer(request, room, guest)


@post("/tables/{id:str}/rematch", status_code=200)
async def rematch(hall: Hall, room: Room, guest: Guest) -> Redirect:
    """Go to the table of the rematch; the first request opens it."""
    daily.check_rematch(room.table)
    again = await hall.rematch(room, guest)
    return see_other(link(f"/tables/{again.table.id}"))


routes = [act, undo, resign, let_bot_play, take_back_seat, hint, rematch]
