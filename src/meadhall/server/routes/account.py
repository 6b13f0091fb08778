"""Accounts, which only for passkeys need JavaScript, and links that make another device the same guest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from litestar import Response, get, post
from litestar.response import Redirect

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _, speak
from meadhall.server.errors import NotConfirmed, NotThatPerson, reason_of, status_of
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.people.accounts import Device
from meadhall.server.hall.people.passkeys import RelyingParty
from meadhall.server.hall.people.sign_in import LONGEST, SHORTEST
from meadhall.server.pages.lobby import shared_link
from meadhall.server.pages.responses import Answer, Html, page, said_next, see_other, wants_json
from meadhall.server.store import guests, mail
from meadhall.server.store.accounts import Account
from meadhall.server.store.models import Guest
from meadhall.server.store.sessions import Session
from meadhall.server.web.forms import Form, read_long_form, safe_path
from meadhall.server.web.links import base_url, link, outside
from meadhall.server.web.request import AnyRequest, client_address, device_label
from meadhall.server.web.sessions import Sessions, opener_of, session_of

CONFIRMED_FOR: Final = timedelta(minutes=30)
"""How long after signing in or confirming the owner may change how one signs in."""


def party_of(request: AnyRequest) -> RelyingParty:
    """Return the hall as passkeys know it, at the address where the browser has it open."""
    return RelyingParty.at(base_url(request), "Meadhall")


def device_of(request: AnyRequest) -> Device:
    """Return the browser that sends a request."""
    return Device("browser", device_label(request), opener_of(request))


# --------------------------------------------------------------------------------------------------------------- new accounts


@get("/account/new")
async def show_new(request: AnyRequest, guest: Guest) -> Answer:
    """Offer a guest an account."""
    if guest.has_account:
        return see_other(link("/account"))
    return _form_page(request, guest, "new")


@post("/account/new", status_code=200)
async def create(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions) -> Answer:
    """Make an account of the guest, with a passkey or a password. Show its recovery codes, once."""
    form = await read_long_form(request)
    name, device, party = form.get("name", ""), device_of(request), party_of(request)
    try:
        if form.get("credential"):
            made = hall.accounts.create_with_passkey(guest, name, form["credential"], party, device)
        else:
            made = hall.accounts.create_with_password(guest, name, form.get("password", ""), device)
        signed_in, codes = await made
    except MeadhallError as error:
        if wants_json(request):
            raise
        return _form_page(request, guest, "new", error, name=name)
    sessions.start(request, signed_in)
    owner = replace(guest, name=signed_in.account.name, has_account=True)
    await hall.rename(owner)
    return page(request, owner, "account/codes.html", None, codes=codes, is_new=True)


@post("/account/passkey-options", status_code=200)
async def begin_passkey(request: AnyRequest, hall: Hall, guest: Guest, form: Form) -> Response[Any]:
    """Return what the browser needs to make a passkey."""
    return Response(await hall.accounts.begin_passkey(guest, form.get("name", ""), party_of(request)))


# ------------------------------------------------------------------------------------------------------------ signing in and out


@get("/sign-in")
async def show_sign_in(request: AnyRequest, hall: Hall, guest: Guest, back: str = "") -> Answer:
    """Show the form to sign in, and say what this device's guest takes along."""
    if guest.has_account:
        return see_other(link("/account"))
    return _sign_in_page(request, hall, guest, {"back": back})


def _sign_in_page(request: AnyRequest, hall: Hall, guest: Guest, form: Form, error: MeadhallError | None = None) -> Html:
    given = {name: form.get(name, "") for name in ("name", "back")}
    tables = hall.accounts.count_tables(guest)  # which this device's guest takes along
    return _form_page(request, guest, "sign_in", error, **given, tables=tables, guest=guest.name, has_mail=hall.mails.are_sent)


def _form_page(request: AnyRequest, reader: Guest, which: str, error: MeadhallError | None = None, **more: Any) -> Html:
    """Return a page with a form for a passkey, a password or a recovery code. ``error``: why the form was refused."""
    content = {
        "passkeys": party_of(request).is_possible,
        "name": reader.name,
        "notice": "" if error is None else reason_of(error),
        "shortest": SHORTEST,
        "longest": LONGEST,
        **more,
    }
    return page(request, reader, f"account/{which}.html", content, 200 if error is None else int(status_of(error)))


