"""Headers of proxies (``X-Forwarded-For``, ``-Proto``, ``-Host``): the client, scheme and host of the request that a proxy got.

Any client can send such headers. So they count only in a connection from a proxy that the settings name, and of the addresses
in ``X-Forwarded-For`` the last one that is not such a proxy is the client. The Unix socket needs no name: only
processes that may open its file can connect to it, and those are the proxies.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from meadhall.server.web.host_header import is_name_of_this_machine

_UNIX_SOCKET: Final = "unix"
"""The address of all processes that connect to the Unix socket."""

_FORWARDED: Final = frozenset({b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip"})
"""Headers that proxies add."""

_OWN_HOST: Final = "meadhall.own_host"
"""The name of the extension of a request's scope that has the connection's own Host header."""


def trust_proxies(app: ASGIApp, proxies: str, public_url: str = "") -> ASGIApp:
    """Wrap ``app`` so that a request of a trusted proxy gets the client, scheme and host that the proxy forwards.

    A request for the host of the public address has its scheme, unless a trusted proxy forwards another. So a hall whose address
    begins with ``https`` sends secure cookies also behind a proxy that doesn't forward the scheme.

    Args:
        app: the application.
        proxies: addresses and networks of the proxies, separated by commas; "*" for all.
        public_url: the address at which people reach the hall; "" if there is none.
    """
    middleware: Any = _middleware(app, proxies)
    public = urlsplit(public_url)
    public_host = public.netloc.encode()

    async def trusting(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            address, port = scope["client"] or ("", 0)
            scope["client"] = (peer(address), port)
            if peer(address) in middleware.trusted_hosts:
                scope.setdefault("extensions", {})[_OWN_HOST] = {"host": _host(scope)}  # type: ignore[index]
                scope["headers"] = _with_forwarded_host(scope["headers"])
            if public_host and any(name == b"host" and value.lower() == public_host for name, value in scope["headers"]):
                scope["scheme"] = public.scheme
        await middleware(scope, receive, send)

    return trusting


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
    if any(name in _FORWARDED for name, _value in scope["headers"]) or not is_name_of_this_machine(own_host(scope)):
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


class TrustedProxies:
    """The proxies of the settings, to ask whether a peer is one of them."""

    def __init__(self, proxies: str) -> None:
        self._trusted = _middleware(_no_app, proxies).trusted_hosts

    def __contains__(self, address: str) -> bool:
        return address in self._trusted


def peer(address: str) -> str:
    """Return the address of a peer: an IPv4 address also if it came in over IPv6; one name for all on the Unix socket."""
    if not address:
        return _UNIX_SOCKET
    if address.startswith("::ffff:"):
        mapped = IPv6Address(address).ipv4_mapped
        return address if mapped is None else str(mapped)
    return address


def _middleware(app: Any, proxies: str) -> ProxyHeadersMiddleware:
    return ProxyHeadersMiddleware(app, proxies if proxies == "*" else [*proxies.split(","), _UNIX_SOCKET])


def _with_forwarded_host(headers: Any) -> list[tuple[bytes, bytes]]:
    """Return the headers with ``X-Forwarded-Host`` as the Host. Of several, the first is the one that the browser used."""
    forwarded = next((value.split(b",")[0].strip() for name, value in headers if name == b"x-forwarded-host"), b"")
    if not forwarded:
        return list(headers)
    return [(b"host", forwarded), *((name, value) for name, value in headers if name != b"host")]


async def _no_app(*_: Any) -> None:
    raise AssertionError("only the list of trusted proxies is used")
