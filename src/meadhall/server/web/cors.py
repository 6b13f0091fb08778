"""Cross-origin requests (CORS, Fetch Standard 3.2): pages of other sites may use the API, which asks for a bearer token.

Cookies are never accepted with such a request, so no site can act for a guest of the hall.
"""

from __future__ import annotations

from typing import Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

_API: Final = "/api/"
_ANY_ORIGIN: Final = (b"access-control-allow-origin", b"*")
_READABLE: Final = (b"access-control-expose-headers", b"Allow, Location, Retry-After, X-Request-ID")
_PREFLIGHT: Final = (
    _ANY_ORIGIN,
    (b"access-control-allow-methods", b"GET, HEAD, POST, DELETE"),
    (b"access-control-allow-headers", b"Authorization, Content-Type, Idempotency-Key, Last-Event-ID"),
    (b"access-control-max-age", b"86400"),
)


def allow_other_origins(app: ASGIApp) -> ASGIApp:
    """Wrap ``app`` so that scripts of any site may call the API and read its responses."""

    async def allowing(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or not scope["path"].startswith(_API):
            await app(scope, receive, send)
            return
        if scope["method"] == "OPTIONS" and any(name == b"access-control-request-method" for name, _ in scope["headers"]):
            await send({"type": "http.response.start", "status": 204, "headers": list(_PREFLIGHT)})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        scope["state"].setdefault("headers", []).extend((_ANY_ORIGIN, _READABLE))
        await app(scope, receive, send)

    return allowing
