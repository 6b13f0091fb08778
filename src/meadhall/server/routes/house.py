"""What the host decides about the whole hall: switches, announcements, a deletion; and the pages that the host writes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from litestar import Response, get, post

from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, reason_of, status_of
from meadhall.server.hall.announcements import LONGEST, Announcement, Maintenance, announce, plan_maintenance, told
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.host_deeds import delete_person
from meadhall.server.hall.switches import ALL, QUOTAS, SWITCHES, check_switch, set_switch
from meadhall.server.pages.house import PAGES, house_page, robots, security
from meadhall.server.pages.responses import Answer, Html, page, see_other
from meadhall.server.routes.host import host_page
from meadhall.server.store import guests
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form, read_form
from meadhall.server.web.links import base_url, link, sub_path
from meadhall.server.web.request import AnyRequest


@get("/host/switches")
async def show_switches(request: AnyRequest, hall: Hall, host: Guest) -> Html:
    """Show the switches and quotas."""
    return _switches_page(request, hall, host)


@post("/host/switches", status_code=200)
async def change_switches(request: AnyRequest, hall: Hall, host: Guest, form: Form) -> Answer:
    """Set the switches and quotas of the form that differ from those of the hall. Nothing is set if one is refused."""
    before = hall.switches.values | {name: str(value) for name, value in hall.switches.quotas.items()}
    changed = {name: form[name].strip() for name in ALL if form.get(name, before[name]).strip() != before[name]}
    try:
        for name, value in changed.items():
            check_switch(name, value)
    except MeadhallError as error:
        return _switches_page(request, hall, host, error)
    for name, value in changed.items():
        hall.do(host.public_id, "switch", set_switch, name=name, value=value)
    return see_other(link("/host/switches"))


def _switches_page(request: AnyRequest, hall: Hall, host: Guest, error: MeadhallError | None = None) -> Html:
    shown = [(name, each, hall.switches.values[name]) for name, each in SWITCHES.items()]
    quotas = [(name, each.title, hall.switches.quotas[name]) for name, each in QUOTAS.items()]
    notice, status = ("", 200) if error is None else (reason_of(error), int(status_of(error)))
    return host_page(request, host, "switches", status, switches=shown, quotas=quotas, notice=notice)


@get("/host/announcements")
async def show_announcements(request: AnyRequest, hall: Hall, host: Guest) -> Html:
    """Show what the host tells everyone, and how to change it."""
    return _announcements_page(request, hall, host)


@post("/host/announcements", status_code=200)
async def change_announcements(request: AnyRequest, hall: Hall, host: Guest) -> Answer:
    """Announce something, plan a maintenance, or end one of the two."""
    form = await read_form(request, 2 * LONGEST)
    wanted = {name: form.get(name, "") for name in (("begins", "until") if "begins" in form else ("text", "german", "until"))}
    if form.get("do") == "end":
        wanted = {}
    try:
        if form.get("what") == "maintenance":
            hall.do(host.public_id, "maintenance", plan_maintenance, **wanted)
        else:
            hall.do(host.public_id, "announce", announce, **{"text": "", **wanted})
    except BadSetup as error:
        return _announcements_page(request, hall, host, reason_of(error), {**_BLANK, **form})
    return see_other(link("/host/announcements"))


_BLANK: Final[Mapping[str, str]] = dict.fromkeys(("text", "german", "begins", "until"), "")


def _announcements_page(
    request: AnyRequest, hall: Hall, host: Guest, notice: str = "", typed: Mapping[str, str] = _BLANK
) -> Html:
    now = hall.time.now()
    known = {kind.__name__.lower(): told(hall.switches, kind, now) for kind in (Announcement, Maintenance)}
    zone = f"UTC{now.astimezone().isoformat()[-6:]}"
    more: dict[str, Any] = {"notice": notice, "typed": typed, "zone": zone}
    for name, hours in (("earliest", 0), ("later", 1), ("tomorrow", 24)):
        more[name] = f"{now.astimezone() + timedelta(hours=hours):%Y-%m-%dT%H:%M}"
    return host_page(request, host, "announcements", 400 if notice else 200, **known, **more)


@get("/host/people/{person:str}/delete")
async def ask_deletion(request: AnyRequest, hall: Hall, host: Guest, person: str) -> Html:
    """Ask whether to delete a person. Raises NotFound."""
    return _deletion_page(request, hall, host, person)


@post("/host/people/{person:str}/delete", status_code=200)
async def delete_for_person(request: AnyRequest, hall: Hall, host: Guest, person: str, form: Form) -> Answer:
    """Delete a person, for example after a letter. Raises NotFound."""
    if form.get("sure") != "on":
        return _deletion_page(request, hall, host, person, 400)
    hall.do(host.public_id, "delete", delete_person, person=person)
    return see_other(link("/host/log"))


def _deletion_page(request: AnyRequest, hall: Hall, host: Guest, person: str, status: int = 200) -> Html:
    found = hall.store.transact(guests.find_public, person)
    if found is None:
        raise NotFound(_("There is no such person here."))
    return host_page(request, host, "delete", status, person=found, matches=hall.accounts.count_tables(found))


@get([*PAGES])
async def show_house_page(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Show a page that the host has written. Raises NotFound."""
    return page(request, guest, "house.html", None, **house_page(hall.house, request.url.path.removeprefix(sub_path())))


@get("/robots.txt", include_in_schema=False)
async def show_robots() -> Response[str]:
    """Tell search engines what they may list."""
    return Response(robots(), media_type="text/plain")


@get("/.well-known/security.txt", include_in_schema=False)
async def show_security(request: AnyRequest, hall: Hall) -> Response[str]:
    """Tell finders of a weakness whom they can write to. Raises NotFound."""
    text = security(hall.house, base_url(request), hall.time.now())
    if text is None:
        raise NotFound(_("There is no page at this address."))
    return Response(text, media_type="text/plain")


for_machines = [show_robots, show_security]
routes = [
    show_switches,
    change_switches,
    show_announcements,
    change_announcements,
    ask_deletion,
    delete_for_person,
    show_house_page,
]
