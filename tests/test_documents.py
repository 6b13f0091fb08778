"""The Python in the README and the documentation runs as it is printed, with fewer games."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def python_of(page: Path) -> str:
    """Return all Python blocks of a page as one program, except files that are only included."""
    blocks = [block for block in FENCE.findall(page.read_text("utf-8")) if "--8<--" not in block]
    return re.sub(r"\bgames=[\d_]+", "games=20", "\n".join(blocks))


PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if python_of(page)]


@pytest.mark.compiled
@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "MEADHALL_INTERPRET": "1", "PYTHONPATH": str(ROOT / "examples")}
    run = subprocess.run(
        [sys.executable, "-"], input=python_of(page), env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
