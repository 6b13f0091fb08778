"""The faults, and a run of them under load."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import asyncpg

from chaos.audit import audit
from chaos.link import Link
from chaos.load import Load
from chaos.processes import HallProcesses
from server.postgres import OwnPostgreSQL

PEOPLE_TABLES = 4
BOT_TABLES = 4
_POOL_SECONDS = 5.0

PATIENCE = 60.0
"""Seconds in which a match must go on after the last fault, on a busy machine too. ``longest_wait`` says how long it took."""

WEIGHTS = {"web": 50, "bots": 20, "postgresql": 14, "supervisor": 6, "cut": 5, "pool": 5}
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
    """A hall, its PostgreSQL and the link between them."""

    hall: HallProcesses
    postgresql: OwnPostgreSQL
    link: Link
    database_url: str
    cut_seconds: float
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
            "web": self._kill_web,
            "bots": self._kill_bots,
            "postgresql": self._kill_postgresql,
            "supervisor": self._kill_supervisor,
            "cut": self._cut,
            "pool": self._exhaust_pool,
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
        found = stuck + await audit(load, self.database_url)
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

    async def _kill_web(self) -> None:
        _kill(random.choice(self.hall.web))

    async def _kill_bots(self) -> None:
        _kill(random.choice(self.hall.bot_workers))

    async def _kill_supervisor(self) -> None:
        """Kill the supervisor and start the hall again, as systemd would."""
        await self.hall.kill()
        await self.hall.start()

    async def _kill_postgresql(self) -> None:
        await asyncio.to_thread(self.postgresql.kill)
        await asyncio.to_thread(self.postgresql.start)

    async def _cut(self) -> None:
        self.link.cut()
        await asyncio.sleep(self.cut_seconds)
        self.link.mend()

    async def _exhaust_pool(self) -> None:
        """Take every connection that PostgreSQL has left, and close those of the hall, so that it can't get them back."""
        held = []
        address = self.database_url.replace("+asyncpg", "")
        with suppress(asyncpg.TooManyConnectionsError):
            while True:
                held.append(await asyncpg.connect(address))
        self.link.mend()
        ended = time.monotonic() + _POOL_SECONDS
        while time.monotonic() < ended:
            with suppress(asyncpg.TooManyConnectionsError):
                held.append(await asyncpg.connect(address))
            await asyncio.sleep(0.05)
        for connection in held:
            connection.terminate()


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
