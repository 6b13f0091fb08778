"""Jobs at tables: work of the scheduler that needs the room of a table. The key of such a job is the id of the table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, TypeVar

from meadhall.engine.errors import UnknownGame
from meadhall.server.errors import DoesNotFit, NotFound, NotReady, OtherRules
from meadhall.server.hall.processes.scheduler import Handler, Scheduler
from meadhall.server.store.models import Job

R = TypeVar("R")

_READY_PAUSE: Final = timedelta(seconds=5)
"""After this time a job is tried again if the game of its table isn't ready yet."""


def at_table(
    scheduler: Scheduler, room_of: Callable[[str], Awaitable[R]], work: Callable[[R, Job], Awaitable[None] | None]
) -> Handler:
    """Return a handler that calls ``work`` with the room of a job's table, which ``room_of`` returns.

    A job waits until its game is ready. At a table that can't be opened any more there is nothing to do.
    """

    async def handle(job: Job) -> None:
        try:
            room = await room_of(job.key)
        except DoesNotFit:
            raise  # the scheduler tries again: the rules may fit again
        except (NotFound, OtherRules, UnknownGame):
            return
        except NotReady:
            scheduler.finish(job, again_at=scheduler.time.now() + _READY_PAUSE)
            return
        working = work(room, job)
        if working is not None:
            await working

    return handle
