"""Hints during a match, and the chart of a finished one: the worker searches, and pages show what it has found so far."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from meadhall.bots import Hint
from meadhall.bots.analysis import Analysis, Knowledge
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import View
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import TooMany, WrongMoment
from meadhall.server.ops.time import Time
from meadhall.server.worker.client import Worker, WorkerLost
from meadhall.server.worker.tasks import AnalyseMatch, FindHints

# -------------------------------------------------------------------------------------------------------------------------- hints

# Hints that the seats of one room have requested.


@dataclass(frozen=True)
class RequestedHint:
    """A hint that a seat has requested.

    Attributes:
        view: the state as the seat saw it.
        decision: the number of the decision that the hint is for.
        search: the search for it.
    """

    view: View
    decision: int
    search: asyncio.Task[tuple[Hint, ...]]

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The actions to consider, the best first; empty during the search and after it failed."""
        failed = not self.search.done() or self.search.cancelled() or self.search.exception() is not None
        return () if failed else self.search.result()


class Hints:
    """The latest hint of each seat.

    Args:
        publish: called with the seat when its hint has been found, or could not be found.
    """

    def __init__(self, worker: Worker, publish: Callable[[int], None]) -> None:
        self._worker = worker
        self._publish = publish
        self._by_seat: dict[int, RequestedHint] = {}

    def current(self, match: Match | None, seat: int) -> RequestedHint | None:
        """Return the hint that a seat has requested for the decision that it has to make now."""
        found = self._by_seat.get(seat)
        if match is None or found is None or seat not in match.deciders or match.decision_of(seat) != found.decision:
            return None
        return found

    def request(self, match: Match, seat: int) -> RequestedHint:
        """Start the search for a hint for the seat to move."""
        view, before = match.view(seat), self._by_seat.get(seat)
        search = asyncio.create_task(self._find(view, before))
        hint = self._by_seat[seat] = RequestedHint(view, match.decision_of(seat), search)
        return hint

    async def _find(self, view: View, before: RequestedHint | None) -> tuple[Hint, ...]:
        if before is not None:  # one search at a time for each seat
            await asyncio.wait({before.search})
        try:
            return await self._worker.run(FindHints(view))
        except Exception:
            latest = self._by_seat.get(view.viewer)
            if latest is not None and latest.search is asyncio.current_task():
                del self._by_seat[view.viewer]
            raise
        finally:
            asyncio.get_running_loop().call_soon(self._publish, view.viewer)  # when the search is done

    def clear(self) -> None:
        """Drop all hints, at the end of the match."""
        self._by_seat.clear()

    def cancel(self) -> None:
        """Cancel all searches."""
        for hint in self._by_seat.values():
            hint.search.cancel()

    async def close(self) -> None:
        """Cancel all searches, and wait until they have ended."""
        self.cancel()
        await asyncio.gather(*(hint.search for hint in self._by_seat.values()), return_exceptions=True)


# ------------------------------------------------------------------------------------------------------------------------- charts

# Queue of charts: analyses of finished matches, computed by the worker one at a time.
#
# Matches of the hall's own tables come before uploaded records. A client may have one uploaded record in the queue. A job that
# no page waits for any more is dropped.


log = logging.getLogger(__name__)

MAX_BYTES = 32 * 1024 * 1024
"""Memory for finished charts. Beyond it they are evicted, least recently requested first."""

_CHANCE_SIZE, _CHART_SIZE = 400, 4000
"""Bytes of one chance in an analysis and in its drawings, and of a chart without any."""

MAX_WAITING_UPLOADS = 16
"""Charts of uploaded records that may wait in the queue."""

REQUEST_TIMEOUT = 20.0
"""Seconds without a request after which a job is dropped. Waiting pages repeat their request more often."""


def _do_nothing() -> None:
    pass


def _no_subscribers() -> bool:
    return False


