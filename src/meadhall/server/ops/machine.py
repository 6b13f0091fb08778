"""What a hall asks of its process and its machine: open files, rare pauses of the garbage collector, an address in the network.

The collector needs a millisecond for a thousand objects, and no request is answered meanwhile. Reference counting frees nearly
everything that a move allocates. The rest belongs to matches that go on: scanning it again and again found nothing and caused the
slowest responses. So young generations are small, and full collections are rare.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from socket import AF_INET, AF_INET6, SOCK_DGRAM, AddressFamily, socket
from typing import Final

if sys.platform != "win32":
    import resource

_WITHOUT_LIMIT: Final = 1 << 16

YOUNG_THRESHOLD = 1_000
"""New objects before a collection of the young generation. It takes one or two milliseconds, about once in twenty moves."""

_NEVER = 1 << 30

FULL_INTERVAL = 600.0
"""Seconds between full collections. Each move leaves about four objects for them."""

_FAR_AWAY: Final = {4: (AF_INET, "198.51.100.1"), 6: (AF_INET6, "2001:db8::1")}
"""An address of another network for each version of IP: addresses for documentation (RFC 5737, RFC 3849)."""

_DISCARD: Final = 9
"""Any port: nothing is sent to it."""


def raise_file_limit() -> int:
    """Raise the soft limit of file descriptors to the hard limit, and return it."""
    if sys.platform == "win32":  # has no such limit
        return _WITHOUT_LIMIT
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # macOS reports a hard limit that it does not grant
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return _WITHOUT_LIMIT if soft == resource.RLIM_INFINITY else soft


@asynccontextmanager
async def tuned_gc(full_interval: float = FULL_INTERVAL) -> AsyncIterator[None]:
    """Use the tuned settings inside the block, and the previous ones after it."""
    thresholds = gc.get_threshold()
    gc.set_threshold(YOUNG_THRESHOLD, _NEVER, _NEVER)
    collecting = asyncio.create_task(_collect_regularly(full_interval))
    try:
        yield
    finally:
        collecting.cancel()
        gc.set_threshold(*thresholds)
        gc.unfreeze()


def freeze_loaded_objects() -> None:
    """Exclude all existing objects from later collections: modules, rules, templates."""
    gc.collect()
    gc.freeze()


async def _collect_regularly(interval: float) -> None:
    while True:
        await asyncio.sleep(interval)
        gc.collect()


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
