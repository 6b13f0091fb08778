"""A short run of faults under load. The long one is a command: see tests/chaos."""

from __future__ import annotations

import pytest

from chaos.run import run


@pytest.mark.long
@pytest.mark.asyncio
async def test_nothing_acknowledged_is_lost_while_processes_die() -> None:
    report = await run(["web", "bots", "postgresql", "web", "cut", "pool", "supervisor", "web"], pause=3.0, cut_seconds=4.0)
    assert report.found == []
    assert report.acknowledged > 0
