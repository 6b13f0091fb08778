"""Under what name somebody asks for the hall: links are made of it, so what can't be one is refused before anything reads it."""

from __future__ import annotations

import re

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

LONGEST_NAME = 253
"""Letters of a host name (RFC 1035)."""

_HOST = re.compile(rf"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{{1,{LONGEST_NAME}}})(?::(?P<port>\d{{1,5}}))?", re.ASCII)


def is_host(text: str) -> bool:
    """Whether it is a name or an address, with a port or without (RFC 9110, 7.2)."""
    found = _HOST.fullmatch(text)
    return found is not None and int(found["port"] or 0) <= 65535


def known_by_name(app: ASGIApp) -> ASGIApp:
    """``app``, asked only under names that can be one; 400 for anything else."""

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            names = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
            if len(names) > 1 or not all(map(is_host, names)):
                text = b"The Host of this request is no name of a host."
                headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(text))]
                await send({"type": "http.response.start", "status": 400, "headers": headers})
                await send({"type": "http.response.body", "body": text, "more_body": False})
                return
        await app(scope, receive, send)

    return checked
