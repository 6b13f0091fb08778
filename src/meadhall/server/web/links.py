"""Addresses that leave the hall: links, forms, redirects. All begin at the sub-path of the hall's public address.

A process serves one hall, so the address is set once. Paths inside the program, such as those of routes, have no sub-path.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal
from urllib.parse import urlsplit

from meadhall.server.settings import Settings
from meadhall.server.web.forwarded import comes_from_this_machine, is_name_of_this_machine
from meadhall.server.web.request import AnyRequest

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

Closed = Literal["", "loopback", "unknown"]
"""Why only this machine can open the addresses of a hall, see ``Outside``; "" if others can."""

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


@dataclass(frozen=True)
class Outside:
    """How other people and devices reach the hall.

    Attributes:
        url: the beginning of the addresses that the hall gives them, without a slash at its end.
        closed: why only this machine can open these: the hall listens on a ``loopback`` address, or its address in the network is
            ``unknown``; "" if others can.
    """

    url: str
    closed: Closed = ""


class _Served:
    settings = Settings()
    sub_path = ""
    origin: Origin | None = None


_served: Final = _Served()


def serve(settings: Settings) -> None:
    """Set the hall to which all addresses lead. Without a public address every client uses its own, and the whole host."""
    _served.settings, _served.sub_path, _served.origin = settings, settings.sub_path, origin_of(settings.public_url)


def sub_path() -> str:
    """Return the path of the hall without a slash at its end: "/hall", or "" for the whole host."""
    return _served.sub_path


def public_origin() -> Origin | None:
    """Return the origin of the public address, None if none is set."""
    return _served.origin


def link(path: str) -> str:
    """Return the address of a path of the hall, for a link on the same host: "/tables/x" becomes "/hall/tables/x"."""
    return _served.sub_path + path


def base_url(request: AnyRequest) -> str:
    """Return the beginning of addresses for this client, without a slash at its end: the public one, or else its own.

    The client's has the scheme and host that a trusted proxy forwards (``MEADHALL_PROXIES``), or those of the request.
    """
    if _served.settings.public_url:
        return _served.settings.public_url
    hosts = [value for name, value in request.scope["headers"] if name == b"host"]
    return f"{request.scope['scheme']}://{hosts[0].decode('latin-1')}" if hosts else str(request.base_url).rstrip("/")


@lru_cache(maxsize=256)
def _names_this_machine(url: str) -> bool:
    return is_name_of_this_machine(urlsplit(url).netloc)


def outside(request: AnyRequest) -> Outside:
    """Return the beginning of addresses for other people and devices: the client's own, unless it names this machine.

    For a client on this machine it is the address in the network. A program between, such as a proxy or the forwarded port of a
    container, hides which address leads here from elsewhere.
    """
    own, settings = base_url(request), _served.settings
    if settings.public_url or not _names_this_machine(own):
        return Outside(own)
    if comes_from_this_machine(request.scope) and settings.url_for_others:
        return Outside(settings.url_for_others)
    return Outside(own, "loopback" if settings.is_on_this_machine else "unknown")
