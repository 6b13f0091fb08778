"""Devices on which an account has signed in before, known by a cookie or by a text that a program keeps.

It gives no access: see ``hall.people.sign_in``.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Final

from itsdangerous import BadSignature, URLSafeSerializer
from litestar.datastructures import Cookie
from litestar.types import HTTPScope

from meadhall.server.hall.people.sign_in import Client, mark_of
from meadhall.server.store.sessions import Session
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest, client_address

COOKIE: Final = "meadhall_device"

_YEAR: Final = 365 * 24 * 3600
LONGEST: Final = 1000
_MOST_ACCOUNTS: Final = 10


def client_of(request: AnyRequest, session: Session | None, keys: Sequence[URLSafeSerializer], told: str = "") -> Client:
    """Return where an attempt to sign in comes from. ``keys`` verify the cookie, or what a program has ``told``."""
    device, accounts = _read(told or request.cookies.get(COOKIE, ""), keys)
    return Client(client_address(request), device, frozenset(accounts), session)


def remember(request: AnyRequest, keys: Sequence[URLSafeSerializer], handle: str) -> None:
    """Let the response tell a browser that an account has signed in on it."""
    request.scope["state"]["new_device"] = with_account(request.cookies.get(COOKIE, ""), keys, handle)


def with_account(text: str, keys: Sequence[URLSafeSerializer], handle: str) -> str:
    """Return what a device keeps after an account has signed in on it. The first of the ``keys`` signs it."""
    device, accounts = _read(text, keys)
    mark = mark_of(handle)
    known = [mark, *(each for each in accounts if each != mark)][:_MOST_ACCOUNTS]
    return str(keys[0].dumps([device or secrets.token_hex(8), known]))


def device_cookie(value: str, scope: HTTPScope) -> str:
    """Return the Set-Cookie header of a device."""
    secure = scope["scheme"] == "https"
    cookie = Cookie(COOKIE, path=link("/"), value=value, max_age=_YEAR, httponly=True, samesite="lax", secure=secure)
    return cookie.to_header(header="")


def _read(text: str, keys: Sequence[URLSafeSerializer]) -> tuple[str, list[str]]:
    for key in keys if len(text) <= LONGEST else ():
        try:
            found: Any = key.loads(text)
        except BadSignature:
            continue
        device, accounts = found
        return str(device), [str(account) for account in accounts]
    return "", []
