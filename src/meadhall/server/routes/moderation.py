"""What people do about each other: reports, and the requests of new guests who wait for a helper. And what they are told once."""

from __future__ import annotations

from litestar import get, post
from litestar.response import Redirect

from meadhall.engine.errors import MeadhallError
from meadhall.server.errors import reason_of, status_of
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.moderation import LONGEST, REASONS
from meadhall.server.hall.people.links import ASK
from meadhall.server.hall.room import Room
from meadhall.server.pages.models import Refusal
from meadhall.server.pages.responses import Html, page, said_next, see_other
from meadhall.server.store import guests
from meadhall.server.store.cases import Subject
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, read_form, safe_path
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions


@get("/lines/{line:str}/report")
async def show_line(request: AnyRequest, hall: Hall, guest: Guest, line: str) -> Html:
    """Ask why a line of chat is reported."""
    return _ask(request, guest, await _line(hall, guest, line))


@post("/lines/{line:str}/report", status_code=200)
async def report_line(request: AnyRequest, hall: Hall, guest: Guest, line: str) -> Html | Redirect:
    """Report a line of chat."""
    return await _report(request, hall, guest, await _line(hall, guest, line))


async def _line(hall: Hall, guest: Guest, id: str) -> Subject:
    table, line = hall.moderation.find_line(id)
    return hall.moderation.line(await hall.room(table), guest, line)


@get("/tables/{id:str}/people/{seat:int}/report")
async def show_player(request: AnyRequest, hall: Hall, room: Room, guest: Guest, seat: int) -> Html:
    """Ask why a player is reported."""
    return _ask(request, guest, hall.moderation.at_table(room, guest, seat, "conduct"))


@post("/tables/{id:str}/people/{seat:int}/report", status_code=200)
async def report_player(request: AnyRequest, hall: Hall, room: Room, guest: Guest, seat: int, form: Form) -> Html | Redirect:
    """Report the name or the conduct of a player."""
    return await _report(request, hall, guest, hall.moderation.at_table(room, guest, seat, form.get("what", "")))


@get("/people/{public_id:str}/report")
async def show_person(request: AnyRequest, hall: Hall, guest: Guest, public_id: str) -> Html:
    """Ask why a person is reported."""
    return _ask(request, guest, hall.moderation.known(guest, public_id, "conduct"))


@post("/people/{public_id:str}/report", status_code=200)
async def report_person(request: AnyRequest, hall: Hall, guest: Guest, public_id: str, form: Form) -> Html | Redirect:
    """Report the name or the conduct of a person."""
    return await _report(request, hall, guest, hall.moderation.known(guest, public_id, form.get("what", "")))


def _ask(request: AnyRequest, guest: Guest, subject: Subject, error: MeadhallError | None = None, words: str = "") -> Html:
    notice = None if error is None else Refusal("", reason_of(error))
    more = {"reasons": REASONS, "longest": LONGEST, "notice": notice, "words": words, "back": _back(subject)}
    return page(request, guest, "report.html", subject, 200 if error is None else int(status_of(error)), **more)


def _back(subject: Subject) -> str:
    return link("/people" if subject.table is None else f"/tables/{subject.table}")


async def _report(request: AnyRequest, hall: Hall, guest: Guest, subject: Subject) -> Html | Redirect:
    form = await read_form(request, LONGEST)
    try:
        hall.moderation.report(subject, guest, form.get("reason", ""), form.get("words", ""))
    except MeadhallError as error:
        return _ask(request, guest, subject, error, form.get("words", ""))
    return said_next(see_other(_back(subject)), "reported")


@post(ASK, status_code=200)
async def ask_in(hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Redirect:
    """Ask a helper for a new guest who has to wait."""
    hall.moderation.ask_in(guest, form.get("words", ""))
    sessions.forget(guest)
    return see_other(link("/"))


@post("/told", status_code=200)
async def end_notice(hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Redirect:
    """Tell the guest no more what they have read."""
    hall.store.transact(guests.tell, guest.id, "")
    sessions.forget(guest)
    return see_other(safe_path(form.get("back", link("/"))))


routes = [show_line, report_line, show_player, report_player, show_person, report_person, ask_in, end_notice]