@post("/sign-in", status_code=200)
async def sign_in(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions) -> Answer:
    """Sign in with a passkey, a password or a recovery code."""
    form = await read_long_form(request)
    try:
        account = await _proved(request, hall, guest, sessions, form, form.get("name", ""))
    except MeadhallError as error:
        if wants_json(request):
            raise
        return _sign_in_page(request, hall, guest, form, error)
    takes_along = form.get("take_along") == "on" and not guest.has_account
    signed_in = hall.accounts.sign_in(account, device_of(request), guest, takes_along)
    end_own_session(request, hall, guest)
    sessions.start(request, signed_in)
    owner = hall.store.transact(guests.find, account.guest)
    if owner is not None:
        speak(owner.language)
    return said_next(see_other(safe_path(form.get("back", ""))), "in")


async def _proved(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, form: Form, name: str) -> Account:
    """Return the account whose owner has filled in a form. Raises NotThatPerson, BadPasskey, TooMany."""
    if form.get("credential"):
        return await hall.accounts.by_passkey(guest, form["credential"], party_of(request))
    client = sessions.client_of(request)
    if form.get("code", "").strip():
        return hall.accounts.by_recovery_code(name, form["code"], client)
    return await hall.accounts.by_password(name, form.get("password", ""), client)


@post("/sign-in/passkey-options", status_code=200)
async def begin_sign_in(request: AnyRequest, hall: Hall, guest: Guest) -> Response[Any]:
    """Return what the browser needs to sign in with a passkey."""
    return Response(await hall.accounts.begin_sign_in(guest, party_of(request)))


@post("/sign-out", status_code=200)
async def sign_out(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions) -> Redirect:
    """Sign this device out. It becomes a new guest."""
    if not end_own_session(request, hall, guest):
        return see_other(link("/"))
    sessions.begin_anew(request)
    return said_next(see_other(link("/")), "out")


def end_own_session(request: AnyRequest, hall: Hall, guest: Guest) -> bool:
    """End the session of the device that sends a request. Return False if it isn't signed in."""
    session = session_of(request)
    if session is None:
        return False
    hall.accounts.end_session(guest, session.id)
    return True


# ----------------------------------------------------------------------------------------------------------- the owner's changes


@get("/account")
async def show_account(request: AnyRequest, hall: Hall, guest: Guest) -> Answer:
    """Show the account to its owner."""
    if not guest.has_account:
        return see_other(link("/account/new"))
    return _account_page(request, hall, guest)


def _account_page(request: AnyRequest, hall: Hall, guest: Guest, error: MeadhallError | None = None, done: str = "") -> Html:
    found, own = hall.accounts.overview(guest), session_of(request)
    here = "" if own is None else own.id
    content = {
        "passkeys": party_of(request).is_possible,
        "found": replace(found, sessions=tuple(sorted(found.sessions, key=lambda each: each.id != here))),
        "here": here,  # the id of the session that looks
        "notice": "" if error is None else reason_of(error),
        "done": done,  # the change that was just made
        "shortest": SHORTEST,
        "longest": LONGEST,
        "mail": hall.store.transact(mail.find, guest.id) if hall.mails.are_sent else None,
    }
    return page(request, guest, "account/account.html", content, 200 if error is None else int(status_of(error)))


@get("/account/confirm")
async def show_confirm(request: AnyRequest, guest: Guest) -> Answer:
    """Ask the owner to prove again who they are."""
    if not guest.has_account:
        return see_other(link("/sign-in"))
    return _form_page(request, guest, "confirm")


@post("/account/confirm", status_code=200)
async def confirm(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions) -> Answer:
    """Check that the owner is who they say. Give the device a new cookie."""
    session = session_of(request)
    if session is None:
        return see_other(link("/sign-in"))
    try:
        account = await _proved(request, hall, guest, sessions, await read_long_form(request), guest.name)
        if account.guest != guest.id:
            raise NotThatPerson(_("That passkey belongs to another account."))
    except MeadhallError as error:
        if wants_json(request):
            raise
        return _form_page(request, guest, "confirm", error)
    sessions.renew(request, hall.accounts.confirm(session))
    return see_other(link("/account"))


