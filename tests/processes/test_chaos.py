"""A short run of faults under load. The long one is a command: see tests/chaos."""

from __future__ import annotations

import pytest

from chaos.run import run


@pytest.mark.long
@pytest.mark.asyncio
async def test_nothing_acknowledged_is_lost_while_the_hall_is_killed_and_can_not_write() -> None:
    report = await run(["hall", "bots", "lock", "hall", "full", "hall"], pause=3.0, hold=7.0)
    assert report.found == []
    assert report.acknowledged > 0
