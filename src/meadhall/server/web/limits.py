"""What one client may do: requests in a minute, new guests and records in an hour, and open streams."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil, inf
from pathlib import Path
from typing import Final

from cachetools import TTLCache
from litestar import Litestar
from litestar.routes import ASGIRoute
from litestar.types.internal_types import PathParameterDefinition

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import TooMany
from meadhall.server.ops.logs import OncePerInterval
from meadhall.server.store.models import Guest
from meadhall.server.web.request import AnyRequest, client_address

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

_MINUTE: Final = 60.0
_HOUR: Final = 3600.0

PER_GUEST: Final = 50
"""Number of streams that a guest may keep open. A club behind one router has many guests, so its address may have more."""


class RequestLimit:
    """Counts requests by client address. A minute begins with the first request of the address.

    Args:
        per_minute: requests of one address in a minute.
        seconds: returns the seconds of a monotonic clock.
    """

    def __init__(self, per_minute: int, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._per_minute = per_minute
        self._minutes: dict[str, tuple[float, int]] = {}  # by address: when its minute ends, and the requests in it

    def __len__(self) -> int:
        """Return the number of addresses whose requests are remembered."""
        return len(self._minutes)

    def count(self, address: str) -> tuple[int, float]:
        """Count a request. Return how many more the address may send (-1: not even this one), and for how many seconds."""
        now = self._seconds()
        end, counted = self._minutes.get(address, (0.0, 0))
        if end <= now:
            end, counted = now + _MINUTE, 0
        left = self._per_minute - counted - 1
        if left >= 0:
            self._minutes[address] = end, counted + 1
        return left, end - now

    def forget_expired(self) -> None:
        """Forget the addresses whose minute is over: one that never comes back would be remembered forever."""
        now = self._seconds()
        self._minutes = {address: minute for address, minute in self._minutes.items() if minute[0] > now}

    def headers(self, left: int, seconds: float) -> dict[str, str]:
        """Return the headers that tell a client how many requests are left."""
        return {
            "ratelimit-policy": f"{self._per_minute}; w={_MINUTE:.0f}",
            "ratelimit-limit": str(self._per_minute),
            "ratelimit-remaining": str(max(0, left)),
            "ratelimit-reset": str(ceil(seconds)),
        }


class GuestLimit:
    """Counts what a client address leaves in the hall without an account: its new guests, who cost nothing, and uploaded records.

    Without it, a limit for a guest alone would limit no one.

    Args:
        most: returns how many guests and records one address may bring in an hour.
        seconds: returns the seconds of a monotonic clock.
    """

    def __init__(self, most: Callable[[], float], seconds: Callable[[], float]) -> None:
        self._most = most
        self._guests: TTLCache[str, set[str], float] = TTLCache(inf, _HOUR, seconds)  # the new guests of an hour, by address

    def count(self, address: str, new: str) -> None:
        """Count a guest or a record that is about to be stored, by its id. Raises TooMany."""
        guests = self._guests.setdefault(address, set())
        if new not in guests and len(guests) >= self._most():
            raise TooMany(_("Too many new guests and records have come from your network. Try again in an hour."))
        guests.add(new)


def unlimited_paths(app: Litestar) -> re.Pattern[str]:
    """Return the paths of the routes that are marked as ``unlimited``. Streams have a separate limit."""
    parts = []
    for route in app.routes:
        handlers = [route.route_handler] if isinstance(route, ASGIRoute) else route.route_handlers  # type: ignore[union-attr]
        if any(handler.opt.get("unlimited") for handler in handlers):
            parts.append(
                "".join("/" + (re.escape(part) if isinstance(part, str) else _value(part)) for part in route.path_components)
            )
    return re.compile("|".join(parts))


def _value(parameter: PathParameterDefinition) -> str:
    """Return the pattern of a path parameter; only a file name may contain slashes."""
    return ".+" if parameter.type is Path else "[^/]+"


class StreamLimit:
    """Counts open streams by guest and by client address.

    Args:
        per_address: number of streams that one address may keep open.
        per_guest: number of these that one guest may keep open.
    """

    def __init__(self, per_address: int, per_guest: int = PER_GUEST) -> None:
        self._per_address = per_address
        self._per_guest = per_guest
        self._open: Counter[str] = Counter()  # by address
        self._of_guests: Counter[str] = Counter()  # by id

    @property
    def total(self) -> int:
        """Number of all open streams."""
        return self._open.total()

    def check(self, request: AnyRequest, guest: Guest | None = None) -> None:
        """Raise TooMany if the guest or the address has as many streams open as they may."""
        address = client_address(request)
        if self._open[address] >= self._per_address:
            log.warning("a stream of %s was refused: it has %d open (MEADHALL_STREAMS_PER_CLIENT)", address, self._per_address)
            raise TooMany(_("Too many pages are open from your address. Close some of them."))
        if guest is not None and self._of_guests[guest.id] >= self._per_guest:
            log.warning("a stream of %s was refused: its guest has %d open", address, self._per_guest)
            raise TooMany(_("You have too many pages open. Close some of them."))

    @contextmanager
    def count(self, request: AnyRequest, guest: Guest | None = None) -> Iterator[None]:
        """Count one stream until the block ends."""
        counted = [(self._open, client_address(request))] + ([] if guest is None else [(self._of_guests, guest.id)])
        for counter, key in counted:
            counter[key] += 1
        try:
            yield
        finally:
            for counter, key in counted:
                counter[key] -= 1
                if not counter[key]:
                    del counter[key]