def is_confirmed(session: Session, at: datetime) -> bool:
    """Return whether the owner has proved a short while before this time who they are."""
    return session.confirmed_at > at - CONFIRMED_FOR


def confirmed_session(request: AnyRequest) -> Session:
    """Return the session of a request that changes how one signs in. Raises NotConfirmed."""
    session = session_of(request)
    if session is None:
        raise NotConfirmed(_("Sign in first."))
    if not is_confirmed(session, request.app.state.hall.time.now()):
        raise NotConfirmed(_("Confirm first that it is you: you signed in a while ago."))
    return session


async def _changed(
    request: AnyRequest, hall: Hall, guest: Guest, change: Callable[[], Awaitable[None] | None], done: str
) -> Answer:
    """Make a change of the account, then show the account, or why the change was refused."""
    try:
        changing = change()
        if changing is not None:
            await changing
    except MeadhallError as error:
        if wants_json(request):
            raise
        return _account_page(request, hall, guest, error)
    return _account_page(request, hall, guest, done=done)


def _confirmation_page(request: AnyRequest) -> Redirect | None:
    """Return the way to the page that asks who it is, unless the owner has proved it a short while ago."""
    session = session_of(request)
    if session is None:
        return see_other(link("/sign-in"))
    return None if is_confirmed(session, request.app.state.hall.time.now()) else see_other(link("/account/confirm"))


