"""Jobs: done at their time, once over all processes, and again after a failure."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select, update

from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.hall.processes import housekeeping
from meadhall.server.hall.processes import scheduler as scheduler_module
from meadhall.server.hall.processes.leases import SharedLeases, open_leases
from meadhall.server.hall.processes.scheduler import Scheduler
from meadhall.server.ops.time import Time
from meadhall.server.settings import Retention, Settings
from meadhall.server.store import schema
from meadhall.server.store.models import Job, JobTaken, RequestKey, new_id
from meadhall.server.store.queries import counters, jobs
from meadhall.server.store.store import Store
from server.people import HOARD
from server.rows import table_of
from server.waiting import until

pytestmark = pytest.mark.asyncio


class Clerk:
    """A process of a hall without tables: its store, its scheduler, and the jobs that it has done."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.leases = open_leases(store)
        self.scheduler = Scheduler(store, self.leases)
        self.done: list[Job] = []
        self.scheduler.register("note", self.note)
        self._tasks: list[asyncio.Task[None]] = []

    async def note(self, job: Job) -> None:
        await self.scheduler.finish(job, count)
        self.done.append(job)

    def start(self) -> None:
        self.renewing = asyncio.create_task(self.leases.renew_lease())
        self._tasks = [self.renewing, asyncio.create_task(self.scheduler.run())]

    async def die(self) -> None:
        """Stop without a trace, like a process that is killed."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def count(connection: Connection) -> int:
    """Raise a counter: the effect of a job."""
    return counters.next_value(connection, "starts")


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
            await opened.leases.leave()


async def waiting(store: Store) -> list[Any]:
    def read(connection: Connection) -> list[Any]:
        return list(connection.execute(select(schema.jobs).order_by(schema.jobs.c.due_at)).all())

    return await store.transact(read)


def soon(seconds: float = 0.0) -> datetime:
    return Time().now() + timedelta(seconds=seconds)


# -------------------------------------------------------------------------------------------------------------- at their time


async def test_a_job_is_done_at_its_time_with_its_payload(on_each_database: Settings) -> None:
    async with clerk(on_each_database) as ada:
        due = soon(0.3)
        await ada.scheduler.put("note", "later", due, {"seat": 2})
        await ada.scheduler.put("note", "now", soon(), {"seat": 1})
        await until(lambda: ada.done)
        assert [(job.key, job.payload) for job in ada.done] == [("now", {"seat": 1})]
        await until(lambda: len(ada.done) == 2)
        assert Time().now() >= due
        assert (ada.done[1].kind, ada.done[1].key, ada.done[1].payload) == ("note", "later", {"seat": 2})
        assert await waiting(ada.store) == []


async def test_a_job_waits_over_a_restart(on_sqlite: Settings) -> None:
    async with clerk(on_sqlite, start=False) as ada:
        await ada.scheduler.put("note", "x", soon())
        assert not ada.done
    async with clerk(on_sqlite) as ada:
        await until(lambda: ada.done)


async def test_a_job_is_moved_by_its_kind_and_key_and_cancelled(on_each_database: Settings) -> None:
    async with clerk(on_each_database) as ada:
        await ada.scheduler.put("note", "x", soon(3600), {"n": 1})
        await ada.scheduler.put("note", "y", soon(3600))
        await ada.scheduler.add("note", "x", soon(), {"n": 2})
        assert [row.payload for row in await waiting(ada.store) if row.key == "x"] == [{"n": 1}], "it exists already"
        await ada.scheduler.put("note", "x", soon(), {"n": 3})
        await until(lambda: ada.done)
        assert ada.done[0].payload == {"n": 3}
        await ada.scheduler.cancel("note", "y")
        assert await waiting(ada.store) == []


async def test_a_job_that_is_moved_while_it_is_done_has_no_effect(on_each_database: Settings) -> None:
    async with clerk(on_each_database) as ada:
        started, go = asyncio.Event(), asyncio.Event()
        outcomes: list[str] = []

        async def slow(job: Job) -> None:
            if job.payload.get("moved"):
                await ada.note(job)
                return
            started.set()
            await go.wait()
            try:
                await ada.scheduler.finish(job, count)
            except JobTaken:
                outcomes.append("taken")
                raise

        ada.scheduler.register("slow", slow)
        before = await ada.store.transact(count)
        await ada.scheduler.put("slow", "x", soon())
        await started.wait()
        await ada.scheduler.put("slow", "x", soon(0.2), {"moved": True})
        go.set()
        await until(lambda: ada.done)
        assert outcomes == ["taken"]
        assert await ada.store.transact(count) == before + 2, "of the two versions of the job, one had an effect"


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
        await ada.scheduler.put("failing", "x", soon())
        await until(lambda: len(attempts) == 4)
        await until(lambda: not ada.scheduler.running)
        assert await waiting(ada.store) == [], "a handler that returns has finished the job"
    assert [number for _, number in attempts] == [0, 1, 2, 3]
    pauses = [later - earlier for (earlier, _), (later, _) in itertools.pairwise(attempts)]
    assert all(pause >= least for pause, least in zip(pauses, (0.05, 0.1, 0.2), strict=True))
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "job failing x failed at attempt 1",
        "job failing x failed at attempt 2",
    ]


async def test_a_job_of_an_unknown_kind_is_left_to_a_newer_process(on_sqlite: Settings) -> None:
    async with clerk(on_sqlite) as ada:
        await ada.scheduler.put("chess-clock", "x", soon())
        await ada.scheduler.put("note", "x", soon(0.05))
        await until(lambda: ada.done)
        assert [row.kind for row in await waiting(ada.store)] == ["chess-clock"]


async def test_more_jobs_than_are_done_at_the_same_time(on_sqlite: Settings) -> None:
    async with clerk(on_sqlite) as ada:
        for k in range(50):
            await ada.scheduler.put("note", str(k), soon())
        await until(lambda: len(ada.done) == 50)
        assert len({job.key for job in ada.done}) == 50


async def test_an_effect_that_repeats(on_sqlite: Settings) -> None:
    async with clerk(on_sqlite) as ada:
        times: list[int] = []
        ada.scheduler.repeat("often", timedelta(seconds=0.05), lambda connection: times.append(count(connection)))
        await ada.scheduler.add("often", "", soon())
        await until(lambda: len(times) == 3)
        assert len(await waiting(ada.store)) == 1


async def test_a_waiting_job_costs_nothing(on_sqlite: Settings) -> None:
    """A look at 100,000 jobs takes as long as at one. Nothing looks at them before the first is due."""
    async with clerk(on_sqlite) as ada:
        rows = [
            {"id": new_id(), "kind": "note", "key": str(k), "due_at": soon(3600 + k), "payload": {}, "attempts": 0}
            for k in range(100_000)
        ]
        await ada.store.transact(lambda connection: connection.execute(insert(schema.jobs), rows[:1]))
        few = await _seconds_of_a_look(ada)
        await ada.store.transact(lambda connection: connection.execute(insert(schema.jobs), rows[1:]))
        await ada.store.transact(lambda connection: connection.exec_driver_sql("ANALYZE jobs"))  # PostgreSQL does it by itself
        many = await _seconds_of_a_look(ada)
        assert many < 2 * few + 0.005
        looks: list[object] = []
        start = ada.scheduler._start_due_jobs

        async def counted() -> float:
            looks.append(None)
            return await start()

        ada.scheduler._start_due_jobs = counted  # type: ignore[method-assign]
        ada.scheduler.wake()
        await until(lambda: ada.scheduler._next_look > 0)
        assert len(looks) == 1
        assert ada.scheduler._next_look > ada.store.time.seconds() + 30, "it doesn't look again before"
        await ada.scheduler.put("note", "first", soon())
        await until(lambda: ada.done)


async def _seconds_of_a_look(ada: Clerk) -> float:
    """Return the CPU time of a look at the waiting jobs, the least of several."""

    def look(connection: Connection) -> float:
        began = time.perf_counter()
        jobs.claim(connection, ada.leases.process, ["note"], 8, [])
        return time.perf_counter() - began

    await until(lambda: not isinstance(ada.leases, SharedLeases) or ada.leases.is_valid)
    return min([await ada.store.transact(look) for _ in range(20)])


# ----------------------------------------------------------------------------------------------------------- several processes


async def test_two_processes_do_each_job_once(on_postgresql: Settings) -> None:
    async with clerk(on_postgresql) as ada, clerk(replace(on_postgresql)) as bo:
        before = await ada.store.transact(count)
        due = soon(0.5)
        for k in range(100):
            await (ada, bo)[k % 2].scheduler.put("note", str(k), due)
        await until(lambda: len(ada.done) + len(bo.done) >= 100)
        assert sorted(job.key for job in ada.done + bo.done) == sorted(map(str, range(100)))
        assert await ada.store.transact(count) == before + 101


async def test_the_jobs_of_a_process_that_dies_are_done_by_another(on_postgresql: Settings) -> None:
    async with clerk(on_postgresql) as ada, clerk(replace(on_postgresql)) as bo:
        started = asyncio.Event()

        async def hang(_job: Job) -> None:
            started.set()
            await asyncio.Event().wait()

        ada.scheduler.register("half", hang)
        await ada.scheduler.put("half", "x", soon())
        await started.wait()
        bo.scheduler.register("half", bo.note)
        await ada.scheduler.put("note", "later", soon(0.5))
        await ada.die()
        began = time.monotonic()
        await until(lambda: len(bo.done) == 2)
        assert time.monotonic() - began < 5


async def test_a_process_that_was_frozen_does_not_do_a_job_twice(on_postgresql: Settings) -> None:
    """Its lease expires while it works. When it goes on, another process has done the job."""
    async with clerk(on_postgresql) as ada, clerk(replace(on_postgresql)) as bo:
        before = await bo.store.transact(count)
        started, go = asyncio.Event(), asyncio.Event()
        taken: list[Job] = []

        async def slow(job: Job) -> None:
            started.set()
            await go.wait()
            try:
                await ada.note(job)
            except JobTaken:
                taken.append(job)
                raise

        ada.scheduler.register("half", slow)
        await ada.scheduler.put("half", "x", soon())
        await started.wait()
        ada.renewing.cancel()
        bo.scheduler.register("half", bo.note)
        await until(lambda: bo.done)
        go.set()
        await until(lambda: taken)
        assert not ada.done
        assert await bo.store.transact(count) == before + 2


# ------------------------------------------------------------------------------------------------------------- housekeeping


async def test_once_an_hour_outdated_rows_are_deleted(on_sqlite: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "_INTERVAL", timedelta(seconds=0.2))
    async with clerk(on_sqlite) as ada:
        old, new = Time().now() - timedelta(days=2), Time().now()
        for key in ("old", "new"):
            await ada.store.add_table(table_of("ada", game=HOARD), RequestKey(key, "f" * 64))
        keys = schema.idempotency_keys

        def age(connection: Connection) -> None:
            connection.execute(update(keys).where(keys.c.key == "old").values(created_at=old))

        await ada.store.transact(age)
        await ada.store.secret("guests")
        await ada.store.rotate_secret("guests", new + timedelta(days=1))
        await ada.store.rotate_secret("guests", new - timedelta(days=1))
        if ada.store.shared:
            gone = {"id": "gone", "name": "", "started_at": old, "expires_at": old, "has_ended": True}
            await ada.store.transact(lambda connection: connection.execute(insert(schema.processes), gone))
        deleted: list[datetime] = []
        finish = ada.scheduler.finish

        async def noted(job: Job, effect: Callable[[Connection], None], again_at: datetime) -> None:
            await finish(job, effect, again_at)
            deleted.append(again_at)

        monkeypatch.setattr(ada.scheduler, "finish", noted)
        await housekeeping.delete_expired(ada.scheduler, Retention(), set)

        def left(connection: Connection) -> list[Any]:
            columns = (keys.c.key, schema.retired_secrets.c.id, schema.processes.c.id)
            return [list(connection.execute(select(column)).scalars()) for column in columns]

        await until(lambda: deleted)
        kept, secrets, processes = await ada.store.transact(left)
        assert kept == ["new"]
        assert len(secrets) == 1
        assert "gone" not in processes
        assert [row.kind for row in await waiting(ada.store)] == ["housekeeping"]
