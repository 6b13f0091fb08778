"""The faults, and a run of them under load."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import signal
import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field

from chaos.audit import audit
from chaos.load import Load
from chaos.processes import HallProcesses

PEOPLE_TABLES = 4
BOT_TABLES = 4

PATIENCE = 60.0
"""Seconds in which a match must go on after the last fault, on a busy machine too. ``longest_wait`` says how long it took."""

WEIGHTS = {"hall": 50, "bots": 20, "lock": 15, "full": 15}
"""How often each fault happens, in percent."""


@dataclass
class Report:
    """The results of a run."""

    faults: dict[str, int]
    acknowledged: int
    repeated: int
    tables: int
    longest_wait: float
    found: list[str]

    def __str__(self) -> str:
        happened = ", ".join(f"{name} {count}" for name, count in self.faults.items())
        return (
            f"faults: {happened}\n{self.acknowledged} acknowledged actions at {self.tables} tables, "
            f"{self.repeated} requests repeated\nlongest wait for a bot while nothing failed: {self.longest_wait:.1f} s\n"
            + ("\n".join(self.found) or "nothing lost, nothing doubled, every record verifies")
        )


@dataclass
class Chaos:
    """A hall under load. Its database can't be written for ``hold`` seconds at most."""

    hall: HallProcesses
    hold: float
    _calm_since: float = field(default_factory=time.monotonic)

    def calm_since(self) -> float:
        """Return when the last fault ended, by the monotonic clock."""
        return self._calm_since

    async def run(self, faults: Sequence[str], pause: float) -> Report:
        """Let the faults happen one after the other, ``pause`` seconds apart on average, and check what is left."""
        load, until = Load(self.hall.url, self.calm_since), asyncio.Event()
        groups = [(2, 0)] * PEOPLE_TABLES + [(1, 3)] * BOT_TABLES
        playing = [asyncio.create_task(load.play(number, *group, until)) for number, group in enumerate(groups)]
        causes: dict[str, Callable[[], Awaitable[None]]] = {
            "hall": self._kill_hall,
            "bots": self._kill_bots,
            "lock": self._lock,
            "full": self._fill,
        }
        for name in faults:
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))
            self._calm_since = float("inf")
            await causes[name]()
            self._calm_since = time.monotonic()
            for task in playing:
                if task.done():
                    task.result()
        stuck = await self._stuck(load, len(playing))
        until.set()
        await asyncio.gather(*playing)
        found = stuck + await audit(load, self.hall.database)
        happened = {name: faults.count(name) for name in dict.fromkeys(faults)}
        return Report(happened, len(load.acknowledged), load.repeated, len(load.tables), load.longest_wait, found)

    async def _stuck(self, load: Load, players: int) -> list[str]:
        """Wait until every player's match has gone on since the last fault. Return those that have not."""
        ended = time.monotonic() + PATIENCE
        while waiting := [number for number in range(players) if load.moved_at.get(number, 0.0) < self._calm_since]:
            if time.monotonic() > ended:
                return [
                    f"the match of player {number} has not gone on for {PATIENCE:.0f} s after the last fault"
                    for number in waiting
                ]
            await asyncio.sleep(0.2)
        return []

    async def _kill_hall(self) -> None:
        """Kill the hall and start it again, as systemd would."""
        await self.hall.kill()
        await self.hall.start()

    async def _kill_bots(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(random.choice(self.hall.bot_workers), signal.SIGKILL)

    async def _lock(self) -> None:
        """Hold the lock of the database for some time, as another program may."""
        with closing(
            sqlite3.connect(self.hall.database, timeout=60, isolation_level=None, check_same_thread=False)
        ) as connection:
            await asyncio.to_thread(connection.execute, "BEGIN IMMEDIATE")
            await asyncio.sleep(self.hold * random.random())

    async def _fill(self) -> None:
        """Let no file of the hall grow for some time, as on a full disk: what it writes then fails in the middle."""
        before = resource.prlimit(self.hall.pid, resource.RLIMIT_FSIZE)
        log = self.hall.database.with_name(f"{self.hall.database.name}-wal").stat().st_size
        resource.prlimit(self.hall.pid, resource.RLIMIT_FSIZE, (random.randrange(log + 1), before[1]))
        await asyncio.sleep(self.hold * random.random())
        resource.prlimit(self.hall.pid, resource.RLIMIT_FSIZE, before)
