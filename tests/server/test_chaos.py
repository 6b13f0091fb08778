"""A short run of faults under load. The long one is a command: see tests/chaos."""

from __future__ import annotations

import pytest

from chaos.run import run

DRIVER_SECONDS = 5.0
"""Seconds within which another process drives a table whose driver has died."""

BOT_SECONDS = 7.0
"""Seconds that a restarted worker and a bot may take on a busy machine."""


@pytest.mark.asyncio
async def test_nothing_acknowledged_is_lost_while_processes_die() -> None:
    report = await run(["web", "bots", "postgresql", "web", "cut", "pool", "supervisor", "web"], pause=3.0, cut_seconds=4.0)
    assert report.found == []
    assert report.acknowledged > 0
    assert report.longest_wait < DRIVER_SECONDS + BOT_SECONDS
