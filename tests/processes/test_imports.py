"""Modules that a hall must not load."""

from __future__ import annotations

import asyncio
import sys

import pytest

pytestmark = pytest.mark.asyncio


async def test_the_hall_does_not_load_pydantic() -> None:
    code = "import sys; from meadhall.server.app import build_app; build_app(1); print('pydantic' in sys.modules)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    assert (await process.communicate())[0].strip() == b"False", "it takes 12 MB"
