"""Delete outdated rows once an hour."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Final

from meadhall.server.hall.upkeep.scheduler import Scheduler
from meadhall.server.settings import Retention
from meadhall.server.store import retention
from meadhall.server.store.jobs import Job
from meadhall.server.store.store import Store

_KIND: Final = "housekeeping"
_INTERVAL: Final = timedelta(hours=1)


def delete_hourly(scheduler: Scheduler, store: Store, kept: Retention, in_use: Callable[[], Collection[str]]) -> None:
    """Delete outdated rows once an hour, from an hour after the first start on. Raises DatabaseUnavailable.

    Args:
        scheduler: does it.
        store: the database of the hall.
        kept: how long the host keeps what may be deleted.
        in_use: returns the ids of the tables that are shown or played at, and stay.
    """

    async def delete(job: Job) -> None:
        await delete_old(store, kept, in_use)
        scheduler.finish(job, again_at=scheduler.time.now() + _INTERVAL)

    scheduler.register(_KIND, delete)
    scheduler.add(_KIND, "", scheduler.time.now() + _INTERVAL)


async def delete_old(store: Store, kept: Retention, in_use: Callable[[], Collection[str]]) -> None:
    """Delete what has expired, and a part of what is older than the host wants to keep.

    Each step is a short transaction. Between two steps the event loop does other work. Raises DatabaseUnavailable.
    """
    for step in retention.expired():
        has_more = True
        while has_more:
            has_more = store.transact(step)
            await asyncio.sleep(0)
    for deletion in retention.outdated(store.time.now(), kept):
        for id in await store.read(deletion.find):
            has_more = True
            while has_more and not (deletion.spares_tables_in_use and id in in_use()):
                has_more = store.transact(deletion.step, id)
                await asyncio.sleep(0)
