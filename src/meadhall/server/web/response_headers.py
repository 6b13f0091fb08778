"""Headers of every response: the security policy, the cookies of a new session, caching."""

from __future__ import annotations

from typing import Final

from litestar.enums import ScopeType
from litestar.types import Message, Scope

from meadhall.server.web.known_devices import device_cookie
from meadhall.server.web.sessions import session_cookie

_SECURITY: Final = (
    (b"content-security-policy", b"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"),
    (b"referrer-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)


async def add_headers(message: Message, scope: Scope) -> None:
    """Add these headers to the start of a response. A response may have a security policy and a caching for itself."""
    if message["type"] != "http.response.start" or scope["type"] != ScopeType.HTTP:
        return
    given = {name.lower() for name, _value in message["headers"]}
    added = [header for header in _SECURITY if header[0] not in given]
    if scope["path"].startswith("/static/") and message["status"] in (200, 304):
        versioned = b"v=" in scope["query_string"]  # the address changes with the file's content
        added.append((b"cache-control", b"public, max-age=31536000, immutable" if versioned else b"no-cache"))
    elif b"cache-control" not in given:
        added.append((b"cache-control", b"no-store"))
    new_session = scope["state"].get("new_session")
    if new_session:
        added.append((b"set-cookie", session_cookie(new_session, scope).encode()))
    new_device = scope["state"].get("new_device")
    if new_device:
        added.append((b"set-cookie", device_cookie(new_device, scope).encode()))
    message["headers"] = [*message["headers"], *added]
