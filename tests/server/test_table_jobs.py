"""Jobs at tables wait until the game of a table is ready, and end if the table can't be opened any more."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial

import pytest

from meadhall.engine.registry import game
from meadhall.server.hall import consent, waits
from meadhall.server.hall.uptime import CLOCK_JOB
from meadhall.server.store import jobs, matches
from meadhall.server.store.models import Entry
from server.people import HOARD, OpenHall
from server.ready import ReadyAtOnce
from server.rows import stored_jobs, table_of
from server.waiting import until

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("time")]


KINDS = (CLOCK_JOB, consent.JOB, waits.JOB)

PAYLOAD = {"proposal": 1, "seconds": None, "until": None, "bot": "karl", "looks": 9}


def put(hall: OpenHall, kind: str, table: str) -> None:
    hall.store.transact(partial(jobs.put, kind=kind, key=table, due_at=hall.time.now(), payload=PAYLOAD))
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


async def test_a_job_is_tried_again_at_a_match_that_does_not_fit_changed_rules(
    hall: OpenHall, caplog: pytest.LogCaptureFixture
) -> None:
    table = replace(table_of("a1", game=HOARD, status="running"), rules=game(HOARD).version, started_at=hall.time.now())
    hall.store.add_table(table)
    with hall.store.change() as connection:
        matches.append(connection, table.id, (Entry(1, "action", 0, 9999, None, hall.time.now()),))
    with caplog.at_level(logging.WARNING):
        put(hall, CLOCK_JOB, table.id)
        await until(lambda: "failed at attempt 1" in caplog.text)
    assert waiting(hall, table.id) == 1


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
