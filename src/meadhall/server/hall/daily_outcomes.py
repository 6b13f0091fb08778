"""Best possible results of the puzzles of the day. The worker solves each puzzle once."""

from __future__ import annotations

import asyncio
import logging

from meadhall.engine.daily import Outcome
from meadhall.server.store.models import TableRow
from meadhall.server.worker.client import Worker, WorkerLost

log = logging.getLogger(__name__)

MAX_WAIT = 1.0
"""Seconds that a page waits for a result. After that it says that the result is not known yet."""


class DailyOutcomes:
    """Cache of the results, by day."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._solving: dict[str, asyncio.Task[Outcome]] = {}

    async def outcome(self, table: TableRow) -> Outcome | None:
        """Return the best possible result of the puzzle at this table; None while it is being solved."""
        assert table.daily is not None
        if table.daily not in self._solving:
            self._solving[table.daily] = asyncio.create_task(self._solve(table))
        done, _ = await asyncio.wait({self._solving[table.daily]}, timeout=MAX_WAIT)
        return next((task.result() for task in done), None)

    async def _solve(self, table: TableRow) -> Outcome:
        try:
            return await self._worker.solve(table.game, table.seed, table.options)
        except WorkerLost:
            log.warning("the worker process ended while it solved the puzzle of %s", table.daily)
            self._solving.pop(str(table.daily))  # the next request starts again
            return Outcome(None)
        except Exception:
            log.exception("the puzzle of %s could not be solved", table.daily)
            return Outcome(None)
