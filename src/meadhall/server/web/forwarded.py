"""Who sends a request, and to which host: the Host header, and headers of proxies (``X-Forwarded-For``, ``-Proto``, ``-Host``).

Links and the same-origin check are built on the host, so a request with an invalid one is refused.

Any client can send the headers of a proxy. So they count only in a connection from a proxy that the settings name, and of the
addresses in ``X-Forwarded-For`` the last one that is not such a proxy is the client. The Unix socket needs no name: only
processes that may open its file can connect to it, and those are the proxies.
"""

from __future__ import annotations

import re
from collections.abc import Container
from ipaddress import IPv6Address, ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

_UNIX_SOCKET: Final = "unix"
"""The address of all processes that connect to the Unix socket."""

FORWARDED: Final = frozenset({b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip"})
"""Headers that proxies add."""

_OWN_HOST: Final = "meadhall.own_host"
"""The name of the extension of a request's scope that has the connection's own Host header."""

LONGEST_NAME: Final = 253
"""Characters of a host name (RFC 1035)."""

_HOST: Final = re.compile(rf"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{{1,{LONGEST_NAME}}})(?::(?P<port>\d{{1,5}}))?", re.ASCII)
_LAST_PORT: Final = 65535


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


class Proxies:
    """The trusted proxies of a hall.

    Args:
        app: gets the requests that they forward.
        proxies: their addresses and networks, separated by commas; "*" for all.
        public_url: the address at which people reach the hall; "" if there is none.
    """

    def __init__(self, app: ASGIApp, proxies: str, public_url: str = "") -> None:
        self._middleware = _middleware(app, proxies)
        self._trusted: Container[str] = self._middleware.trusted_hosts
        public = urlsplit(public_url)
        self._public_host, self._public_scheme = public.netloc.encode(), public.scheme

    def __contains__(self, address: str) -> bool:
        return address in self._trusted

    def use_public_scheme(self, scope: HTTPScope, host: bytes) -> None:
        """Give a request for the host of the public address its scheme, unless a trusted proxy forwards another.

        So a hall whose address begins with ``https`` sends secure cookies also behind a proxy that doesn't forward the scheme.
        """
        if self._public_host and host.lower() == self._public_host:
            scope["scheme"] = self._public_scheme

    async def forward(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """Give a request of a trusted proxy the client, scheme and host that the proxy forwards, and let it be answered."""
        scope.setdefault("extensions", {})[_OWN_HOST] = {"host": _host(scope)}  # type: ignore[index]
        scope["headers"] = _with_forwarded_host(scope["headers"])
        for name, value in scope["headers"]:
            if name == b"host":
                self.use_public_scheme(scope, value)
        await self._middleware(scope, receive, send)


def own_host(scope: Scope) -> str:
    """Return the Host header of the connection itself, also if a proxy forwards another one."""
    extensions: Any = scope.get("extensions") or {}
    host: str = extensions[_OWN_HOST]["host"] if _OWN_HOST in extensions else _host(scope)
    return host


def comes_from_this_machine(scope: Scope) -> bool:
    """Return whether a program on this machine has sent the request itself, under a name of this machine.

    A proxy on this machine adds headers, or passes the public name. So its requests are none.
    """
    address = (scope["client"] or ("", 0))[0]
    if any(name in FORWARDED for name, _value in scope["headers"]) or not is_name_of_this_machine(own_host(scope)):
        return False
    return address == _UNIX_SOCKET or (_is_address(address) and ip_address(address).is_loopback)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _host(scope: Scope) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")


def trusted_by(proxies: str) -> Container[str]:
    """Return the addresses of trusted proxies, see ``Proxies``."""
    trusted: Container[str] = _middleware(None, proxies).trusted_hosts
    return trusted


def peer(address: str) -> str:
    """Return the address of a peer: an IPv4 address also if it came in over IPv6; one name for all on the Unix socket."""
    if not address:
        return _UNIX_SOCKET
    if address.startswith("::ffff:"):
        mapped = IPv6Address(address).ipv4_mapped
        return address if mapped is None else str(mapped)
    return address


def _middleware(app: Any, proxies: str) -> Any:
    return ProxyHeadersMiddleware(app, proxies if proxies == "*" else [*proxies.split(","), _UNIX_SOCKET])


def _with_forwarded_host(headers: Any) -> list[tuple[bytes, bytes]]:
    """Return the headers with ``X-Forwarded-Host`` as the Host. Of several, the first is the one that the browser used."""
    forwarded = next((value.split(b",")[0].strip() for name, value in headers if name == b"x-forwarded-host"), b"")
    if not forwarded:
        return list(headers)
    return [(b"host", forwarded), *((name, value) for name, value in headers if name != b"host")]
