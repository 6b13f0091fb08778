"""Jobs at tables wait until the game of a table is ready, and end if the table can't be opened any more."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

import pytest
from sqlalchemy import func, select

from meadhall.server.hall import consent, table_jobs
from meadhall.server.hall.uptime import CLOCK_JOB
from meadhall.server.ops.time import Time
from meadhall.server.store import schema
from meadhall.server.store.queries import jobs
from server.people import HOARD, PATIENCE, OpenHall
from server.ready import ReadyAtOnce
from server.rows import table_of

pytestmark = pytest.mark.asyncio

KINDS = (CLOCK_JOB, consent.JOB, "quick-match-start")


async def put(hall: OpenHall, kind: str, table: str) -> None:
    await hall.store.transact(partial(jobs.put, kind=kind, key=table, due_at=Time().now(), payload={"proposal": 1}))
    hall.hall.scheduler.wake()


async def waiting(hall: OpenHall, table: str) -> int:
    query = select(func.count()).where(schema.jobs.c.key == table)
    return int(await hall.store.transact(lambda connection: connection.execute(query).scalar_one()))


async def until_done(hall: OpenHall, table: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while await waiting(hall, table):  # noqa: ASYNC110 - the scheduler ends it
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_job_ends_at_a_table_that_cannot_be_opened_any_more(
    hall: OpenHall, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    removed = table_of("a1", game="a-game-that-was-removed", status="running")
    await hall.store.add_table(removed)
    with caplog.at_level(logging.WARNING):
        for table in (removed.id, "no-such-table"):
            await put(hall, kind, table)
            await until_done(hall, table)
    assert "failed" not in caplog.text


@pytest.mark.parametrize("kind", KINDS)
async def test_a_job_waits_until_its_game_is_ready(
    hall: OpenHall, kind: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_jobs, "_READY_PAUSE", table_jobs._READY_PAUSE / 50)
    table = table_of("a1", game=HOARD, seats=table_of("a1").seats[:2])
    await hall.store.add_table(table)
    ready = hall.hall.ready
    assert isinstance(ready, ReadyAtOnce)
    ready.delayed.add(HOARD)
    with caplog.at_level(logging.WARNING):
        await put(hall, kind, table.id)
        await asyncio.sleep(0.3)
        assert await waiting(hall, table.id) == 1
        ready.delayed.clear()
        await until_done(hall, table.id)
    assert "failed" not in caplog.text
