"""Matches that wait for their deadlines cost nothing: the scheduler and the moves of others don't look at them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from meadhall.server.hall.uptime import CLOCK_JOB
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import jobs
from meadhall.server.store.database import Db
from meadhall.server.store.store import Store

pytestmark = pytest.mark.asyncio

WAITING = 20_000
TIMES = 40
AT_MOST = 3.0
"""A search through all waiting jobs would take hundreds of times as long."""


def let_wait(store: Store, count: int) -> None:
    soon = Time().now() + timedelta(hours=1)
    rows: list[dict[str, Any]] = [
        {"id": f"j{k}", "kind": CLOCK_JOB, "key": f"t{k}", "due_at": soon + timedelta(seconds=k), "payload": "{}"}
        for k in range(count)
    ]

    def add(db: Db) -> None:
        db.insert("jobs", *rows)

    store.transact(add)


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of one call, in the fastest of five rounds."""
    found = []
    for _ in range(5):
        began = time.process_time()
        for _ in range(TIMES):
            work()
        found.append((time.process_time() - began) / TIMES)
    return min(found)


async def test_a_look_and_a_move_cost_the_same_however_many_matches_wait(settings: Settings) -> None:
    async with Store.open(settings) as few, Store.open(replace(settings, data=settings.data / "many")) as many:
        let_wait(few, 1)
        let_wait(many, WAITING)

        def look(store: Store) -> None:
            store.transact(partial(jobs.due, at=Time().now(), kinds=(CLOCK_JOB, "other"), limit=8, running=()))

        def move(store: Store) -> None:
            store.transact(partial(jobs.put, kind=CLOCK_JOB, key="t0", due_at=Time().now() + timedelta(days=3)))

        for work in (look, move):
            assert seconds(partial(work, many)) < AT_MOST * seconds(partial(work, few)), work.__name__
