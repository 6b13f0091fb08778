"""Ports for the servers that tests start: free, and nobody else's before the server listens there."""

from __future__ import annotations

import os
import socket
from itertools import count, islice

_FIRST, _COUNT = 12_000, 18_000
"""Below those that systems hand out by themselves: there, somebody's outgoing connection might take one at any moment."""

_TURNS = count(37 * os.getpid())
"""Each process begins elsewhere, and never looks at the same port twice."""


def free_port() -> int:
    """A port on loopback that nobody listens on."""
    for turn in islice(_TURNS, _COUNT):
        port = _FIRST + turn % _COUNT
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do: one that was killed leaves traces
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")
