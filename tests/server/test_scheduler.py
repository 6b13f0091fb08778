"""Jobs: done at their time, once, and again after a failure."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest

from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.hall.upkeep import housekeeping, scheduler as scheduler_module
from meadhall.server.hall.upkeep.scheduler import Scheduler
from meadhall.server.ops.time import Time
from meadhall.server.settings import Retention, Settings
from meadhall.server.store import jobs, uptime
from meadhall.server.store.database import Db
from meadhall.server.store.jobs import Job, JobTaken
from meadhall.server.store.store import Store
from meadhall.server.store.tables import RequestKey
from server.people import HOARD
from server.rows import stored_jobs, table_of
from server.waiting import until

pytestmark = pytest.mark.asyncio


class Clerk:
    """A hall without tables: its store, its scheduler, and the jobs that it has done."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.scheduler = Scheduler(store)
        self.done: list[Job] = []
        self.scheduler.register("note", self.note)
        self._tasks: list[asyncio.Task[None]] = []

    async def note(self, job: Job) -> None:
        self.scheduler.finish(job, count)
        self.done.append(job)

    def put(self, kind: str, key: str, due_at: datetime, payload: dict[str, Any] | None = None) -> None:
        self.store.transact(jobs.put, kind, key, due_at, payload)
        self.scheduler.wake()

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self.scheduler.run())]

    async def die(self) -> None:
        """Stop without a trace, like a process that is killed."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def count(db: Db) -> int:
    """Raise a counter: the effect of a job."""
    return uptime.count_start(db)


@asynccontextmanager
async def clerk(settings: Settings, start: bool = True) -> AsyncIterator[Clerk]:
    async with Store.open(settings) as store:
        opened = Clerk(store)
        if start:
            opened.start()
        try:
            yield opened
        finally:
            await opened.die()


def waiting(store: Store) -> list[Any]:
    return stored_jobs(store)


def soon(seconds: float = 0.0) -> datetime:
    return Time().now() + timedelta(seconds=seconds)


# -------------------------------------------------------------------------------------------------------------- at their time


async def test_a_job_is_done_at_its_time_with_its_payload(on_sqlite: Settings) -> None:
    async with clerk(on_sqlite) as ada:
        due = soon(0.3)
        ada.put("note", "later", due, {"seat": 2})
        ada.put("note", "now", soon(), {"seat": 1})
        await until(lambda: ada.done)
        assert [(job.key, job.payload) for job in ada.done] == [("now", {"seat": 1})]
        await until(lambda: len(ada.done) == 2)
        assert Time().now() >= due
        assert (ada.done[1].kind, ada.done[1].key, ada.done[1].payload) == ("note", "later", {"seat": 2})
        assert waiting(ada.store) == []


class Hasty(Time):
    """A time that passes while it is read: each look at the date takes 100 ms."""

    read = 0

    def now(self) -> datetime:
        self.read += 1
        return super().now() + timedelta(milliseconds=100 * self.read)


@pytest.mark.parametrize("milliseconds", range(50, 450, 100))
async def test_a_job_that_falls_due_while_the_scheduler_looks_is_not_forgotten(settings: Settings, milliseconds: int) -> None:
    async with Store.open(settings, Hasty()) as store:
        ada = Clerk(store)
        store.transact(jobs.put, "note", "soon", store.time.now() + timedelta(milliseconds=milliseconds))
        ada.start()
        async with asyncio.timeout(10):
            await until(lambda: ada.done)
        await ada.die()


async def test_a_job_waits_over_a_restart(on_sqlite: Settings) -> None:
    async with clerk(on_sqlite, start=False) as ada:
        ada.put("note", "x", soon())
        assert not ada.done
    async with clerk(on_sqlite) as ada:
        await until(lambda: ada.done)


async def test_a_job_is_moved_by_its_kind_and_key_and_cancelled(on_sqlite: Settings) -> None:
    async with clerk(on_sqlite) as ada:
        ada.put("note", "x", soon(3600), {"n": 1})
        ada.put("note", "y", soon(3600))
        ada.scheduler.add("note", "x", soon(), {"n": 2})
        assert [row.payload for row in waiting(ada.store) if row.key == "x"] == [{"n": 1}], "it exists already"
        ada.put("note", "x", soon(), {"n": 3})
        await until(lambda: ada.done)
        assert ada.done[0].payload == {"n": 3}
        ada.store.transact(jobs.cancel, "note", "y")
        assert waiting(ada.store) == []


async def test_a_job_that_is_moved_while_it_is_done_has_no_effect(on_sqlite: Settings) -> None:
    async with clerk(on_sqlite) as ada:
        started, go = asyncio.Event(), asyncio.Event()
        outcomes: list[str] = []

        async def slow(job: Job) -> None:
            if job.payload.get("moved"):
                await ada.note(job)
                return
            started.set()
            await go.wait()
            try:
                ada.scheduler.finish(job, count)
            except JobTaken:
                outcomes.append("taken")
                raise

        ada.scheduler.register("slow", slow)
        before = ada.store.transact(count)
        ada.put("slow", "x", soon())
        await started.wait()
        ada.put("slow", "x", soon(0.2), {"moved": True})
        go.set()
        await until(lambda: ada.done)
        assert outcomes == ["taken"]
        assert ada.store.transact(count) == before + 2, "of the two versions of the job, one had an effect"


async def test_a_job_that_fails_is_tried_again_after_growing_pauses(
    on_sqlite: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(scheduler_module, "_FIRST_PAUSE", 0.05)
    attempts: list[tuple[float, int]] = []
    async with clerk(on_sqlite) as ada:

        async def fail(job: Job) -> None:
            attempts.append((time.monotonic(), job.attempts))
            if len(attempts) == 3:
                raise DatabaseUnavailable("It doesn't answer.")
            if len(attempts) < 4:
                raise ValueError("not yet")

        ada.scheduler.register("failing", fail)
        ada.put("failing", "x", soon())
        await until(lambda: len(attempts) == 4)
        await until(lambda: not ada.scheduler.running)
        assert waiting(ada.store) == [], "a handler that returns has finished the job"
    assert [number for _, number in attempts] == [0, 1, 2, 3]
    pauses = [later - earlier for (earlier, _), (later, _) in itertools.pairwise(attempts)]
    assert all(pause >= least for pause, least in zip(pauses, (0.05, 0.1, 0.2), strict=True))
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "job failing x failed at attempt 1",
        "job failing x failed at attempt 2",
    ]


async def test_a_job_of_an_unknown_kind_is_left_to_a_newer_process(on_sqlite: Settings) -> None:
    async with clerk(on_sqlite) as ada:
        ada.put("chess-clock", "x", soon())
        ada.put("note", "x", soon(0.05))
        await until(lambda: ada.done)
        assert [row.kind for row in waiting(ada.store)] == ["chess-clock"]


async def test_more_jobs_than_are_done_at_the_same_time(on_sqlite: Settings) -> None:
    async with clerk(on_sqlite) as ada:
        for k in range(50):
            ada.put("note", str(k), soon())
        await until(lambda: len(ada.done) == 50)
        assert len({job.key for job in ada.done}) == 50


async def test_a_waiting_job_costs_nothing(on_sqlite: Settings) -> None:
    """Nothing looks at the jobs before the first is due. What a look costs: see ``test_waiting_clocks.py``."""
    async with clerk(on_sqlite) as ada:
        ada.put("note", "later", soon(3600))
        looks: list[object] = []
        start = ada.scheduler._start_due_jobs

        def counted() -> float:
            looks.append(None)
            return start()

        ada.scheduler._start_due_jobs = counted  # type: ignore[method-assign]
        ada.scheduler.wake()
        await until(lambda: ada.scheduler._next_look > 0)
        assert len(looks) == 1
        assert ada.scheduler._next_look > ada.store.time.seconds() + 30, "it doesn't look again before"
        ada.put("note", "first", soon())
        await until(lambda: ada.done)


# ------------------------------------------------------------------------------------------------------------- housekeeping


async def test_once_an_hour_outdated_rows_are_deleted(on_sqlite: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "_INTERVAL", timedelta(seconds=0.2))
    async with clerk(on_sqlite) as ada:
        old, new = Time().now() - timedelta(days=2), Time().now()
        for key in ("old", "new"):
            ada.store.add_table(table_of("ada", game=HOARD), RequestKey(key, "f" * 64))
        ada.store.transact(lambda db: db.run("UPDATE idempotency_keys SET created_at = ? WHERE key = 'old'", old))
        ada.store.secret("guests")
        ada.store.rotate_secret("guests", new + timedelta(days=1))
        ada.store.rotate_secret("guests", new - timedelta(days=1))
        deleted: list[datetime] = []
        finish = ada.scheduler.finish

        def noted(job: Job, again_at: datetime) -> None:
            finish(job, again_at=again_at)
            deleted.append(again_at)

        monkeypatch.setattr(ada.scheduler, "finish", noted)
        housekeeping.delete_hourly(ada.scheduler, ada.store, Retention(), set)

        def left(db: Db) -> list[Any]:
            return [db.values("SELECT key FROM idempotency_keys"), db.values("SELECT id FROM retired_secrets")]

        await until(lambda: len(deleted) == 2)
        kept, secrets = ada.store.transact(left)
        assert kept == ["new"]
        assert len(secrets) == 1
        assert [row.kind for row in waiting(ada.store)] == ["housekeeping"]
