"""The threads in which bots think are less urgent than those that serve people, however urgent those are."""

from __future__ import annotations

import subprocess
import sys

import pytest

TELL = """
import os
from meadhall.bots.threads import background
os.nice({more})
print(os.getpriority(os.PRIO_PROCESS, 0))
print(background("test", {behind}).submit(os.getpriority, os.PRIO_PROCESS, 0).result())
"""


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread is as urgent as its process")
@pytest.mark.parametrize(("more", "behind"), [(0, 10), (3, 10), (15, 10), (19, 19)])
def test_a_thread_is_never_more_urgent_than_its_process(more: int, behind: int) -> None:
    told = subprocess.run(
        [sys.executable, "-c", TELL.format(more=more, behind=behind)], capture_output=True, text=True, check=True
    )
    own, thread = map(int, told.stdout.split())
    assert thread == max(behind, own)
