"""Whether the deals of puzzles of the day could be won: found out beside the event loop, once for each day, and remembered."""

from __future__ import annotations

import asyncio
import logging

from meadhall.engine.daily import Outcome
from meadhall.server.store.store import TableRow
from meadhall.server.worker.client import Thinker, ThinkerLost

log = logging.getLogger(__name__)

PATIENCE = 1.0
"""Seconds that a page waits for it; after that it says that it isn't known yet."""


class Deals:
    """What could have been made of the deals that were asked for."""

    def __init__(self, thinker: Thinker) -> None:
        self._thinker = thinker
        self._asked: dict[str, asyncio.Task[Outcome]] = {}

    async def outcome(self, table: TableRow) -> Outcome | None:
        """What could have been made of the puzzle at this table; None as long as it is being found out."""
        assert table.daily is not None
        if table.daily not in self._asked:
            self._asked[table.daily] = asyncio.create_task(self._find_out(table))
        done, _ = await asyncio.wait({self._asked[table.daily]}, timeout=PATIENCE)
        return next((task.result() for task in done), None)

    async def _find_out(self, table: TableRow) -> Outcome:
        try:
            found: Outcome = await self._thinker.ask("outcome", table.game, table.seed, table.options)
        except ThinkerLost:
            log.warning("whether the puzzle of %s could be won is lost with the process that thought", table.daily)
            self._asked.pop(str(table.daily))  # who asks next has it begun anew
            return Outcome(None)
        except Exception:
            log.exception("whether the puzzle of %s could be won is not found out", table.daily)
            return Outcome(None)
        return found
