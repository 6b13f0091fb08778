"""The benchmarks whose results others compare."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DRAWING = Path(__file__).parent.parent / "benchmarks" / "drawing.py"


@pytest.mark.slow("starts two processes with a hall")
def test_two_processes_of_the_drawing_benchmark_draw_the_same_texts() -> None:
    checkout = str(DRAWING.parents[1])
    command = [sys.executable, str(DRAWING), checkout, checkout, "--games", "axes-and-allies", "--moves", "4", "--rounds", "1"]
    digests = re.findall(r"texts (\w+)", subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert len(digests) == 2
    assert len(set(digests)) == 1
