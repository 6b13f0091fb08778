"""The number of files and sockets that this process may have open."""

from __future__ import annotations

import sys
from contextlib import suppress

if sys.platform != "win32":
    import resource

_WITHOUT_LIMIT = 1 << 16


def raise_file_limit() -> int:
    """Raise the soft limit of file descriptors to the hard limit, and return it."""
    if sys.platform == "win32":  # has no such limit
        return _WITHOUT_LIMIT
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # macOS reports a hard limit that it does not grant
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return _WITHOUT_LIMIT if soft == resource.RLIM_INFINITY else soft
