"""The tour of the library (``docs/library/tour.ipynb``) runs from its first cell to its last."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOUR = Path(__file__).parent.parent / "docs" / "library" / "tour.ipynb"

EXECUTE = """
import sys
import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=None, km=AsyncKernelManager(kernel_name="python3", transport="ipc")).execute()
nbformat.write(notebook, sys.argv[2])
"""


def code_cells(notebook: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]


@pytest.mark.compiled
def test_the_tour_runs_and_its_policy_learns(tmp_path: Path) -> None:
    executed = tmp_path / "tour.ipynb"
    command = [sys.executable, "-c", EXECUTE, str(TOUR), str(executed)]
    not_measured = {**os.environ, "COVERAGE_PROCESS_CONFIG": ""}
    done = subprocess.run(command, env=not_measured, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = ["".join(output["text"]) for cell in code_cells(executed) for output in cell["outputs"] if "text" in output]
    (learned,) = [text for text in printed if "win rate" in text]
    first, last = (int(word.rstrip("%")) for word in learned.split() if word.endswith("%"))
    assert last > first + 5


def test_the_tour_is_stored_without_outputs() -> None:
    assert not [cell for cell in code_cells(TOUR) if cell["outputs"] or cell["execution_count"]]
