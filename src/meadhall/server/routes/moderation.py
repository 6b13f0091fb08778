"""Reports of people about each other, requests of new guests who wait for a helper, and notices that a guest has read."""

from __future__ import annotations

from litestar import get, post
from litestar.response import Redirect

from meadhall.server.hall import moderation
from meadhall.server.hall.chat import clean_text
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.people.links import ASK
from meadhall.server.pages.responses import Html, page, said_next, see_other
from meadhall.server.store import guests
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, read_form, safe_path
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions


@get("/report")
async def ask_why(request: AnyRequest, hall: Hall, guest: Guest, of: str = "") -> Html:
    """Ask why something is reported. ``of``: see ``moderation.reported``."""
    case = await moderation.reported(hall, guest, of)
    return page(request, guest, "report.html", case, of=of, reasons=moderation.REASONS, longest=moderation.LONGEST)


@post("/report", status_code=200)
async def report(request: AnyRequest, hall: Hall, guest: Guest) -> Redirect:
    """Report a line, or the name or the conduct of a person."""
    form = await read_form(request, moderation.LONGEST)
    case = await moderation.reported(hall, guest, form.get("of", ""), form.get("what", ""))
    moderation.report(hall, guest, case, form.get("reason", ""), form.get("words", ""))
    return said_next(see_other(link(f"/tables/{case['table_id']}" if case["table_id"] else "/people")), "reported")


@post(ASK, status_code=200)
async def ask_in(hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Redirect:
    """Ask a helper for a new guest who has to wait."""
    if not guest.is_stored and hall.admission.held:  # no one else waits
        hall.store.transact(guests.change, hall.store.save_guest(guest).id, asks=clean_text(form.get("words", "")))
        sessions.forget(guest)
    return see_other(link("/"))


@post("/told", status_code=200)
async def end_notice(hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Redirect:
    """Remove the notices that the guest has read."""
    hall.store.transact(guests.change, guest.id, told="")
    sessions.forget(guest)
    return see_other(safe_path(form.get("back", "")))


routes = [ask_why, report, ask_in, end_notice]
