"""``python serve_with_hoard.py``: run the hall like ``meadhall serve``, with Hoard among its games."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, update

sys.path.insert(0, str(Path(__file__).parents[1]))

from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import register
from meadhall.engine.view import View
from meadhall.lab import warm
from meadhall.server import app, run
from meadhall.server.hall import bots, clock_choice, clocks, hall, uptime
from meadhall.server.run import serve
from meadhall.server.settings import Settings
from meadhall.server.store import schema
from meadhall.server.store.models import Job
from meadhall.server.web import connections
from meadhall.server.worker import bot_cache, tasks
from meadhall.server.worker.client import WorkerThreads
from server import hoard_on_a_page
from server.people import AXES, HOARD
from server.ready import ReadyAtOnce


class Slow:
    """A bot that takes a minute for every decision or hint."""

    name = "slow"

    def choose(self, view: View) -> int:
        print("thinking", flush=True)  # noqa: T201
        time.sleep(60)
        return view.legal[0]


class HallWithCounting(hall.Hall):
    """A hall whose jobs of the kind ``count`` raise a counter each, slowly."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.scheduler.register("count", self._count)

    async def _count(self, job: Job) -> None:
        await asyncio.sleep(0.05)
        await self.scheduler.finish(job, partial(_raise_counter, name=f"job-{job.key}"))


def _raise_counter(connection: Connection, name: str) -> None:
    counter = schema.counters
    if connection.execute(update(counter).where(counter.c.name == name).values(value=counter.c.value + 1)).rowcount == 0:
        connection.execute(insert(counter).values(name=name, value=1))


if __name__ == "__main__":
    register(hoard_on_a_page.game)
    warm([AXES, HOARD], bulk=False)
    vars(hall)["Readiness"] = ReadyAtOnce
    vars(app)["Hall"] = HallWithCounting
    vars(run)["WorkerProcess"] = WorkerThreads  # Hoard is registered only in this process
    if os.environ.get("MEADHALL_TEST_SLOW_BOTS"):
        vars(bot_cache)["bot"] = lambda game, name: Slow()
        vars(tasks)["hints"] = Slow().choose
    if seconds := os.environ.get("MEADHALL_TEST_BOT_SECONDS"):
        vars(bots)["_MAX_SECONDS"] = float(seconds)
    if seconds := os.environ.get("MEADHALL_TEST_DEADLINES"):
        vars(connections).update(dict.fromkeys(("HEAD_SECONDS", "BODY_SECONDS", "WRITE_SECONDS"), float(seconds)))
    if clock := os.environ.get("MEADHALL_TEST_CLOCK"):
        seconds_of_decision, come_back, gap = map(float, clock.split(","))
        times = {**clock_choice.SECONDS, "decision": (seconds_of_decision, seconds_of_decision)}
        vars(clock_choice)["SECONDS"] = times
        vars(clocks)["COME_BACK"] = timedelta(seconds=come_back)
        vars(uptime).update(INTERVAL=gap / 3, GAP=timedelta(seconds=gap))
    if limits := os.environ.get("MEADHALL_TEST_FILE_LIMITS"):
        soft, hard = map(int, limits.split(","))
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    try:
        serve(Settings.from_environment())
    except MeadhallError as error:
        sys.exit(f"refused: {error}")
