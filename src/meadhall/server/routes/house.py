"""What the host decides about the whole hall: switches and quotas."""

from __future__ import annotations

from litestar import get, post

from meadhall.engine.errors import MeadhallError
from meadhall.server.errors import reason_of, status_of
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.switches import ALL, QUOTAS, SWITCHES, check_switch, set_switch
from meadhall.server.pages.responses import Answer, Html, see_other
from meadhall.server.routes.host import host_page
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form
from meadhall.server.web.links import link
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


routes = [show_switches, change_switches]
