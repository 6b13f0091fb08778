"""Thread pools for background work, at a lower priority than the threads that serve requests."""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial

from meadhall.engine.compute.cores import cores


@cache
def background(name: str, niceness: int) -> ThreadPoolExecutor:
    """Return the process's thread pool of that name, with one thread per core.

    Args:
        name: the name of the pool and of its threads.
        niceness: the nice value of the threads, where the system has one per thread (Linux). It is never below the process's.
    """
    return ThreadPoolExecutor(cores(), name, partial(_lower_priority, niceness))


def _lower_priority(niceness: int) -> None:
    if sys.platform == "linux":  # only Linux has a nice value per thread
        current = os.getpriority(os.PRIO_PROCESS, 0)
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), max(niceness, current))
