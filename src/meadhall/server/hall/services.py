"""What the modules that work at one table get of the hall behind it, and the form of the changes that they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Concatenate, ParamSpec

from meadhall.server.hall.deadlines import Deadlines
from meadhall.server.hall.state import TableState
from meadhall.server.hall.upkeep.scheduler import Scheduler
from meadhall.server.store.store import Store
from meadhall.server.worker.client import Worker

P = ParamSpec("P")

Edit = Callable[Concatenate[TableState, P], None]
"""Checks and changes a draft."""


@dataclass(frozen=True)
class Services:
    """The services of a hall that its rooms share.

    Attributes:
        store: the database.
        worker: thinks for the bots.
        scheduler: does work at its time.
        deadlines: the jobs that wait until the time of a seat is up.
        bot_pause: seconds that a bot takes for an action on average.
    """

    store: Store
    worker: Worker
    scheduler: Scheduler
    deadlines: Deadlines
    bot_pause: float
