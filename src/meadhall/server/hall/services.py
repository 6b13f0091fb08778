"""The services of a hall that its rooms share."""

from __future__ import annotations

from dataclasses import dataclass

from meadhall.server.hall.time.deadlines import Deadlines
from meadhall.server.hall.upkeep.scheduler import Scheduler
from meadhall.server.store.store import Store
from meadhall.server.worker.client import Worker


@dataclass(frozen=True)
class Services:
    """The services of a hall.

    Attributes:
        store: the database.
        worker: thinks for the bots.
        scheduler: does work at its time.
        deadlines: the jobs that wait until the time of a seat is up.
        bot_pause: seconds that a bot takes for an action on average.
        development: whether games are being developed here.
    """

    store: Store
    worker: Worker
    scheduler: Scheduler
    deadlines: Deadlines
    bot_pause: float
    development: bool = False
