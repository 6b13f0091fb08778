"""The pages behind the links of mails, which need no sign-in; and the form that asks for a mail to sign in again."""

from __future__ import annotations

from litestar import get, post

from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.hall import Hall
from meadhall.server.pages.responses import Html, page
from meadhall.server.store.models import Guest
from meadhall.server.web.forms import Form
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest, client_address


@get("/sign-in/forgotten")
async def show_forgotten(request: AnyRequest, hall: Hall, guest: Guest) -> Html:
    """Ask which account a person can't sign in to any more."""
    hall.mails.check_offered()
    return page(request, guest, "account/forgotten.html", {"name": "", "notice": ""}, is_sent=False)


@post("/sign-in/forgotten", status_code=200)
async def forgot(request: AnyRequest, hall: Hall, guest: Guest, form: Form) -> Html:
    """Send a link to the account with this name or address. The answer is the same if there is none."""
    hall.mails.check_offered()
    hall.mails.forgot(form.get("name", ""), client_address(request))
    return page(request, guest, "account/forgotten.html", {"name": "", "notice": ""}, is_sent=True)


def _page(request: AnyRequest, guest: Guest, title: str, text: str, action: str = "", words: str = "") -> Html:
    return page(request, guest, "mail.html", None, title=title, text=text, action=link(action) if action else "", words=words)


@get("/mail/confirm/{token:str}")
async def show_confirmation(request: AnyRequest, hall: Hall, guest: Guest, token: str) -> Html:
    """Ask whether an address belongs to an account: mail programs open links to check them."""
    hall.mails.check_offered()
    name, address = hall.mails.to_confirm(token)
    text = _("The account {name} gets its mails at {address} from now on.").format(name=name, address=address)
    return _page(request, guest, _("Is this your address?"), text, f"/mail/confirm/{token}", _("Confirm the address"))


@post("/mail/confirm/{token:str}", status_code=200)
async def confirm(request: AnyRequest, hall: Hall, guest: Guest, token: str) -> Html:
    """Confirm an address."""
    hall.mails.check_offered()
    hall.mails.confirm(token)
    return _page(request, guest, _("The address is confirmed"), _("From now on mails go there."))


@get("/mail/stop/{token:str}")
async def show_stop(request: AnyRequest, hall: Hall, guest: Guest, token: str) -> Html:
    """Ask whether to end the mails about turns."""
    hall.mails.check_offered()
    hall.mails.owner(token)
    text = _("Then no mail tells you any more that it is your turn. Your account page turns them on again.")
    return _page(request, guest, _("No more mails about turns?"), text, f"/mail/stop/{token}", _("No more mails about turns"))


@post("/mail/stop/{token:str}", status_code=200)
async def stop(request: AnyRequest, hall: Hall, guest: Guest, token: str) -> Html:
    """End the mails about turns. Mail providers do it with one request, without a cookie (RFC 8058)."""
    hall.mails.check_offered()
    hall.mails.set_turns(hall.mails.owner(token), wanted=False)
    return _page(request, guest, _("No more mails about turns come"), _("Your account page turns them on again."))


routes = [show_forgotten, forgot, show_confirmation, confirm, show_stop, stop]
