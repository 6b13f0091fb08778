"""Against forged requests: Litestar compares the token in a form with the one in a cookie; here is what it leaves to do.

A cookie whose token was signed with another secret (another hall on this host, or this one before its data folder was
emptied) would be handed on into every form and refused with every form, for as long as the browser is open. It is dropped, so
that a new one is given.
"""

from __future__ import annotations

from functools import lru_cache
from secrets import compare_digest

from litestar.config.csrf import CSRFConfig
from litestar.enums import ScopeType
from litestar.middleware.csrf import CSRF_SECRET_LENGTH, generate_csrf_hash
from litestar.types import ASGIApp, Receive, Scope, Send

COOKIE = "meadhall_csrf"

_LENGTH = CSRF_SECRET_LENGTH + 64
"""Of a token: its random part and its signature, a SHA-256 in hexadecimal."""


def csrf_config(secret: str) -> CSRFConfig:
    """Every form carries a token; programs send their own in a header that no form can send. What is kept by caches has none."""
    exclude = ["^/api/", "^/static/"]
    return CSRFConfig(secret=secret, cookie_name=COOKIE, cookie_httponly=True, cookie_samesite="lax", exclude=exclude)


class ForeignTokens:
    """The middleware that drops token cookies that are not ours."""

    def __init__(self, app: ASGIApp, secret: str) -> None:
        self._app = app
        self._secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            scope["headers"] = [
                (name, _without_foreign(value, self._secret) if name == b"cookie" else value) for name, value in scope["headers"]
            ]
        await self._app(scope, receive, send)


def _without_foreign(header: bytes, secret: str) -> bytes:
    return b";".join(pair for pair in header.split(b";") if not _is_foreign(pair.decode("latin-1").strip(), secret))


def _is_foreign(pair: str, secret: str) -> bool:
    name, _, token = pair.partition("=")
    return name == COOKIE and not (len(token) == _LENGTH and _is_ours(token, secret))


@lru_cache(maxsize=4096)
def _is_ours(token: str, secret: str) -> bool:
    signature = generate_csrf_hash(token[:CSRF_SECRET_LENGTH], secret)
    return compare_digest(signature.encode(), token[CSRF_SECRET_LENGTH:].encode())
