"""Downtimes: found after a restart and after the hall was frozen."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import pytest

from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.hall.clocks import COME_BACK
from meadhall.server.hall.uptime import CLOCK_JOB, GAP, INTERVAL, Uptime
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import jobs
from meadhall.server.store.models import Clock
from meadhall.server.store.store import Store
from server.manual_time import ManualTime
from server.rows import stored_jobs, table_of

pytestmark = pytest.mark.asyncio

HOUR = timedelta(hours=1)
SOON = timedelta(seconds=5)
MILLISECONDS = timedelta(milliseconds=2)


@asynccontextmanager
async def start(settings: Settings, time: Time | None = None) -> AsyncIterator[tuple[Store, Uptime]]:
    """Start a process of a hall without tables."""
    async with Store.open(settings, time) as store:
        known = Uptime(store)
        known.begin()
        yield store, known


def wait_for_a_clock(store: Store, due_at: datetime) -> None:
    store.add_table(table_of("a1", status="running", clock=Clock("decision", 60)))
    store.transact(jobs.put, CLOCK_JOB, "a table", due_at)


def due_at(store: Store) -> datetime:
    (job,) = stored_jobs(store)
    return job.due_at


def note_alive(store: Store, at: datetime) -> None:
    """Note that the hall was alive last at this time."""

    store.transact(lambda db: db.run("INSERT OR REPLACE INTO pulse (id, alive_at) VALUES (1, ?)", at))


async def test_the_first_start_of_a_hall_ends_no_downtime(on_sqlite: Settings) -> None:
    async with start(on_sqlite) as (_, known):
        assert known.outages == ()


async def test_a_restart_ends_a_downtime_and_the_jobs_of_clocks_wait_longer(on_sqlite: Settings) -> None:
    async with start(on_sqlite) as (store, _):
        before = Time().now() - HOUR
        note_alive(store, before)
        due = Time().now() + SOON
        wait_for_a_clock(store, due)
    async with start(on_sqlite) as (store, known):
        ((began, ended),) = known.outages
        assert began == before
        assert abs(ended - COME_BACK - Time().now()) < SOON
        later = due_at(store)
        assert abs(later - due - HOUR) < SOON
        assert later <= due + (ended - COME_BACK - began) + MILLISECONDS, "never later than the deadline"
    async with start(on_sqlite) as (_, known):
        assert known.outages[0][0] == before, "it is known after the next restart, too"


async def test_jobs_that_were_due_before_a_downtime_are_not_moved(on_sqlite: Settings) -> None:
    async with start(on_sqlite) as (store, _):
        note_alive(store, Time().now() - HOUR)
        due = Time().now() - 2 * HOUR
        wait_for_a_clock(store, due)
    async with start(on_sqlite) as (store, _):
        assert due_at(store) == due


async def test_without_a_waiting_clock_a_hall_on_sqlite_stores_nothing(settings: Settings) -> None:
    async with start(settings) as (store, known):
        known.beat()
        assert store.transact(lambda db: db.rows("SELECT * FROM pulse")) == []
    async with start(settings) as (_, known):
        assert known.outages == ()


async def test_a_frozen_process_finds_the_downtime_when_it_goes_on(on_sqlite: Settings) -> None:
    changes: list[int] = []
    async with start(on_sqlite) as (store, known):
        known.on_change = lambda: changes.append(len(known.outages))
        wait_for_a_clock(store, Time().now() + SOON)
        known.beat()
        assert changes == []
        frozen = Time().now() - 2 * GAP
        known._seen_at = frozen
        note_alive(store, frozen)
        known.beat()
        assert changes == [1]
        assert known.outages[0][0] == frozen
        known.beat()
        assert changes == [1]


async def test_a_lock_of_another_program_is_logged_as_such(on_sqlite: Settings, caplog: pytest.LogCaptureFixture) -> None:
    """No move could be stored, so no clock ran; but the hall ran."""
    caplog.set_level(logging.INFO)
    time = ManualTime()
    async with start(on_sqlite, time) as (store, known):
        wait_for_a_clock(store, time.now() + HOUR)
        known.beat()
        with sqlite3.connect(on_sqlite.data / "meadhall.db", isolation_level=None) as other:
            other.execute("BEGIN EXCLUSIVE")
            for _ in range(4):
                await time.advance(INTERVAL)
                with pytest.raises(DatabaseUnavailable):
                    known.beat()
            other.execute("ROLLBACK")
        other.close()
        known.beat()
        ((began, ended),) = known.outages
        assert ended - COME_BACK - began == timedelta(seconds=4 * INTERVAL)
        assert "the database did not answer for 20.0 s" in caplog.text
        assert "the hall did not run" not in caplog.text
        await time.advance(60.0)
        known.beat()
        assert "the hall did not run for 60.0 s" in caplog.text, "it was frozen"


async def test_a_clock_that_nobody_waited_for_before_makes_no_downtime(settings: Settings) -> None:
    async with start(settings) as (store, known):
        note_alive(store, Time().now() - HOUR)
        wait_for_a_clock(store, Time().now() + SOON)
        known.beat()
        assert known.outages == (), "this process has run all the time"


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
async def test_a_clock_of_the_machine_that_is_set_is_no_downtime_and_is_logged_once(
    on_sqlite: Settings, time: ManualTime, jump: timedelta, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with start(on_sqlite, time) as (store, known):
        wait_for_a_clock(store, time.now() + 2 * HOUR)
        known.beat()
        before = time.now()
        time.jump(jump.total_seconds())
        for _ in range(3):
            known.beat()
        assert time.now() == before, "clocks go on"
        assert known.outages == ()
        (line,) = [record.getMessage() for record in caplog.records if record.name == "meadhall.server.hall.uptime"]
        assert f"was set {'back' if jump < timedelta(0) else 'forward'} by 3600.0 s" in line
        time.jump(-jump.total_seconds())
        known.beat()
        assert known.outages == ()
        assert "did not run" not in caplog.text


async def test_after_a_restart_the_time_of_the_hall_does_not_go_back(on_sqlite: Settings, time: ManualTime) -> None:
    async with start(on_sqlite, time) as (store, known):
        wait_for_a_clock(store, time.now() + 2 * HOUR)
        known.beat()
        before = time.now()
    time.jump(-HOUR.total_seconds())
    time.shift(-time.ahead())  # as a new process finds it
    async with start(on_sqlite, time) as (_, known):
        assert time.now() == before
        assert known.outages == ()


async def test_a_hall_without_clocks_follows_the_machine(settings: Settings, time: ManualTime) -> None:
    async with start(settings, time) as (_, known):
        time.jump(-HOUR.total_seconds())
        known.beat()
        assert time.ahead() == 0
