"""Addresses of clients."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network


@lru_cache(maxsize=4096)
def address_group(address: str) -> str:
    """Return what counts as one client: an IPv4 address, or the /64 network of an IPv6 address (one client may use all of it)."""
    try:
        parsed = ip_address(address)
    except ValueError:  # a proxy may forward a name
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((int(parsed), 64), strict=False))
