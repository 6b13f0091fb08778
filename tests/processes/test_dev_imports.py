"""Modules that a hall loads only in development mode."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.asyncio


async def test_a_hall_without_it_never_imports_it() -> None:
    code = "import sys, meadhall.server.app as a; a.build_app(0); sys.exit(any('server.dev' in name for name in sys.modules))"
    environment = {**os.environ, "MEADHALL_INTERPRET": "1"}
    command = [sys.executable, "-c", code]
    assert (await asyncio.to_thread(subprocess.run, command, env=environment, check=False)).returncode == 0
