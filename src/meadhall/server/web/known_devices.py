"""A cookie that tells which accounts have signed in on a device before. It gives no access: see ``hall.sign_in_limit``."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Final

from itsdangerous import BadSignature, URLSafeSerializer
from litestar.datastructures import Cookie
from litestar.types import HTTPScope

from meadhall.server.hall.sign_in_limit import Client, mark_of
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest, client_address

COOKIE: Final = "meadhall_device"

_YEAR: Final = 365 * 24 * 3600
_LONGEST: Final = 1000
_MOST_ACCOUNTS: Final = 10


def client_of(request: AnyRequest, keys: Sequence[URLSafeSerializer]) -> Client:
    """Return where an attempt to sign in comes from. ``keys`` verify the cookie."""
    device, accounts = _read(request, keys)
    return Client(client_address(request), device, frozenset(accounts))


def remember(request: AnyRequest, keys: Sequence[URLSafeSerializer], handle: str) -> None:
    """Let the response tell the device that an account has signed in on it. The first of the ``keys`` signs the cookie."""
    device, accounts = _read(request, keys)
    mark = mark_of(handle)
    known = [mark, *(each for each in accounts if each != mark)][:_MOST_ACCOUNTS]
    request.scope["state"]["new_device"] = keys[0].dumps([device or secrets.token_hex(8), known])


def device_cookie(value: str, scope: HTTPScope) -> str:
    """Return the Set-Cookie header of a device."""
    secure = scope["scheme"] == "https"
    cookie = Cookie(COOKIE, path=link("/"), value=value, max_age=_YEAR, httponly=True, samesite="lax", secure=secure)
    return cookie.to_header(header="")


def _read(request: AnyRequest, keys: Sequence[URLSafeSerializer]) -> tuple[str, list[str]]:
    text = request.cookies.get(COOKIE, "")
    for key in keys if len(text) <= _LONGEST else ():
        try:
            found: Any = key.loads(text)
        except BadSignature:
            continue
        device, accounts = found
        return str(device), [str(account) for account in accounts]
    return "", []
