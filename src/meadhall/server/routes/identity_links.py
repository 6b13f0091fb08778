"""Links that carry a whole guest to another device."""

from __future__ import annotations

from datetime import UTC

from litestar import Response, get, post
from litestar.response import Redirect

from meadhall.server.hall.hall import Hall
from meadhall.server.pages.lobby import shared_link
from meadhall.server.pages.models import IdentityPage
from meadhall.server.pages.responses import Answer, page, see_other, wants_json
from meadhall.server.routes.account import device_of, end_own_session, is_confirmed
from meadhall.server.store.models import Guest
from meadhall.server.web.links import link, outside
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions, session_of


@post("/identity", status_code=200)
async def make_link(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions) -> Answer:
    """Make a link that carries the guest to another device. Its page shows it also as a QR code."""
    session = session_of(request)
    if session is not None and not is_confirmed(session, hall.time.now()):
        return see_other(link("/account/confirm"))
    guest = sessions.save(guest)
    token, until = hall.identity.create(guest, sessions.opener_for(request, guest))
    path = f"/identity/{token}"
    if wants_json(request):
        return Response({"url": link(path), "expires_at": until.astimezone(UTC).isoformat()})
    return see_other(link(path))


@get("/identity")
async def show_form() -> Redirect:
    """Go to the form that makes a link."""
    return see_other(link("/settings") + "#identity-make")


@get("/identity/{token:str}")
async def show_link(request: AnyRequest, hall: Hall, guest: Guest, token: str) -> Answer:
    """Show the guest's own link. Another guest reads what it does, and is asked: messengers open links to preview them."""
    target = hall.identity.target(token)
    if target.id == guest.id:
        return page(request, guest, "identity_link.html", shared_link(outside(request), f"/identity/{token}"))
    content = IdentityPage(
        action=link(f"/identity/{token}"),
        name=target.name,
        has_account=target.has_account,
        own_name=guest.name,
        own_has_account=guest.has_account,
        tables=hall.accounts.count_tables(guest),
    )
    return page(request, guest, "identity.html", content)


@post("/identity/{token:str}", status_code=200)
async def use_link(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, token: str) -> Redirect:
    """Make this device the guest of the link."""
    if (hall.identity.target(token)).id == guest.id:
        return see_other(link("/"))
    carried = hall.identity.use(token, guest, device_of(request))
    end_own_session(request, hall, guest)
    if carried.signed_in is None:
        sessions.become(request, carried.guest)
        return see_other(link("/"))
    sessions.start(request, carried.signed_in)
    return see_other(link("/account" if is_confirmed(carried.signed_in.session, hall.time.now()) else "/"))


routes = [make_link, show_form, show_link, use_link]
