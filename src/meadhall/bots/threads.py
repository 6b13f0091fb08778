"""Threads for thinking, beside those that serve people."""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial

from meadhall.engine.cores import cores


@cache
def background(name: str, behind: int) -> ThreadPoolExecutor:
    """The threads of that name, for all matches of this process: as many as there are cores to use.

    Args:
        behind: how much less urgent than usual they are (as ``nice`` counts), where the system can tell threads apart. Where
            the process is so already or even less urgent, they are as it is.
    """
    return ThreadPoolExecutor(cores(), name, partial(_step_back, behind))


def _step_back(behind: int) -> None:
    if sys.platform == "linux":  # elsewhere a thread is no process to the system
        own = os.getpriority(os.PRIO_PROCESS, 0)
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), max(behind, own))
