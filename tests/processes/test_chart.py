"""Charts whose worker is killed."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

import meadhall
from meadhall.engine.match import Match
from meadhall.server.hall.chart_queue import ChartQueue
from meadhall.server.ops.time import Time
from meadhall.server.worker.remote import WorkerProcess
from server.people import HOARD, PATIENCE


def a_match(seed: str = "charted", game: str = HOARD) -> Match:
    match = meadhall.game(game).match(players=2, seed=seed)
    while not match.over:
        match.play(match.legal()[0])
    return match


async def finished(charts: ChartQueue) -> None:
    """Wait until the queue is empty."""
    assert charts._working is not None
    await asyncio.wait_for(charts._working, PATIENCE)


async def test_a_chart_is_repeated_after_the_worker_was_killed(caplog: pytest.LogCaptureFixture) -> None:
    worker, begun = WorkerProcess(), asyncio.Event()
    charts = ChartQueue(worker, Time())

    def has_subscribers() -> bool:
        if job.progress > 0:
            begun.set()
        return True

    job = charts.request("a", a_match(game="viking-axes"), has_subscribers=has_subscribers)
    await asyncio.wait_for(begun.wait(), PATIENCE)
    assert worker.process_id is not None
    os.kill(worker.process_id, signal.SIGKILL)
    await finished(charts)
    await worker.close()
    assert job.has_lost_worker
    assert job.analysis is not None
    assert "the worker process ended during a chart" in caplog.text
