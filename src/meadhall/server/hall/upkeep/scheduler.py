"""The scheduler does work at its time, once, and over restarts.

A *job* waits in the database. When it is due, the handler of its kind is called:

    scheduler.register("clock", time_is_up)  # a handler: async def time_is_up(job: Job) -> None
    jobs.put(db, "clock", table_id, due_at, {"seat": 2})  # in place of the job with this kind and key
    jobs.cancel(db, "clock", table_id)

A handler ends with ``scheduler.finish(job, effect)``, which stores the effect and marks the job as done in the same transaction.
So the effect happens once, even if the process is killed at any moment. If a handler raises, the job is tried again, each time
after a longer pause; after NotReady, soon. A handler that returns without a call of ``finish`` finishes the job without an
effect: what it did may be repeated if the process is killed then.

A deadline that depends on another change belongs to the transaction of that change (module ``store.jobs``). Call
``scheduler.wake()`` after it.

A waiting job costs nothing: the scheduler sleeps until the first one is due.
"""

from __future__ import annotations

import asyncio
import logging
import math
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, TypeVar

from meadhall.engine.errors import UnknownGame
from meadhall.server.errors import DatabaseUnavailable, DoesNotFit, NotFound, NotReady, OtherRules
from meadhall.server.ops.time import wait_until_set
from meadhall.server.store import jobs
from meadhall.server.store.database import Db
from meadhall.server.store.jobs import Job, JobTaken
from meadhall.server.store.store import Store

R = TypeVar("R")
T = TypeVar("T")

Handler = Callable[[Job], Awaitable[None]]

log = logging.getLogger(__name__)

_AT_ONCE: Final = 8
"""Largest number of jobs that run at the same time, without slow ones: a deadline waits for no other server."""

_SLOW_AT_ONCE: Final = 8
"""Largest number of slow jobs that run at the same time."""

_LONGEST_SLEEP: Final = 60.0
"""Seconds after which the scheduler looks at the waiting jobs in any case: the system's clock may have been set."""

_RETRY_DELAY: Final = 1.0
"""Seconds before the database is asked again after it did not answer."""

_FIRST_PAUSE: Final = 1.0
"""Seconds after which a job that has failed is tried again. The pause doubles with every attempt."""

_LONGEST_PAUSE: Final = 300.0

_TIMEOUT: Final = 60.0
"""Seconds after which a job counts as failed."""

_READY_PAUSE: Final = timedelta(seconds=5)
"""After this time a job is tried again if a game isn't ready yet."""


