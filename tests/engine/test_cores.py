"""How many cores there are to work on, seen in processes of their own: it is the process that is told which it may use."""

from __future__ import annotations

import os
import subprocess
import sys

_TOLD = """
import os
from meadhall.engine.cores import cores, leave_a_core
print(cores())
leave_a_core()
print(cores())
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
leave_a_core()
print(cores())
"""


def test_only_the_cores_that_it_may_use_are_counted_and_one_can_be_left() -> None:
    told = subprocess.run([sys.executable, "-c", _TOLD], capture_output=True, text=True, check=True).stdout
    mine = len(os.sched_getaffinity(0))
    assert [int(line) for line in told.split()] == [mine, max(mine - 1, 1), 1]
