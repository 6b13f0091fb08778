"""Order in a hall: what guests report, the pages of the host and the helpers, and the pages that the host writes for all.

Hosts and helpers are accounts with a role. For all others their pages, which are below ``/host``, don't exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, timedelta
from typing import Any, Final

from litestar import Response, get, post
from litestar.response import Redirect
from markdown_it import MarkdownIt

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _, marked
from meadhall.pictures.templates import as_markup
from meadhall.server.errors import NotFound
from meadhall.server.hall import house, moderation
from meadhall.server.hall.chat import clean_text, in_words
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.people.links import ASK
from meadhall.server.pages.responses import Answer, Html, page, said_next, see_other
from meadhall.server.store import cases, guests, host_log
from meadhall.server.store.cases import Case
from meadhall.server.store.database import Db
from meadhall.server.store.host_log import Done
from meadhall.server.store.models import FOR_GOOD, Guest
from meadhall.server.web.forms import Form, read_form, safe_path
from meadhall.server.web.links import base_url, link, sub_path
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions

_SHOWN: Final = 100
"""Lines of the log, new guests who wait, or cases that were decided, on a page; and a fifth as many cases that wait."""

_SECTIONS: Final = (
    ("/host", marked("Cases"), ("helper", "host")),
    ("/host/waiting", marked("New guests"), ("helper", "host")),
    ("/host/switches", marked("Switches"), ("host",)),
    ("/host/log", marked("The log"), ("host",)),
)
"""The sections of the pages of hosts and helpers: their addresses, their titles, and the roles that see them."""

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")

_DEEDS: Final[Mapping[str, tuple[Callable[..., Done], tuple[str, ...]]]] = {
    "switch": (house.set_switches, tuple(house.SWITCHES)),
    "announce": (house.announce, ("text", "german", "until")),
    "maintenance": (house.plan_maintenance, ("begins", "until")),
}
"""The deeds of the page, with the fields of their forms."""

_LISTED: Final = ("/rules/", "/static/", "/tiles/", *house.PAGES)
"""Pages for search engines, beside the front page. Tables and people are left out."""


# ------------------------------------------------------------------------------------------------------------------ all guests


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


# ----------------------------------------------------------------------------------------------------------- hosts and helpers


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
    sections = [(link(path), _(title)) for path, title, roles in _SECTIONS if helper.role in roles]
    return page(request, helper, f"host/{template}.html", None, status, sections=sections, **more)


@get("/host")
async def show_cases(request: AnyRequest, hall: Hall, helper: Guest, case: str = "") -> Html:
    """Show the cases that wait, and those that were decided last. ``case``: only the one with this id."""
    found, decided = await hall.store.read(_cases, case)
    known: dict[str, Any] = {"now": hall.time.now(), "addresses": hall.admission.addresses, "for_good": FOR_GOOD}
    words: dict[str, Any] = {"reasons": moderation.REASONS, "deeds": moderation.DEEDS, "in_words": in_words}
    return host_page(request, helper, "cases", cases=found, decided=decided, **known, **words)


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
    """Admit or refuse someone who waits; let someone in again, or write again; delete someone. Raises NotFound, BadSetup."""
    if form.get("deed") == "delete" and form.get("sure") != "on":
        raise BadSetup(_("Tick the box first."))
    told = {"person": _found(hall, person), "deed": form.get("deed", ""), "as_host": helper.role == "host"}
    hall.do(helper.public_id, "treat", moderation.treat, **told)
    return see_other(safe_path(form.get("back", "")))


def _found(hall: Hall, person: str) -> Guest:
    found = hall.store.transact(guests.find_public, person)
    if found is None:
        raise NotFound(_("There is no such person here."))
    return found


@get("/host/switches")
async def show_switches(request: AnyRequest, hall: Hall, host: Guest) -> Html:
    """Show the switches, the announcement and the maintenance."""
    return _shown(request, hall, host, {})


@post("/host/switches", status_code=200)
async def change_switches(request: AnyRequest, hall: Hall, host: Guest) -> Answer:
    """Set what differs from before, announce something, plan a maintenance, or end one. Nothing is done if a field is wrong."""
    form = await read_form(request, 2 * house.LONGEST)
    what = form.get("what", "switch")
    work, names = _DEEDS.get(what, (house.set_switches, ()))
    fields = {name: form[name].strip() for name in names if name in form and form[name] != hall.switches.values.get(name)}
    try:
        if fields:
            arguments = {"values": fields} if what == "switch" else {} if "end" in form else fields
            hall.do(host.public_id, what, work, **arguments)
    except BadSetup as error:
        return _shown(request, hall, host, form, str(error))
    return see_other(link("/host/switches"))


def _shown(request: AnyRequest, hall: Hall, host: Guest, typed: Mapping[str, str], notice: str = "") -> Html:
    now = hall.time.now().astimezone()
    times = [f"{now + timedelta(hours=hours):%Y-%m-%dT%H:%M}" for hours in (0, 1, 24)]
    more = {"typed": typed, "notice": notice, "times": times, "zone": f"UTC{now.isoformat()[-6:]}"}
    return host_page(
        request, host, "switches", 400 if notice else 200, switches=house.SWITCHES, values=hall.switches.values, **more
    )


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


# -------------------------------------------------------------------------------------------------- pages that the host writes


@get([*house.PAGES])
async def show_house_page(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Show a page that the host has written, in the reader's language if there is one in it. Raises NotFound."""
    name, title = house.PAGES[request.url.path.removeprefix(sub_path())]
    if not hall.house.has(name):
        raise NotFound(_("There is no page at this address."))
    text = hall.house.read(f"{name}.{guest.language}.md") or hall.house.read(f"{name}.md")
    return page(request, guest, "house.html", None, title=_(title), text=as_markup(_MARKDOWN.render(text)))


@get("/robots.txt", include_in_schema=False)
async def show_robots() -> Response[str]:
    """Return the rules for search engines (RFC 9309)."""
    allowed = "".join(f"Allow: {path}\n" for path in (f"{link('/')}$", *map(link, _LISTED)))
    return Response(f"User-agent: *\n{allowed}Disallow: {link('/')}\n", media_type="text/plain")


@get("/.well-known/security.txt", include_in_schema=False)
async def show_security(request: AnyRequest, hall: Hall) -> Response[str]:
    """Tell finders of a weakness whom they can write to (RFC 9116): the host's text, or the contact page. Raises NotFound."""
    text = hall.house.read("security.txt")
    if not (text or hall.house.has("contact")):
        raise NotFound(_("There is no page at this address."))
    expires = f"{hall.time.now().astimezone(UTC) + timedelta(days=30):%Y-%m-%dT00:00:00Z}"
    return Response(text or f"Contact: {base_url(request)}/contact\nExpires: {expires}\n", media_type="text/plain")


for_machines = [show_robots, show_security]
routes = [
    *(ask_why, report, ask_in, end_notice),
    *(show_cases, decide, show_waiting, show_person, treat, show_switches, change_switches, show_log, download_log),
    show_house_page,
]
