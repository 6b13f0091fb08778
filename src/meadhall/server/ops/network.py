"""The address of this machine in its network."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address
from socket import AF_INET, AF_INET6, SOCK_DGRAM, AddressFamily, socket
from typing import Final

_FAR_AWAY: Final = {4: (AF_INET, "198.51.100.1"), 6: (AF_INET6, "2001:db8::1")}
"""An address of another network for each version of IP: addresses for documentation (RFC 5737, RFC 3849)."""

_DISCARD: Final = 9
"""Any port: nothing is sent to it."""


def is_every_address(host: str) -> bool:
    """Return whether a server that listens on ``host`` listens on all addresses of this machine."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def host_here(host: str) -> str:
    """Return where this machine reaches a server that listens on ``host``."""
    return host if not is_every_address(host) else "::1" if ":" in host else "127.0.0.1"


def host_in_network(host: str) -> str:
    """Return where other machines reach a server that listens on ``host``; "" if this machine is in no network.

    Of several addresses it is that of the default route, IPv4 first. It is looked up at each call: a laptop changes its network.
    """
    if not is_every_address(host):
        return host
    found = (_own_address(*_FAR_AWAY[version]) for version in ((4, 6) if ":" in host else (4,)))
    return next(filter(None, found), "")


def _own_address(family: AddressFamily, far_away: str) -> str:
    """Return the address from which this machine would send to another one; "" if it has no way there. It sends nothing."""
    with suppress(OSError), socket(family, SOCK_DGRAM) as probe:
        probe.connect((far_away, _DISCARD))
        found = ip_address(probe.getsockname()[0])
        if not (found.is_loopback or found.is_link_local or found.is_unspecified):
            return str(found)
    return ""
