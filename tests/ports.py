"""Free ports for the servers that tests start, which no other process takes before the server listens."""

from __future__ import annotations

import os
import socket
from itertools import count, islice

_FIRST, _COUNT = 12_000, 18_000
"""Below the ephemeral ports, which an outgoing connection of another process may take at any time."""

_NUMBERS = count(37 * os.getpid())
"""Each process begins at another number and never tries the same port twice."""


def free_port() -> int:
    """Return a free port on loopback."""
    for number in islice(_NUMBERS, _COUNT):
        port = _FIRST + number % _COUNT
        with socket.socket() as probe:
            # as servers do, because a killed server leaves connections in TIME_WAIT
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")
