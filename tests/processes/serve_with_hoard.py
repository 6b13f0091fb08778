"""Run the hall like ``meadhall serve``, with Hoard among its games, in a forked process."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from datetime import timedelta
from functools import partial
from typing import Any

from meadhall.engine.errors import MeadhallError
from meadhall.engine.match.view import View
from meadhall.engine.registry import register, registered
from meadhall.server import app, run
from meadhall.server.app import build_app
from meadhall.server.hall import bots, clocks, hall, uptime
from meadhall.server.run import serve
from meadhall.server.settings import Settings
from meadhall.server.store.database import Db
from meadhall.server.store.jobs import Job
from meadhall.server.web import connections
from meadhall.server.worker import bot_cache, tasks
from server import hoard_on_a_page
from server.prepared import create_schema
from server.ready import ReadyAtOnce
from server.worker_threads import WorkerThreads

with registered(hoard_on_a_page.game):
    _APP = build_app(0)
    """An app for the only hall of a process, built before the fork."""


class Slow:
    """A bot that takes ten minutes for every decision or hint."""

    name = "slow"

    def choose(self, view: View) -> int:
        print("thinking", flush=True)  # noqa: T201
        time.sleep(600)
        return view.legal[0]


class HallWithCounting(hall.Hall):
    """A hall whose jobs of the kind ``count`` raise a counter each, slowly."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.scheduler.register("count", self._count)

    async def close(self) -> None:
        """Close the hall, or hang as with a database that doesn't answer."""
        if os.environ.get("MEADHALL_TEST_SLOW_STOP"):
            await asyncio.sleep(600)
        await super().close()

    async def _count(self, job: Job) -> None:
        await asyncio.sleep(0.05)
        self.scheduler.finish(job, partial(_raise_counter, name=f"job-{job.key}"))


def _raise_counter(db: Db, name: str) -> None:
    db.insert("counters", {"name": name, "value": 1}, conflict="ON CONFLICT (name) DO UPDATE SET value = value + 1")


def main() -> None:
    """Serve until a signal. The environment has the settings, and what is unusual about this hall (``MEADHALL_TEST_…``)."""
    register(hoard_on_a_page.game)
    vars(hall)["Readiness"] = ReadyAtOnce
    vars(app)["Hall"] = HallWithCounting
    vars(run)["new_worker"] = lambda _cluster: WorkerThreads()  # Hoard is registered only in this process
    if os.environ.get("MEADHALL_TEST_SLOW_BOTS"):
        vars(bot_cache)["bot"] = lambda game, name: Slow()
        vars(tasks)["hints"] = Slow().choose
    if seconds := os.environ.get("MEADHALL_TEST_BOT_SECONDS"):
        vars(bots)["_MAX_SECONDS"] = float(seconds)
    if seconds := os.environ.get("MEADHALL_TEST_DEADLINES"):
        vars(connections).update(dict.fromkeys(("HEAD_SECONDS", "BODY_SECONDS"), float(seconds)))
    if clock := os.environ.get("MEADHALL_TEST_CLOCK"):
        seconds_of_decision, come_back, gap = map(float, clock.split(","))
        times = {**clocks.SECONDS, "decision": {int(seconds_of_decision): 0}}
        vars(clocks)["SECONDS"] = times
        vars(clocks)["COME_BACK"] = timedelta(seconds=come_back)
        vars(uptime).update(INTERVAL=gap / 3, GAP=timedelta(seconds=gap))
    if os.environ.get("MEADHALL_TEST_LOST_CONNECTIONS"):
        vars(connections)["os"] = None  # no connection can be handed over
    if limits := os.environ.get("MEADHALL_TEST_FILE_LIMITS"):
        soft, hard = map(int, limits.split(","))
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    settings = Settings.from_environment()
    create_schema(settings)
    if not settings.requests_per_minute:
        vars(app)["build_app"] = lambda *_, **__: _APP
    try:
        serve(settings)
    except MeadhallError as error:
        sys.exit(f"refused: {error}")
