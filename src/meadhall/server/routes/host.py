"""The pages of the host of a hall and the helpers: accounts with a role. For all others there are no such pages."""

from __future__ import annotations

from typing import Any, Final

from litestar import Response, get

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound
from meadhall.server.hall.hall import Hall
from meadhall.server.pages.host import sections
from meadhall.server.pages.responses import Html, page
from meadhall.server.store import host_log
from meadhall.server.store.models import Guest
from meadhall.server.web.request import AnyRequest

SHOWN: Final = 100
"""Lines of the log on a page."""


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
async def show_cases(request: AnyRequest, helper: Guest) -> Html:
    """Show what people have reported."""
    return host_page(request, helper, "cases")


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


routes = [show_cases, show_log, download_log]
