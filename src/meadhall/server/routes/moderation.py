"""What people do about each other: reports, and the requests of new guests who wait for a helper. And what they are told once."""

from __future__ import annotations

from litestar import get, post
from litestar.response import Redirect

from meadhall.engine.errors import MeadhallError
from meadhall.server.errors import reason_of, status_of
from meadhall.server.hall import moderation
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.moderation import LONGEST, REASONS
from meadhall.server.hall.people.links import ASK
from meadhall.server.pages.models import Refusal
from meadhall.server.pages.responses import Html, page, said_next, see_other
from meadhall.server.store import guests
from meadhall.server.store.cases import Subject
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, read_form, safe_path
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions


@get("/report")
async def ask_why(request: AnyRequest, hall: Hall, guest: Guest, of: str = "") -> Html:
    """Ask why something is reported. ``of``: see ``moderation.reported``."""
    return _page(request, guest, await moderation.reported(hall, guest, of), of)


def _page(
    request: AnyRequest, guest: Guest, subject: Subject, of: str, error: MeadhallError | None = None, words: str = ""
) -> Html:
    more: dict[str, object] = {"of": of, "words": words, "reasons": REASONS, "longest": LONGEST}
    more["notice"] = None if error is None else Refusal("", reason_of(error))
    return page(request, guest, "report.html", subject, 200 if error is None else int(status_of(error)), **more)


@post("/report", status_code=200)
async def report(request: AnyRequest, hall: Hall, guest: Guest) -> Html | Redirect:
    """Report a line, or the name or the conduct of a person."""
    form = await read_form(request, LONGEST)
    of, words = form.get("of", ""), form.get("words", "")
    subject = await moderation.reported(hall, guest, of, form.get("what", ""))
    try:
        moderation.report(hall, guest, subject, form.get("reason", ""), words)
    except MeadhallError as error:
        return _page(request, guest, subject, of, error, words)
    return said_next(see_other(link(f"/tables/{subject.table}" if subject.table else "/people")), "reported")


@post(ASK, status_code=200)
async def ask_in(hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Redirect:
    """Ask a helper for a new guest who has to wait."""
    moderation.ask_in(hall, guest, form.get("words", ""))
    sessions.forget(guest)
    return see_other(link("/"))


@post("/told", status_code=200)
async def end_notice(hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Redirect:
    """Tell the guest no more what they have read."""
    hall.store.transact(guests.change, guest.id, told="")
    sessions.forget(guest)
    return see_other(safe_path(form.get("back", "")))


routes = [ask_why, report, ask_in, end_notice]
