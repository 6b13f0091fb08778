"""Threads of bots have a lower priority than their process, whatever its priority."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import os
from meadhall.bots.search import background
for more, behind in ((0, 10), (3, 10), (12, 10), (4, 19)):
    os.nice(more)
    own = os.getpriority(os.PRIO_PROCESS, 0)
    thread = background(f"test {own}", behind).submit(os.getpriority, os.PRIO_PROCESS, 0).result()
    assert thread == max(behind, own), (own, behind, thread)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="on other systems threads share the priority of their process")
def test_a_background_thread_never_has_a_higher_priority_than_its_process() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)
