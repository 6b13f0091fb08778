"""Addresses that leave the hall: links, forms, redirects. All begin at the sub-path of the hall's public address.

A process serves one hall, so the address is set once. Paths inside the program, such as those of routes, have no sub-path.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from meadhall.server.web.request import AnyRequest

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

Origin = tuple[str, str, int]
"""Scheme, host and port."""


def origin_of(url: str) -> Origin | None:
    """Return scheme, host and port of an address, None if it has none (the origin "null")."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or parts.hostname is None:
        return None
    return parts.scheme, parts.hostname, _DEFAULT_PORTS[parts.scheme] if port is None else port


class _PublicAddress:
    url = ""
    sub_path = ""
    origin: Origin | None = None


_public: Final = _PublicAddress()


def serve_at(url: str) -> None:
    """Set the public address, without a slash at its end. "": every client uses its own, and the hall has the whole host."""
    _public.url, _public.sub_path, _public.origin = url, urlsplit(url).path, origin_of(url)


def sub_path() -> str:
    """Return the path of the hall without a slash at its end: "/hall", or "" for the whole host."""
    return _public.sub_path


def public_origin() -> Origin | None:
    """Return the origin of the public address, None if none is set."""
    return _public.origin


def link(path: str) -> str:
    """Return the address of a path of the hall, for a link on the same host: "/tables/x" becomes "/hall/tables/x"."""
    return _public.sub_path + path


def base_url(request: AnyRequest) -> str:
    """Return the beginning of addresses for other people, without a slash at its end: the public one, or else the client's.

    The client's has the scheme and host that a trusted proxy forwards (``MEADHALL_PROXIES``), or those of the request.
    """
    return _public.url or str(request.base_url).rstrip("/")
