"""The pages behind the links of mails, which need no sign-in; and the form that asks for a mail to sign in again."""

from __future__ import annotations

from litestar import get, post

from meadhall.server.hall.hall import Hall
from meadhall.server.pages.responses import Html, page
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form
from meadhall.server.web.request import AnyRequest, client_address


@get("/sign-in/forgotten")
async def show_forgotten(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Ask which account a person can't sign in to any more."""
    hall.mails.check_offered()
    return page(request, guest, "account/forgotten.html", None, is_sent=False)


@post("/sign-in/forgotten", status_code=200)
async def forgot(request: AnyRequest, hall: Hall, guest: Guest, form: Form) -> Html:
    """Send a link to the account with this name or address. The answer is the same if there is none."""
    hall.mails.check_offered()
    hall.mails.forgot(form.get("name", ""), client_address(request))
    return page(request, guest, "account/forgotten.html", None, is_sent=True)


@get("/mail/{deed:str}/{token:str}")
async def show_link(request: AnyRequest, hall: Hall, guest: Guest, deed: str, token: str) -> Html:
    """Ask before anything changes: mail programs open links to check them."""
    person, address = hall.mails.meant(deed, token)
    return page(request, guest, "mail.html", None, deed=deed, token=token, person=person.name, address=address)


@post("/mail/{deed:str}/{token:str}", status_code=200)
async def follow_link(request: AnyRequest, hall: Hall, guest: Guest, deed: str, token: str) -> Html:
    """Confirm an address, or end the mails about turns: mail providers do it by one request without a cookie (RFC 8058)."""
    hall.mails.follow(deed, token)
    return page(request, guest, "mail.html", None, deed=deed, token="")


routes = [show_forgotten, forgot, show_link, follow_link]
