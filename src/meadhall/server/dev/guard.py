"""Protection against DNS rebinding: a page of another site must not reach development mode under a name of its own.

A site can let its name lead to 127.0.0.1. Then its pages and the hall have the same origin for a browser. So a hall that only
this machine can reach answers below ``/dev`` under the names of this machine only.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from meadhall.server.hall.hall import Hall

_REFUSAL: Final = b"Open development mode under the name localhost, or under the address that it listens on."


def is_name_of_this_machine(host: str) -> bool:
    """Return whether a Host header names this machine: ``localhost``, a name below it, or a loopback address."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and not host.endswith("]") else host
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name.lower() == "localhost" or name.lower().endswith(".localhost")


def refuse_other_names(handler: ASGIApp, app: Litestar) -> ASGIApp:
    """Wrap the application's handler: if only this machine can reach the hall, ``/dev`` answers 403 under another name."""

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP and scope["path"].startswith("/dev"):
            hall: Hall = app.state.hall
            host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
            if hall.settings.is_on_this_machine and not is_name_of_this_machine(host):
                headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(_REFUSAL))]
                await send({"type": "http.response.start", "status": 403, "headers": headers})
                await send({"type": "http.response.body", "body": _REFUSAL, "more_body": False})
                return
        await handler(scope, receive, send)

    return checked
