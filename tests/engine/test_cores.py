"""The number of usable cores, tested in a separate process because CPU affinity belongs to a process."""

from __future__ import annotations

import os
import subprocess
import sys

_SCRIPT = """
import os
from meadhall.engine.compute.executors import cores, leave_a_core
print(cores())
leave_a_core()
print(cores())
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
leave_a_core()
print(cores())
"""


def test_only_the_cores_allowed_to_the_process_are_counted() -> None:
    printed = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True).stdout
    mine = len(os.sched_getaffinity(0))
    assert [int(line) for line in printed.split()] == [mine, max(mine - 1, 1), 1]
