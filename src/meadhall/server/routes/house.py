"""Decisions of the host about the whole hall: switches, announcements, maintenance; and the host's own pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, timedelta
from typing import Final

from litestar import Response, get, post
from markdown_it import MarkdownIt

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.pictures.templates import as_markup
from meadhall.server.errors import NotFound
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.host_deeds import Done
from meadhall.server.hall.house import LONGEST, PAGES, announce, plan_maintenance
from meadhall.server.hall.switches import SWITCHES, set_switches
from meadhall.server.pages.responses import Answer, Html, page, see_other
from meadhall.server.routes.host import host_page
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import read_form
from meadhall.server.web.links import base_url, link, sub_path
from meadhall.server.web.request import AnyRequest

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")

_DEEDS: Final[Mapping[str, tuple[Callable[..., Done], tuple[str, ...]]]] = {
    "switch": (set_switches, tuple(SWITCHES)),
    "announce": (announce, ("text", "german", "until")),
    "maintenance": (plan_maintenance, ("begins", "until")),
}
"""The deeds of the page, with the fields of their forms."""

_LISTED: Final = ("/rules/", "/static/", "/tiles/", *PAGES)
"""Pages for search engines, beside the front page. Tables and people are left out."""


@get("/host/switches")
async def show_switches(request: AnyRequest, hall: Hall, host: Guest) -> Html:
    """Show the switches, the announcement and the maintenance."""
    return _shown(request, hall, host, {})


@post("/host/switches", status_code=200)
async def change_switches(request: AnyRequest, hall: Hall, host: Guest) -> Answer:
    """Set what differs from before, announce something, plan a maintenance, or end one. Nothing is done if a field is wrong."""
    form = await read_form(request, 2 * LONGEST)
    what = form.get("what", "switch")
    work, names = _DEEDS.get(what, (set_switches, ()))
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
    return host_page(request, host, "switches", 400 if notice else 200, switches=SWITCHES, values=hall.switches.values, **more)


@get([*PAGES])
async def show_house_page(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Show a page that the host has written, in the reader's language if there is one in it. Raises NotFound."""
    name, title = PAGES[request.url.path.removeprefix(sub_path())]
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
    expires = f"Expires: {hall.time.now().astimezone(UTC) + timedelta(days=30):%Y-%m-%dT00:00:00Z}\n"
    text = hall.house.read("security.txt") or f"Contact: {base_url(request)}/contact\n{expires}"
    if not hall.house.read("security.txt") and not hall.house.has("contact"):
        raise NotFound(_("There is no page at this address."))
    return Response(text, media_type="text/plain")


for_machines = [show_robots, show_security]
routes = [show_switches, change_switches, show_house_page]
