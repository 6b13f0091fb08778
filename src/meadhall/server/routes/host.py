"""The pages of the host of a hall and the helpers: accounts with a role. For all others there are no such pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from litestar import Response, get, post
from litestar.response import Redirect

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, reason_of, status_of
from meadhall.server.hall import moderation
from meadhall.server.hall.chat import clean_text
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.moderation import LONGEST
from meadhall.server.pages.host import CaseView, case_view, sections
from meadhall.server.pages.models import Refusal
from meadhall.server.pages.responses import Html, page, see_other
from meadhall.server.store import cases, guests, host_log
from meadhall.server.store.cases import Case, Context
from meadhall.server.store.database import Db
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, read_form, safe_path
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest

SHOWN: Final = 100
"""Lines of the log, or new guests who wait, on a page."""

CASES: Final = 20
"""Cases that wait, on a page with their context."""

DECIDED: Final = 50
"""Cases that were decided, in a list."""


def provide_helper(guest: Guest) -> Guest:
    """Return the guest, a helper or the host of the hall. Raises NotFound for all others."""
    if not guest.role:
        raise NotFound(_("There is no page at this address."))
    return guest


def provide_host(guest: Guest) -> Guest:
    """Return the guest, a host of the hall. Raises NotFound for all others."""
    if guest.role != "host":
        raise NotFound(_("There is no page at this address."))
    return guest


def host_page(request: AnyRequest, helper: Guest, template: str, status: int = 200, **more: Any) -> Html:
    """Return a page in the folder ``host`` of the templates, with the sections that the reader may open."""
    return page(request, helper, f"host/{template}.html", None, status, sections=sections(helper), **more)


@get("/host")
async def show_cases(request: AnyRequest, hall: Hall, helper: Guest) -> Html:
    """Show what people have reported: first what waits, then what was decided last."""
    found, decided = await hall.store.read(_cases)
    return host_page(request, helper, "cases", cases=_views(hall, found), decided=decided)


@get("/host/cases/{id:str}")
async def show_case(request: AnyRequest, hall: Hall, helper: Guest, id: str) -> Html:
    """Show a case, also one that was decided. Raises NotFound."""
    return _case_page(request, hall, helper, id)


@post("/host/cases/{id:str}", status_code=200)
async def decide(request: AnyRequest, hall: Hall, helper: Guest, id: str) -> Html | Redirect:
    """Do something in a case. It leads back to the cases that wait."""
    form = await read_form(request, LONGEST)
    deed, reason = form.get("deed", ""), clean_text(form.get("reason", ""))
    try:
        hall.do(helper.public_id, "decide", moderation.decide, case=id, deed=deed, reason=reason, as_host=helper.role == "host")
    except MeadhallError as error:
        return _case_page(request, hall, helper, id, error)
    return see_other(link("/host"))


@post("/host/people/{public_id:str}", status_code=200)
async def undo(hall: Hall, host: Guest, public_id: str, form: Form) -> Redirect:
    """Let a person in again, or write again. Raises NotFound."""
    person = hall.store.transact(guests.find_public, public_id)
    deed = form.get("deed", "")
    if person is None or deed not in ("open", "unmute"):
        raise NotFound(_("There is no such person here."))
    hall.do(host.public_id, "undo", moderation.undo, person=person, deed=deed)
    return see_other(safe_path(form.get("back", link("/host"))))


@get("/host/waiting")
async def show_waiting(request: AnyRequest, hall: Hall, helper: Guest) -> Html:
    """Show the new guests who wait, because someone from their network was shut out."""
    return host_page(request, helper, "waiting", people=await hall.store.read(guests.waiting, SHOWN))


@post("/host/waiting/{public_id:str}", status_code=200)
async def answer(hall: Hall, helper: Guest, public_id: str, form: Form) -> Redirect:
    """Admit a new guest who waits, or refuse them for a week. Raises NotFound."""
    person, is_admitted = hall.store.transact(guests.find_public, public_id), form.get("answer") == "admit"
    if person is None:
        raise NotFound(_("There is no such person here."))
    hall.do(
        helper.public_id,
        "admit" if is_admitted else "refuse",
        moderation.answer_newcomer,
        person=person,
        is_admitted=is_admitted,
    )
    return see_other(link("/host/waiting"))


def _case_page(request: AnyRequest, hall: Hall, helper: Guest, id: str, error: MeadhallError | None = None) -> Html:
    case = hall.store.transact(cases.find, id)
    found = None if case is None else hall.store.transact(cases.context, case)
    if found is None:
        raise NotFound(_("There is no case {id}.").format(id=id))
    notice = None if error is None else Refusal("", reason_of(error))
    status = 200 if error is None else int(status_of(error))
    return host_page(request, helper, "case", status, case=case_view(found, hall.time.now()), notice=notice)


def _views(hall: Hall, found: Sequence[Context]) -> list[CaseView]:
    return [case_view(each, hall.time.now()) for each in found]


def _cases(db: Db) -> tuple[list[Context], list[Case]]:
    """Return the cases that wait, with their context, and those that were decided last."""
    waiting = [cases.context(db, each) for each in cases.waiting(db, CASES)]
    return [each for each in waiting if each is not None], cases.decided(db, DECIDED)


@get("/host/log")
async def show_log(request: AnyRequest, hall: Hall, host: Guest, before: int = host_log.LATEST) -> Html:
    """Show what hosts and helpers have done, the last first."""
    lines = await hall.store.read(host_log.lines_before, before, SHOWN)
    return host_page(request, host, "log", lines=lines, is_last=len(lines) < SHOWN)


@get("/host/log.csv")
async def download_log(hall: Hall, host: Guest) -> Response[str]:
    """Return the whole log as a file."""
    del host
    headers = {"Content-Disposition": 'attachment; filename="meadhall-log.csv"'}
    return Response(await hall.store.read(host_log.as_file), media_type="text/csv", headers=headers)


routes = [show_cases, show_case, decide, undo, show_waiting, answer, show_log, download_log]
