"""Proposals at a table: the choices, and forms that propose, vote and withdraw."""

from __future__ import annotations

from litestar import get, post

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.room import Room
from meadhall.server.pages.proposals import propose_page
from meadhall.server.pages.responses import Html, page, table_answer
from meadhall.server.routes.answers import Answer, answer_after
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, integer
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions


@get("/tables/{id:str}/propose")
async def show_offers(request: AnyRequest, room: Room, guest: Guest) -> Html:
    """Show what the guest can propose. The page of the table opens it as a sheet."""
    return page(request, guest, "propose.html", propose_page(room, guest))


@post("/tables/{id:str}/propose", status_code=200)
async def propose(request: AnyRequest, room: Room, guest: Guest, form: Form, sessions: Sessions) -> Answer:
    """Make a proposal. ``what`` names it, ``to`` a decision, and ``seat`` the seat that a spectator asks for."""
    if room.table.seat_of(guest.id) is None and not guest.public_id:
        guest = await sessions.save(guest)
    try:
        to, seat = integer(form, "to"), integer(form, "seat")
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    return await answer_after(room.consent.propose(guest, form.get("what", ""), to, seat), request, room, guest)


@post("/tables/{id:str}/vote", status_code=200)
async def vote(request: AnyRequest, room: Room, guest: Guest, form: Form) -> Answer:
    """Agree to the proposal with that number, or decline it."""
    try:
        number, agrees = integer(form, "proposal") or 0, _agrees(form.get("answer", ""))
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    return await answer_after(room.consent.answer(guest, number, agrees), request, room, guest)


def _agrees(answer: str) -> bool:
    """Return whether an answer agrees. Raises BadSetup."""
    if answer not in ("agree", "decline"):
        raise BadSetup(_("An answer is agree or decline, not {what}.").format(what=quoted(answer)))
    return answer == "agree"


@post("/tables/{id:str}/withdraw", status_code=200)
async def withdraw(request: AnyRequest, room: Room, guest: Guest, form: Form) -> Answer:
    """Withdraw the guest's proposal."""
    try:
        number = integer(form, "proposal") or 0
    except MeadhallError as error:
        return table_answer(request, room, guest, error)
    return await answer_after(room.consent.withdraw(guest, number), request, room, guest)


routes = [show_offers, propose, vote, withdraw]
