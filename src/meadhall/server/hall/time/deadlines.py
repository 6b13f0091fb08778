"""Deadlines of clocks: jobs of the scheduler that are stored with the entries that begin a decision.

A job says only when to look at a table. Whether time is up follows from the clocks, that is from the entries and the downtimes.
So a job that comes too early or twice does no harm: it waits again, or ends. What happens when time is up is stored in the
transaction that ends the job, so it happens once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from meadhall.engine.errors import MeadhallError
from meadhall.server.hall.time.clocks import Clocks, Outage
from meadhall.server.hall.time.turn_reminders import TurnReminders
from meadhall.server.hall.time.uptime import CLOCK_JOB, Uptime
from meadhall.server.hall.upkeep.scheduler import Scheduler, at_table
from meadhall.server.store import jobs
from meadhall.server.store.database import Effect
from meadhall.server.store.jobs import Job

if TYPE_CHECKING:
    from meadhall.server.hall.state import TableState

_CLOSE: Final = 2.0
"""Seconds before a deadline from which on the job waits for it."""


class NotUp(MeadhallError):
    """No seat of the table has run out of time."""


class ClockedRoom(Protocol):
    """The parts of a room that its deadlines use."""

    @property
    def deadline(self) -> datetime | None:
        """When the time of the seat to move is up; None if no clock runs."""

    def let_time_be_up(self, job: Job) -> None:
        """Apply the table's rule for the end of the time, and end the job in the same transaction. Raises NotUp."""


def _only_stopped(before: Clocks, after: Clocks) -> bool:
    """Return whether some of several clocks have stopped and the others go on, so that the next deadline is later."""
    stays = set(after.all_running) < set(before.all_running)
    return stays and before.deadline is not None and after.deadline is not None and before.deadline <= after.deadline


class Deadlines:
    """Waits for the deadlines of all tables with a clock."""

    def __init__(self, scheduler: Scheduler, uptime: Uptime) -> None:
        self._scheduler = scheduler
        self._time = scheduler.time
        self._uptime = uptime

    @property
    def outages(self) -> tuple[Outage, ...]:
        """The times in which no clock ran."""
        return self._uptime.outages

    def register(self, room_of: Callable[[str], Awaitable[ClockedRoom]]) -> None:
        """Do the jobs of clocks from now on. ``room_of`` returns the room of a table."""
        self._scheduler.register(CLOCK_JOB, at_table(self._scheduler, room_of, self._look))

    def moved(self, before: TableState, after: TableState) -> Effect | None:
        """Return the effect that moves the deadline of a table in the transaction that changes its clocks; None if it stays.

        While a bot plays or the clocks are paused, the old job stays, and also after the first of several seats that choose at
        the same time. It comes too early, and does nothing.
        """
        old, new, table = before.clocks, after.clocks, after.table.id
        if new is None or (old is not None and old.deadline == new.deadline):
            return None
        if not new.deciders:
            return partial(jobs.cancel, kind=CLOCK_JOB, key=table)
        if new.deadline is None or (old is not None and _only_stopped(old, new)):
            return None
        return partial(jobs.put, kind=CLOCK_JOB, key=table, due_at=new.deadline)

    def expect(self, clocks: Clocks | None, reminders: TurnReminders | None) -> None:
        """Let the scheduler look in time after a deadline was moved, and for reminders of the players to move."""
        if reminders is not None:
            self._scheduler.expect(reminders.due_at)
        if clocks is not None and clocks.deadline is not None:
            self._scheduler.expect(clocks.deadline)

    async def _look(self, room: ClockedRoom, job: Job) -> None:
        """Let time be up at a table, or wait for its deadline."""
        self._uptime.beat()  # if the hall was frozen, it learns that before it acts
        while (deadline := room.deadline) is not None:
            left = (deadline - self._time.now()).total_seconds()
            if left > _CLOSE:
                self._scheduler.finish(job, again_at=deadline)
                return
            await self._time.sleep(left)
            try:
                room.let_time_be_up(job)
            except NotUp:  # meanwhile the seat has played, or a downtime was found
                continue
            return
