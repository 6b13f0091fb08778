"""Threads of bots have a lower priority than their process, whatever its priority."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import os
from meadhall.bots.threads import background
os.nice({more})
print(os.getpriority(os.PRIO_PROCESS, 0))
print(background("test", {behind}).submit(os.getpriority, os.PRIO_PROCESS, 0).result())
"""


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform != "linux", reason="on other systems threads share the priority of their process")
@pytest.mark.parametrize(("more", "behind"), [(0, 10), (3, 10), (15, 10), (19, 19)])
def test_a_background_thread_never_has_a_higher_priority_than_its_process(more: int, behind: int) -> None:
    printed = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(more=more, behind=behind)], capture_output=True, text=True, check=True
    )
    own, thread = map(int, printed.stdout.split())
    assert thread == max(behind, own)
