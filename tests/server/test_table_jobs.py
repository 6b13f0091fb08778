"""Jobs at tables wait until the game of a table is ready, and end if the table can't be opened any more."""

from __future__ import annotations

import logging
from functools import partial

import pytest

from meadhall.server.hall.consent import consent
from meadhall.server.hall.time.uptime import CLOCK_JOB
from meadhall.server.store import jobs
from server.people import HOARD, OpenHall
from server.ready import ReadyAtOnce
from server.rows import stored_jobs, table_of
from server.waiting import until

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("time")]


KINDS = (CLOCK_JOB, consent.JOB, "quick-match-start")


def put(hall: OpenHall, kind: str, table: str) -> None:
    hall.store.transact(partial(jobs.put, kind=kind, key=table, due_at=hall.time.now(), payload={"proposal": 1}))
    hall.hall.scheduler.wake()


def waiting(hall: OpenHall, table: str) -> int:
    return len(stored_jobs(hall.store, key=table))


async def until_done(hall: OpenHall, table: str) -> None:
    await until(lambda: not waiting(hall, table))


@pytest.mark.parametrize("kind", KINDS)
async def test_a_job_ends_at_a_table_that_cannot_be_opened_any_more(
    hall: OpenHall, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    removed = table_of("a1", game="a-game-that-was-removed", status="running")
    hall.store.add_table(removed)
    with caplog.at_level(logging.WARNING):
        for table in (removed.id, "no-such-table"):
            put(hall, kind, table)
            await until_done(hall, table)
    assert "failed" not in caplog.text


@pytest.mark.parametrize("kind", KINDS)
async def test_a_job_waits_until_its_game_is_ready(hall: OpenHall, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    table = table_of("a1", game=HOARD, seats=table_of("a1").seats[:2])
    hall.store.add_table(table)
    ready = hall.hall.ready
    assert isinstance(ready, ReadyAtOnce)
    ready.delayed.add(HOARD)
    with caplog.at_level(logging.WARNING):
        put(hall, kind, table.id)
        await hall.time.advance(60)
        assert waiting(hall, table.id) == 1
        ready.delayed.discard(HOARD)
        await hall.time.advance(5)
        await until_done(hall, table.id)
    assert "failed" not in caplog.text
