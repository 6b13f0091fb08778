"""The Host header: links and the same-origin check are built on it, so a request with an invalid one is refused."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

LONGEST_NAME: Final = 253
"""Characters of a host name (RFC 1035)."""

_HOST: Final = re.compile(rf"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{{1,{LONGEST_NAME}}})(?::(?P<port>\d{{1,5}}))?", re.ASCII)
_LAST_PORT: Final = 65535
_REFUSAL: Final = b"The Host header of this request is not a valid host name."


def is_host(text: str) -> bool:
    """Return whether ``text`` is a host name or an IP address, with or without a port (RFC 9110, 7.2)."""
    match = _HOST.fullmatch(text)
    return match is not None and int(match["port"] or 0) <= _LAST_PORT


def is_name_of_this_machine(host: str) -> bool:
    """Return whether a Host header names this machine: ``localhost``, a name below it, a loopback address, or 0.0.0.0."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and not host.endswith("]") else host
    try:
        address = ip_address(name.strip("[]"))
    except ValueError:
        return name.lower() == "localhost" or name.lower().endswith(".localhost")
    return address.is_loopback or address.is_unspecified


def check_host_header(app: ASGIApp) -> ASGIApp:
    """Wrap ``app`` so that requests with an invalid Host header, or with several, get status 400."""

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
            if len(hosts) > 1 or not all(map(is_host, hosts)):
                headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(_REFUSAL))]
                await send({"type": "http.response.start", "status": 400, "headers": headers})
                await send({"type": "http.response.body", "body": _REFUSAL, "more_body": False})
                return
        await app(scope, receive, send)

    return checked
