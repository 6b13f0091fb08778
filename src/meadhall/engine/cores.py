"""How many cores there are to work on."""

from __future__ import annotations

import os


def cores() -> int:
    """The cores that this process may use: fewer than the machine has, if whoever began it said so (``taskset``, a container)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def leave_a_core() -> None:
    """Use one core less from now on, if there is more than one and the system can tell them apart."""
    if hasattr(os, "sched_setaffinity"):
        mine = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, mine[1:] or mine)
