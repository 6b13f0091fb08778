"""Best possible results of the puzzles of the day. The worker solves each puzzle once."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from meadhall.engine.text.lessons import Outcome
from meadhall.server.ops.time import Time
from meadhall.server.store.models import TableRow
from meadhall.server.worker.client import Worker, WorkerLost

log = logging.getLogger(__name__)

MAX_WAIT = 1.0
"""Seconds that a page waits for a result. After that it says that the result is not known yet."""


class DailyOutcomes:
    """Cache of the results, by day."""

    def __init__(self, worker: Worker, time: Time) -> None:
        self._time = time
        self._worker = worker
        self._solving: dict[str, asyncio.Task[Outcome]] = {}

    async def outcome(self, day: str, table: TableRow) -> Outcome | None:
        """Return the best possible result of a day's deal, which is played at this table; None while it is being solved."""
        if day not in self._solving:
            self._solving[day] = asyncio.create_task(self._solve(day, table))
        with suppress(TimeoutError):
            async with self._time.timeout(MAX_WAIT):
                return await asyncio.shield(self._solving[day])
        return None

    async def _solve(self, day: str, table: TableRow) -> Outcome:
        try:
            return await self._worker.solve(table.game, table.seed, table.options)
        except WorkerLost:
            log.warning("the worker process ended while it solved the puzzle of %s", day)
            self._solving.pop(day)  # the next request starts again
            return Outcome(None)
        except Exception:
            log.exception("the puzzle of %s could not be solved", day)
            return Outcome(None)