@dataclass(eq=False)
class ChartJob:
    """A chart: waiting, in progress, done or failed.

    Attributes:
        match: the match; None at the end, because many jobs are kept.
        time: the time of the hall.
        client: address of the client who uploaded the record; "" for a match of the hall's own tables.
        when_done: called when the job ends: done, failed or dropped.
        has_subscribers: returns whether a page waits for the chart without repeating its request.
        progress: finished part, 0 to 1.
        analysis: the result; None before.
        has_lost_worker: whether the worker ended during the job. The job is repeated once.
        failed: whether the job ended without a result.
        requested_at: time of the last request, in seconds of the monotonic clock.
        drawings: the finished chart as pages show it, by language.
    """

    match: Match | None
    knowledge: Knowledge
    time: Time
    client: str = ""
    when_done: Callable[[], object] = _do_nothing
    has_subscribers: Callable[[], bool] = _no_subscribers
    progress: float = 0.0
    analysis: Analysis | None = None
    has_lost_worker: bool = False
    failed: bool = False
    requested_at: float = 0.0
    drawings: dict[str, Any] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether the job has not ended."""
        return self.analysis is None and not self.failed

    @property
    def is_wanted(self) -> bool:
        """Whether a page still waits for the chart."""
        return self.has_subscribers() or self.time.seconds() - self.requested_at < REQUEST_TIMEOUT

    @property
    def size(self) -> int:
        """Roughly the bytes that the finished chart takes."""
        return _CHART_SIZE + (0 if self.analysis is None else _CHANCE_SIZE * sum(map(len, self.analysis.chances)))

    def advance(self, progress: float) -> None:
        """Record the progress. Raise an exception, which ends the analysis, if no page waits for the chart."""
        self.progress = progress
        if not self.is_wanted:
            raise _Dropped


class _Dropped(Exception):
    """No page waits for the chart any more."""


class ChartQueue:
    """All charts of this process."""

    def __init__(self, worker: Worker, time: Time) -> None:
        self._time = time
        self._worker = worker
        self._jobs: OrderedDict[tuple[str, Knowledge], ChartJob] = OrderedDict()
        self._working: asyncio.Task[None] | None = None

    def request(
        self,
        key: str,
        match: Match,
        knowledge: Knowledge = "public",
        client: str = "",
        when_done: Callable[[], object] = _do_nothing,
        has_subscribers: Callable[[], bool] = _no_subscribers,
    ) -> ChartJob:
        """Return the chart of a match. The first request puts it into the queue.

        Args:
            key: name of the match.
            client: address of the client who uploaded the record; "" for a match that was played here.
            when_done: called when the job ends: done, failed or dropped.
            has_subscribers: returns whether a page waits for the chart without repeating its request.

        Raises:
            WrongMoment: the match has not ended.
            TooMany: the queue is full, or holds another record of this client.
        """
        if not match.ended:
            raise WrongMoment(_("A match gets its chart when it is over."))
        job = self._jobs.get((key, knowledge))
        if job is None:
            uploads = [other for other in self._waiting() if other.client]
            if client and (len(uploads) >= MAX_WAITING_UPLOADS or any(other.client == client for other in uploads)):
                raise TooMany(_("Other charts are being drawn. Try again when they are done."))
            job = self._jobs[key, knowledge] = ChartJob(match, knowledge, self._time, client, when_done, has_subscribers)
        job.requested_at = self._time.seconds()
        if not job.is_open:
            self._jobs.move_to_end((key, knowledge))
        elif self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        return job

    async def close(self) -> None:
        """Stop working."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)

    def _evict(self) -> None:
        done = [(key, job) for key, job in self._jobs.items() if not job.is_open]
        size = sum(job.size for _, job in done)
        for key, job in done:
            if size <= MAX_BYTES:
                return
            del self._jobs[key]
            size -= job.size

    def _waiting(self) -> list[ChartJob]:
        """Return the open jobs: own tables before uploaded records, then in the order of their first request."""
        return sorted((job for job in self._jobs.values() if job.is_open), key=lambda job: bool(job.client))

    async def _work(self) -> None:
        """Do one job after the other."""
        while waiting := self._waiting():
            job = waiting[0]
            match = job.match
            assert match is not None
            try:
                if not job.is_wanted:
                    raise _Dropped
                job.analysis = await self._worker.run(AnalyseMatch(match.record(), job.knowledge), job.advance)
            except _Dropped:
                self._jobs = OrderedDict((key, other) for key, other in self._jobs.items() if other is not job)
            except WorkerLost:
                log.warning("the worker process ended during a chart of %s", match.game.name)
                job.has_lost_worker, job.failed = True, job.has_lost_worker
                if job.is_open:
                    continue
            except Exception:
                log.exception("a chart of %s failed", match.game.name)
                job.failed = True
            job.match = None
            self._evict()
            job.when_done()
            job.when_done, job.has_subscribers = _do_nothing, _no_subscribers  # they would keep the room in memory
