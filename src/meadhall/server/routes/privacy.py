"""The data that the hall keeps about a person: the page that lists it, the download, and the deletion."""

from __future__ import annotations

import json

from litestar import Response, get, post
from litestar.response import Redirect

from meadhall.server.hall.hall import Hall
from meadhall.server.pages.privacy import privacy_page
from meadhall.server.pages.responses import Answer, Html, page, see_other
from meadhall.server.store import personal_data
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions


@get("/privacy")
async def show_privacy(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Tell what is kept, where, and for how long."""
    return page(request, guest, "privacy.html", privacy_page(hall.settings, guest.has_account))


@get("/privacy/data")
async def download_data(hall: Hall, guest: Guest) -> Response[str]:
    """Return everything that the hall stores about the guest."""
    return data_response(await hall.store.read(personal_data.export, guest.id))


def data_response(data: dict[str, list[dict[str, object]]]) -> Response[str]:
    """Return a person's data as a file."""
    headers = {"Content-Disposition": 'attachment; filename="meadhall-my-data.json"'}
    return Response(json.dumps(data, indent=1, ensure_ascii=False), media_type="application/json", headers=headers)


@get("/privacy/delete")
async def ask_about_deletion(request: AnyRequest, hall: Hall, guest: Guest) -> Answer:
    """Ask whether to delete everything, and say what stays."""
    if guest.has_account:
        return see_other(link("/account"))
    return page(request, guest, "delete.html", hall.accounts.count_tables(guest), missing=False)


@post("/privacy/delete", status_code=200)
async def delete_guest(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Html | Redirect:
    """Delete a guest without an account and all that is theirs alone. This device becomes a new guest."""
    if guest.has_account:
        return see_other(link("/account"))
    if form.get("sure") != "on":
        return page(request, guest, "delete.html", hall.accounts.count_tables(guest), 400, missing=True)
    hall.accounts.delete(guest)
    sessions.begin_anew(request)
    return see_other(link("/privacy"))


routes = [show_privacy, download_data, ask_about_deletion, delete_guest]
