"""The pages of the host of a hall and the helpers: accounts with a role. For all others there are no such pages."""

from __future__ import annotations

from typing import Any, Final

from litestar import Response, get, post
from litestar.response import Redirect

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall import moderation
from meadhall.server.hall.chat import clean_text, in_words
from meadhall.server.hall.hall import Hall
from meadhall.server.pages.host import sections
from meadhall.server.pages.responses import Html, page, see_other
from meadhall.server.store import cases, guests, host_log
from meadhall.server.store.cases import Case
from meadhall.server.store.database import Db
from meadhall.server.store.models import FOR_GOOD, Guest
from meadhall.server.web.forms import Form, read_form, safe_path
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest

_SHOWN: Final = 100
"""Lines of the log, new guests who wait, or cases that were decided, on a page; and a fifth as many cases that wait."""


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
async def show_cases(request: AnyRequest, hall: Hall, helper: Guest, case: str = "") -> Html:
    """Show the cases that wait, and those that were decided last. ``case``: only the one with this id."""
    found, decided = await hall.store.read(_cases, case)
    words: dict[str, Any] = {"reasons": moderation.REASONS, "deeds": moderation.DEEDS, "in_words": in_words, "for_good": FOR_GOOD}
    return host_page(request, helper, "cases", cases=found, decided=decided, now=hall.time.now(), **words)


def _cases(db: Db, one: str) -> tuple[list[Case], list[Case]]:
    found = cases.find(db, cases.ONE, one) if one else cases.find(db, cases.WAITING, most=_SHOWN // 5)
    return [cases.with_context(db, case) for case in found], [] if one else cases.find(db, cases.DECIDED, most=_SHOWN)


@post("/host/cases/{id:str}", status_code=200)
async def decide(request: AnyRequest, hall: Hall, helper: Guest, id: str) -> Redirect:
    """Do something in a case. It leads back to the cases that wait."""
    form = await read_form(request, moderation.LONGEST)
    told = {"deed": form.get("deed", ""), "reason": clean_text(form.get("reason", ""))}
    hall.do(helper.public_id, "decide", moderation.decide, case=id, as_host=helper.role == "host", **told)
    return see_other(link("/host"))


@get("/host/waiting")
async def show_waiting(request: AnyRequest, hall: Hall, helper: Guest) -> Html:
    """Show the new guests who wait, because someone from their network was shut out."""
    return host_page(request, helper, "waiting", people=await hall.store.read(guests.waiting, _SHOWN))


@get("/host/people/{person:str}")
async def show_person(request: AnyRequest, hall: Hall, host: Guest, person: str) -> Html:
    """Show what a host can do for a person, also one whose profile is private. Raises NotFound."""
    return host_page(request, host, "person", person=_found(hall, person))


@post("/host/people/{person:str}", status_code=200)
async def treat(hall: Hall, helper: Guest, person: str, form: Form) -> Redirect:
    """Admit or refuse someone who waits; let someone in again, or write again; delete someone. Raises NotFound."""
    told = {"person": _found(hall, person), "deed": form.get("deed", ""), "as_host": helper.role == "host"}
    hall.do(helper.public_id, "treat", moderation.treat, **told)
    return see_other(safe_path(form.get("back", "")))


def _found(hall: Hall, person: str) -> Guest:
    found = hall.store.transact(guests.find_public, person)
    if found is None:
        raise NotFound(_("There is no such person here."))
    return found


@get("/host/log")
async def show_log(request: AnyRequest, hall: Hall, host: Guest, before: int = 1 << 62) -> Html:
    """Show what hosts and helpers have done, the last first. ``before``: only lines before the one with this id."""
    return host_page(request, host, "log", lines=await hall.store.read(host_log.lines_before, before, _SHOWN), most=_SHOWN)


@get("/host/log.csv")
async def download_log(hall: Hall, host: Guest) -> Response[str]:
    """Return the whole log as a file."""
    return Response(
        await hall.store.read(host_log.as_file),
        media_type="text/csv",
        headers={"Content-Disposition": f'attachment; filename="meadhall-log-{host.public_id}.csv"'},
    )


routes = [show_cases, decide, show_waiting, show_person, treat, show_log, download_log]
