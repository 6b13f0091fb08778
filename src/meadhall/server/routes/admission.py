"""Invitations to a hall for invited guests."""

from __future__ import annotations

from litestar import get, post
from litestar.response import Redirect

from meadhall.server.hall.hall import Hall
from meadhall.server.pages.models import InvitationPage
from meadhall.server.pages.responses import Answer, page, see_other
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions


@get("/admission/{token:str}")
async def show_invitation(request: AnyRequest, hall: Hall, guest: Guest, token: str) -> Answer:
    """Welcome a guest with an invitation, and ask for a name. A look doesn't use the invitation up."""
    if hall.admission.admits(guest):
        return see_other(link("/"))
    content = InvitationPage(link(f"/admission/{token}"), hall.admission.note_of(token))
    return page(request, guest, "invitation.html", content)


@post("/admission/{token:str}", status_code=200)
async def accept_invitation(hall: Hall, guest: Guest, sessions: Sessions, token: str, form: Form) -> Redirect:
    """Admit the guest."""
    if not hall.admission.admits(guest):
        guest = sessions.save(guest, name=form.get("name", ""))
        hall.admission.admit(token, guest)
        sessions.forget(guest)
    return see_other(link("/"))


routes = [show_invitation, accept_invitation]