class Scheduler:
    """Does the jobs of a hall.

    Attributes:
        running: the jobs that run, by their ids.
        time: the time of the hall.
    """

    def __init__(self, store: Store) -> None:
        self.time = store.time
        self.running: dict[str, asyncio.Task[None]] = {}
        self._store = store
        self._due = asyncio.Event()  # set when a job may be due
        self._handlers: dict[str, Handler] = {}
        self._slow: set[str] = set()  # kinds whose jobs wait for other servers
        self._running_slow: set[str] = set()  # ids of running jobs of these kinds
        self._next_look = -math.inf  # in seconds of the monotonic clock
        self._finished: set[str] = set()  # ids of running jobs whose handlers have finished them

    def register(self, kind: str, handler: Handler) -> None:
        """Let ``handler`` do the jobs of a kind."""
        self._handlers[kind] = handler

    def register_slow(self, kind: str, handler: Handler) -> None:
        """Let ``handler`` do the jobs of a kind that wait for other servers. They take no place from other jobs."""
        self._handlers[kind] = handler
        self._slow.add(kind)

    def add(self, kind: str, key: str, due_at: datetime, payload: Mapping[str, Any] | None = None) -> None:
        """Store a job, unless there is one with this kind and key. Raises DatabaseUnavailable."""
        self._store.transact(jobs.add, kind, key, due_at, payload)
        self.wake()

    def finish(
        self,
        job: Job,
        effect: Callable[[Db], T] | None = None,
        again_at: datetime | None = None,
        payload: Mapping[str, Any] | None = None,
    ) -> T | None:
        """Run ``effect`` and mark the job as done, in one transaction. Return what ``effect`` returns.

        Args:
            again_at: the time at which to do the job again; None: not again.
            payload: what the function needs to know then; None: the same as now.

        Raises:
            JobTaken: the job was moved or cancelled. Nothing has been changed.
            DatabaseUnavailable: nothing has been changed.
        """
        with self._store.change() as db:
            result = None if effect is None else effect(db)
            jobs.finish(db, job, again_at, payload)
        self._finished.add(job.id)
        return result

    def note_finished(self, job: Job) -> None:
        """Note that another transaction has marked a job as done, or let it wait again."""
        self._finished.add(job.id)

    def wake(self) -> None:
        """Look at the waiting jobs. Call it after a job was stored in another way than by ``add``."""
        self._due.set()

    def expect(self, due_at: datetime) -> None:
        """Look at the waiting jobs at this time. It costs nothing if the scheduler looks earlier in any case."""
        if self._next_look > self.time.seconds() + (due_at - self.time.now()).total_seconds():
            self.wake()

    async def run(self) -> None:
        """Do jobs until the task is cancelled. Then abandon the running ones: the next start does them."""
        try:
            while True:
                self._due.clear()
                self._next_look = -math.inf  # while it looks
                pause = self._start_due_jobs()
                self._next_look = self.time.seconds() + pause
                await wait_until_set(self._due, self.time.call_later(pause, self.wake))
        finally:
            tasks = tuple(self.running.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _start_due_jobs(self) -> float:
        """Start the jobs that are due, and return the seconds until the next look."""
        limit = _AT_ONCE + len(self._running_slow) - len(self.running)
        if limit == 0 and len(self._running_slow) == _SLOW_AT_ONCE:
            return _LONGEST_SLEEP  # the end of each job wakes the scheduler
        try:
            due, seconds = self._store.transact(self._look, limit)
        except DatabaseUnavailable:
            return _RETRY_DELAY
        except sqlite3.Error:
            log.exception("the waiting jobs could not be read")
            return _RETRY_DELAY
        for job in due:
            self.running[job.id] = task = asyncio.create_task(self._do(job))
            if job.kind in self._slow:
                self._running_slow.add(job.id)
            task.add_done_callback(partial(self._end, job))
        is_full = len(self.running) - len(self._running_slow) == _AT_ONCE
        return _LONGEST_SLEEP if is_full or seconds is None else min(seconds, _LONGEST_SLEEP)

    def _look(self, db: Db, limit: int) -> tuple[list[Job], float | None]:
        """Return at most ``limit`` jobs that are due, and slow ones; and the seconds until the next one is due."""
        at = db.now()  # for all queries: a job that falls due between two of them would be forgotten
        found = jobs.due(db, at, tuple(self._handlers.keys() - self._slow), limit, tuple(self.running))
        slow_limit = _SLOW_AT_ONCE - len(self._running_slow)
        found += jobs.due(db, at, tuple(self._slow), slow_limit, tuple(self.running)) if self._slow else []
        return found, jobs.next_due(db, at)

    def _end(self, job: Job, _task: asyncio.Task[None]) -> None:
        del self.running[job.id]
        self._running_slow.discard(job.id)
        self._finished.discard(job.id)
        self.wake()

    async def _do(self, job: Job) -> None:
        try:
            async with self.time.timeout(_TIMEOUT):
                try:
                    await self._handlers[job.kind](job)
                except NotReady:
                    self.finish(job, again_at=self.time.now() + _READY_PAUSE)
                if job.id not in self._finished:
                    self.finish(job)
        except JobTaken:
            log.info("job %s %s was moved or cancelled", job.kind, job.key)
        except DatabaseUnavailable:
            await self._postpone(job)
        except Exception:
            log.exception("job %s %s failed at attempt %d", job.kind, job.key, job.attempts + 1)
            await self._postpone(job)

    async def _postpone(self, job: Job) -> None:
        """Let the job be tried again later, as soon as the database answers."""
        pause = min(_FIRST_PAUSE * 2**job.attempts, _LONGEST_PAUSE)
        while True:
            try:
                self._store.transact(jobs.postpone, job, pause)
            except (DatabaseUnavailable, sqlite3.Error):
                await self.time.sleep(_RETRY_DELAY)
            else:
                return


def at_table(room_of: Callable[[str], Awaitable[R]], work: Callable[[R, Job], Awaitable[None] | None]) -> Handler:
    """Return a handler that calls ``work`` with the room of a job's table, which ``room_of`` returns.

    At a table that can't be opened any more there is nothing to do.
    """

    async def handle(job: Job) -> None:
        try:
            room = await room_of(job.key)
        except DoesNotFit:
            raise  # the scheduler tries again: the rules may fit again
        except (NotFound, OtherRules, UnknownGame):
            return
        working = work(room, job)
        if working is not None:
            await working

    return handle
