"""Threads for thinking, beside those that serve people."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

from meadhall.engine.cores import cores


@cache
def background(name: str, behind: int) -> ThreadPoolExecutor:
    """The threads of that name, for all matches of this process: as many as there are cores to use.

    Args:
        behind: how much less urgent they are than others (as ``nice`` counts), where the system can tell threads apart.
    """
    return ThreadPoolExecutor(cores(), name, partial(_step_back, behind))


def _step_back(behind: int) -> None:
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), behind)
