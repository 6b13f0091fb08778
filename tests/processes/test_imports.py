"""Modules that a hall doesn't load."""

from __future__ import annotations

import subprocess
import sys


def test_a_hall_loads_no_pydantic_and_nothing_of_development_mode() -> None:
    code = "import sys; from meadhall.server.app import build_app; build_app(1); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "meadhall.server.app" in loaded
    assert "pydantic" not in loaded, "it takes 12 MB"
    assert not [name for name in loaded if name.startswith("meadhall.server.dev")]
