"""Accounts in the API: sign in for a token, make an account of a program's guest, and change it. Passkeys are for browsers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import get, post

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotThatPerson
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.people.accounts import Accounts, Device, Overview
from meadhall.server.hall.people.sign_in import LONGEST, Client
from meadhall.server.routes.account import confirmed_session
from meadhall.server.routes.api_refusals import STRICT, refusals
from meadhall.server.store.accounts import Account
from meadhall.server.store.models import Guest
from meadhall.server.web.known_devices import LONGEST as LONGEST_DEVICE
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import Sessions, session_of

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
_Password = Annotated[str, msgspec.Meta(max_length=LONGEST)]
_Code = Annotated[str, msgspec.Meta(max_length=40)]


class SignIn(msgspec.Struct, forbid_unknown_fields=True):
    """The name of an account and its password, or else one of its recovery codes.

    ``label``: what the owner calls the program. ``device``: what the program was told when it signed in before. Then attempts of
    others don't slow it.
    """

    name: _Name
    password: _Password = ""
    recovery_code: _Code = ""
    label: Annotated[str, msgspec.Meta(max_length=60)] = ""
    device: Annotated[str, msgspec.Meta(max_length=LONGEST_DEVICE)] = ""


class Proof(msgspec.Struct, forbid_unknown_fields=True):
    """The password of your account, or else one of its recovery codes."""

    password: _Password = ""
    recovery_code: _Code = ""


class NewAccount(msgspec.Struct, forbid_unknown_fields=True):
    """The name and the password of a new account."""

    name: _Name
    password: _Password
    label: Annotated[str, msgspec.Meta(max_length=60)] = ""


class NewPassword(msgspec.Struct, forbid_unknown_fields=True):
    """A new password."""

    password: _Password


class SignOut(msgspec.Struct, forbid_unknown_fields=True):
    """Which session to end: its id, ``"others"``, ``"all"``, or null for the one of this token."""

    session: Annotated[str, msgspec.Meta(max_length=16)] | None = None


class NewSession(msgspec.Struct):
    """The token of a new session. It is yours until you sign out. Keep ``device``, and send it when you sign in again."""

    name: str
    token: str
    device: str


class SessionToken(msgspec.Struct):
    """The token of a new session. It is yours until you sign out."""

    name: str
    token: str


class AccountCreated(msgspec.Struct):
    """A new account: the token that replaces the one of your guest, and ten recovery codes, which are told only now.

    Keep ``device``, and send it when you sign in again.
    """

    name: str
    token: str
    device: str
    recovery_codes: list[str]


class RecoveryCodes(msgspec.Struct):
    """New recovery codes. The old ones are not accepted any more."""

    recovery_codes: list[str]


class SessionInfo(msgspec.Struct):
    """A device (``browser``) or program that is signed in. Times are in UTC, the last use to the hour.

    ``push``: whether it gets push messages, which end with the session.
    """

    id: str
    kind: str
    label: str
    created: datetime
    last_used: datetime
    here: bool
    push: bool


class PasskeyInfo(msgspec.Struct):
    """A passkey of a browser."""

    label: str
    created: datetime
    last_used: datetime | None


class AccountInfo(msgspec.Struct):
    """Your account."""

    name: str
    has_password: bool
    recovery_codes_left: int
    passkeys: list[PasskeyInfo]
    sessions: list[SessionInfo]


@post("/sessions", status_code=201, responses=refusals(400, 403, 413))
async def open_session(data: Annotated[SignIn, STRICT], request: AnyRequest, hall: Hall, sessions: Sessions) -> NewSession:
    """Sign in to an account, for a token. Attempts are slowed by account and by address."""
    client = sessions.client_of(request, data.device)
    account = await _proved(hall.accounts, data.name, data.password, data.recovery_code, client)
    signed_in = hall.accounts.sign_in(account, Device("program", data.label or _("A program")))
    return NewSession(account.name, signed_in.token, sessions.device_with(account, data.device))


async def _proved(accounts: Accounts, name: str, password: str, code: str, client: Client) -> Account:
    if code:
        return accounts.by_recovery_code(name, code, client)
    return await accounts.by_password(name, password, client)


@post("/account", status_code=201, responses=refusals(400, 401, 409, 413))
async def new_account(data: Annotated[NewAccount, STRICT], hall: Hall, program: Guest, sessions: Sessions) -> AccountCreated:
    """Make an account of your guest. Its tables and matches stay. The token that you have used is not accepted any more."""
    device = Device("program", data.label or _("A program"))
    signed_in, codes = await hall.accounts.create_with_password(program, data.name, data.password, device)
    return AccountCreated(signed_in.account.name, signed_in.token, sessions.device_with(signed_in.account), codes)


@get("/account", responses=refusals(401, 409))
async def show_account(request: AnyRequest, hall: Hall, program: Guest) -> AccountInfo:
    """Return your account. Without one the answer is 409."""
    return _info(hall.accounts.overview(program), request)


@post("/account/confirm", status_code=200, responses=refusals(400, 401, 403, 409, 413))
async def confirm_account(
    data: Annotated[Proof, STRICT], request: AnyRequest, hall: Hall, program: Guest, sessions: Sessions
) -> SessionToken:
    """Prove again who you are. Changes of how you sign in need it half an hour after signing in. You get another token."""
    session = session_of(request)
    client = sessions.client_of(request)
    account = await _proved(hall.accounts, program.name, data.password, data.recovery_code, client)
    if session is None or account.guest != program.id:
        raise NotThatPerson(_("The name or the password is wrong."))
    return SessionToken(account.name, hall.accounts.confirm(session))


@post("/account/password", status_code=200, responses=refusals(400, 401, 403, 413))
async def set_password(data: Annotated[NewPassword, STRICT], request: AnyRequest, hall: Hall, program: Guest) -> AccountInfo:
    """Change your password. All other sessions end."""
    await hall.accounts.set_password(program, data.password, confirmed_session(request))
    return _info(hall.accounts.overview(program), request)


@post("/account/recovery-codes", status_code=200, responses=refusals(401, 403))
async def renew_recovery_codes(request: AnyRequest, hall: Hall, program: Guest) -> RecoveryCodes:
    """Replace your recovery codes."""
    confirmed_session(request)
    return RecoveryCodes(hall.accounts.renew_codes(program))


@post("/account/sign-out", status_code=204, responses=refusals(400, 401, 403, 413))
async def sign_out(data: Annotated[SignOut, STRICT], request: AnyRequest, hall: Hall, program: Guest) -> None:
    """End sessions of your account."""
    session = session_of(request)
    if session is None:
        return
    if data.session in ("all", "others"):
        hall.accounts.end_sessions(program, except_id=session.id if data.session == "others" else None)
    else:
        hall.accounts.end_session(program, data.session or session.id)


@post("/account/delete", status_code=204, responses=refusals(401, 403))
async def delete_account(request: AnyRequest, hall: Hall, program: Guest) -> None:
    """Delete your account, your guest and all that is yours alone. Matches stay; your seats are called "former player"."""
    confirmed_session(request)
    hall.accounts.delete(program)


def _info(found: Overview, request: AnyRequest) -> AccountInfo:
    here, with_push = session_of(request), {each.session for each in found.with_push}
    sessions = [
        SessionInfo(
            each.id,
            each.kind,
            each.label,
            each.created_at,
            each.last_used_at,
            here is not None and each.id == here.id,
            each.id in with_push,
        )
        for each in found.sessions
    ]
    passkeys = [PasskeyInfo(each.label, each.created_at, each.last_used_at) for each in found.passkeys]
    return AccountInfo(found.account.name, found.account.password is not None, found.codes_left, passkeys, sessions)


public_routes: list[Any] = [open_session]
routes: list[Any] = [
    new_account,
    show_account,
    confirm_account,
    set_password,
    renew_recovery_codes,
    sign_out,
    delete_account,
]
