"""The people that a guest has met, and invitations to tables."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.pages.acquaintances import invite_page, people_met
from meadhall.server.pages.responses import Html, by_htmx, page, see_other, wants_json
from meadhall.server.routes.chat import IGNORED
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, safe_path
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest


@get("/people")
async def show_people(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Show the people that the guest has played with."""
    return page(request, guest, "acquaintances.html", people_met(hall.acquaintances.known(guest)))


@post("/people/{public_id:str}/ignore", status_code=200)
async def ignore_person(hall: Hall, guest: Guest, public_id: str, form: Form) -> Redirect:
    """Mute or block a person, or stop doing so."""
    if form.get("set") not in IGNORED:
        raise NotFound(_("People can be muted, unmuted, blocked and unblocked."))
    hall.acquaintances.ignore(guest, public_id, *IGNORED[form["set"]])
    return see_other(safe_path(form.get("back", link("/people"))))


@get("/tables/{id:str}/invitations")
async def show_invitable(request: AnyRequest, hall: Hall, room: Room, guest: Guest) -> Html:
    """Show whom the guest may invite to a table."""
    room.seat_of(guest)
    content = invite_page(room, hall.acquaintances.known(guest), hall.acquaintances.invited(room))
    return page(request, guest, "invite.html", content)


@post("/tables/{id:str}/invitations", status_code=200)
async def invite(request: AnyRequest, hall: Hall, room: Room, guest: Guest, form: Form) -> Html | Redirect | Response[Any]:
    """Invite a person that the guest has met."""
    hall.acquaintances.invite(room, guest, form.get("person", ""))
    if wants_json(request):
        return Response({"ok": True})
    if by_htmx(request):
        content = invite_page(room, hall.acquaintances.known(guest), hall.acquaintances.invited(room))
        return page(request, guest, "invite.html", content)
    return see_other(link(f"/tables/{room.table.id}/invitations"))


@post("/invitations/{table:str}/decline", status_code=200)
async def decline(request: AnyRequest, hall: Hall, guest: Guest, table: str) -> Redirect | Response[Any]:
    """Decline an invitation."""
    hall.acquaintances.decline(guest, table)
    return Response({"ok": True}) if wants_json(request) else see_other(link("/"))


routes = [show_people, ignore_person, show_invitable, invite, decline]