@post("/account/name", status_code=200)
async def change_name(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Answer:
    """Change the account's name."""

    async def change() -> None:
        changed = sessions.save(guest, name=form.get("name", ""))
        await hall.rename(changed)

    if not guest.has_account:
        return see_other(link("/account/new"))
    answer = await _changed(request, hall, guest, change, "")
    return see_other(link("/account")) if answer.status_code == 200 else answer


@post("/account/password", status_code=200)
async def change_password(request: AnyRequest, hall: Hall, guest: Guest) -> Answer:
    """Give the account a new password, or none."""
    if (elsewhere := _confirmation_page(request)) is not None:
        return elsewhere
    form = await read_long_form(request)
    if form.get("set") == "none":
        done = _("The password was removed.")
        return await _changed(request, hall, guest, lambda: hall.accounts.remove_password(guest), done)
    session = confirmed_session(request)
    change = partial(hall.accounts.set_password, guest, form.get("password", ""), session)
    return await _changed(request, hall, guest, change, _("The password was changed, and all other devices are signed out."))


@post("/account/passkeys", status_code=200)
async def change_passkeys(request: AnyRequest, hall: Hall, guest: Guest) -> Answer:
    """Add a passkey, or remove one."""
    if (elsewhere := _confirmation_page(request)) is not None:
        return elsewhere
    form = await read_long_form(request)
    if form.get("remove"):
        done = _("The passkey was removed. You can also delete it on your device.")
        return await _changed(request, hall, guest, lambda: hall.accounts.remove_passkey(guest, form["remove"]), done)
    label = form.get("label", "").strip() or device_label(request)
    change = partial(hall.accounts.add_passkey, guest, form.get("credential", ""), party_of(request), label)
    return await _changed(request, hall, guest, change, _("The passkey was added."))


@post("/account/codes", status_code=200)
async def renew_codes(request: AnyRequest, hall: Hall, guest: Guest) -> Answer:
    """Replace the recovery codes, and show the new ones, once."""
    if (elsewhere := _confirmation_page(request)) is not None:
        return elsewhere
    codes = hall.accounts.renew_codes(guest)
    return page(request, guest, "account/codes.html", None, codes=codes, is_new=False)


@post("/account/mail", status_code=200)
async def change_mail(request: AnyRequest, hall: Hall, guest: Guest, form: Form) -> Answer:
    """Give the account a mail address or none, which the owner must have confirmed for; or choose what mails come."""
    hall.mails.check_offered()
    change = partial(hall.store.transact, mail.change, guest.id)
    deeds = {
        "turns": (partial(change, turns=True), _("Mails about your turns come again.")),
        "no turns": (partial(change, turns=False), _("No more mails about turns come.")),
        "again": (partial(change, refusal=None), _("Mails go there again.")),
    }
    if (deed := form.get("set", "")) in deeds and session_of(request) is not None:
        return await _changed(request, hall, guest, *deeds[deed])
    if (elsewhere := _confirmation_page(request)) is not None:
        return elsewhere
    if deed == "none":
        remove = partial(hall.store.transact, mail.remove, guest.id)
        return await _changed(request, hall, guest, remove, _("The mail address was removed."))
    address = form.get("address", "").strip()
    done = _("A mail to {address} is on its way. Its link confirms the address, and works for a day.").format(address=address)
    return await _changed(request, hall, guest, partial(hall.mails.ask, guest, address, client_address(request)), done)


@post("/account/sessions", status_code=200)
async def end_sessions(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Answer:
    """Sign out one device, all other ones, or all."""
    session = session_of(request)
    if session is None:
        return see_other(link("/sign-in"))
    if form.get("end") == "all":
        hall.accounts.end_sessions(guest)
        sessions.begin_anew(request)
        return said_next(see_other(link("/")), "out")
    if form.get("end") == "others":
        hall.accounts.end_sessions(guest, except_id=session.id)
        return _account_page(request, hall, guest, done=_("All other devices are signed out."))
    hall.accounts.end_session(guest, form.get("end", ""))
    if form.get("end") == session.id:
        sessions.begin_anew(request)
        return said_next(see_other(link("/")), "out")
    return _account_page(request, hall, guest, done=_("That device is signed out."))


@post("/account/delete", status_code=200)
async def delete(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, form: Form) -> Answer:
    """Delete the account and all that is its owner's alone. This device becomes a new guest."""
    if (elsewhere := _confirmation_page(request)) is not None:
        return elsewhere
    if form.get("sure") != "on":
        return see_other(link("/account"))
    hall.accounts.delete(guest)
    sessions.begin_anew(request)
    return said_next(see_other(link("/")), "deleted")


@post("/identity", status_code=200)
async def make_link(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions) -> Answer:
    """Make a link that carries the guest to another device. Its page shows it also as a QR code."""
    session = session_of(request)
    if session is not None and not is_confirmed(session, hall.time.now()):
        return see_other(link("/account/confirm"))
    guest = sessions.save(guest)
    token, until = hall.identity.create(guest, sessions.opener_for(request, guest))
    path = f"/identity/{token}"
    if wants_json(request):
        return Response({"url": link(path), "expires_at": until.astimezone(UTC).isoformat()})
    return see_other(link(path))


@get("/identity")
async def show_form() -> Redirect:
    """Go to the form that makes a link."""
    return see_other(link("/settings") + "#identity-make")


@get("/identity/{token:str}")
async def show_link(request: AnyRequest, hall: Hall, guest: Guest, token: str) -> Answer:
    """Show the guest's own link. Another guest reads what it does, and is asked: messengers open links to preview them."""
    target = hall.identity.target(token)
    if target.id == guest.id:
        return page(request, guest, "identity_link.html", shared_link(outside(request), f"/identity/{token}"))
    action, count = link(f"/identity/{token}"), hall.accounts.count_tables(guest)
    return page(
        request, guest, "identity.html", None, action=action, its_name=target.name, is_account=target.has_account, tables=count
    )


@post("/identity/{token:str}", status_code=200)
async def use_link(request: AnyRequest, hall: Hall, guest: Guest, sessions: Sessions, token: str) -> Redirect:
    """Make this device the guest of the link."""
    if hall.identity.target(token).id == guest.id:
        return see_other(link("/"))
    carried = hall.identity.use(token, guest, device_of(request))
    end_own_session(request, hall, guest)
    if carried.signed_in is None:
        sessions.become(request, carried.guest)
        return see_other(link("/"))
    sessions.start(request, carried.signed_in)
    return see_other(link("/account" if is_confirmed(carried.signed_in.session, hall.time.now()) else "/"))


routes = [
    show_new,
    create,
    begin_passkey,
    show_sign_in,
    sign_in,
    begin_sign_in,
    sign_out,
    show_account,
    show_confirm,
    confirm,
    change_name,
    change_password,
    change_passkeys,
    renew_codes,
    change_mail,
    end_sessions,
    delete,
    make_link,
    show_form,
    show_link,
    use_link,
]
