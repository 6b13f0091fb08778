"""The number of CPU cores available to this process."""

from __future__ import annotations

import os


def cores() -> int:
    """Return the number of cores this process may use. CPU affinity (``taskset``, a container) may allow fewer than exist."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def leave_a_core() -> None:
    """Give up one core from now on, if there are several and the system supports CPU affinity."""
    if hasattr(os, "sched_setaffinity"):
        mine = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, mine[1:] or mine)
