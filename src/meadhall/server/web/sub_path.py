"""A hall below a path of its host: ``/hall/tables/x`` is answered as ``/tables/x``.

The proxy passes the whole path. One that has removed the sub-path is answered as well, and so are programs on the same machine
that ask for ``/health`` or ``/metrics``.
"""

from __future__ import annotations

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send
from litestar.utils import normalize_path

from meadhall.server.web.links import sub_path


def remove_sub_path(app: ASGIApp) -> ASGIApp:
    """Wrap ``app`` so that it gets paths without the sub-path of the hall. The sub-path without a slash at its end redirects.

    ``app`` gets the path as the router reads it, without doubled slashes: whatever checks a path must see the route's.
    """

    async def below(scope: Scope, receive: Receive, send: Send) -> None:
        prefix = sub_path()
        if prefix and scope["type"] == ScopeType.HTTP:
            path = scope["path"]
            if path == prefix:
                query = b"?" + scope["query_string"] if scope["query_string"] else b""
                headers = [(b"location", prefix.encode() + b"/" + query), (b"content-length", b"0")]
                await send({"type": "http.response.start", "status": 308, "headers": headers})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                return
            if path.startswith(f"{prefix}/"):
                scope["path"] = path.removeprefix(prefix)
                scope["raw_path"] = scope["raw_path"].removeprefix(prefix.encode())
        if scope["type"] == ScopeType.HTTP:
            scope["path"] = normalize_path(scope["path"])
        await app(scope, receive, send)

    return below
