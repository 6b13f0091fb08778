"""Deadlines of clocks in real processes: killed at any moment, frozen, and two on one database. None fires twice or is lost."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import meadhall
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store.models import Entry
from meadhall.server.store.queries import uptime
from meadhall.server.store.store import Store
from processes.process import Process, hall_process
from server.people import HOARD, PATIENCE

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("compiled")]

SECONDS = 2
"""The time of a decision in these halls."""

COME_BACK = 1.0
GAP = 3.0
CLOCK = f"{SECONDS},{COME_BACK},{GAP}"


class Match:
    """A match of two programs with a clock. They never act, so bots play every decision when its time is up."""

    def __init__(self, settings: Settings, process: Process) -> None:
        self.settings = settings
        self.process = process
        self.headers: dict[str, str] = {}
        self.table = ""

    async def start(self) -> None:
        async with self.process.client() as client:
            programs = []
            for name in ("Ada", "Björn"):
                token = (await client.post("/api/v1/guests", json={"name": name})).json()["token"]
                programs.append({"Authorization": f"Bearer {token}"})
            clock = {"kind": "decision", "seconds": SECONDS}
            self.headers, friend = programs
            opened = await client.post("/api/v1/tables", json={"game": HOARD, "players": 2, "clock": clock}, headers=self.headers)
            self.table = opened.json()["id"]
            await client.post(f"/api/v1/tables/{self.table}/join", json={}, headers=friend)
            started = await client.post(f"/api/v1/tables/{self.table}/start", headers=self.headers)
            assert started.json()["status"] == "running", started.text

    async def info(self) -> dict[str, Any]:
        async with self.process.client(**self.headers) as client:
            found: dict[str, Any] = (await client.get(f"/api/v1/tables/{self.table}")).json()
            return found

    async def record(self) -> dict[str, Any]:
        async with self.process.client(**self.headers) as client:
            found: dict[str, Any] = (await client.get(f"/api/v1/tables/{self.table}/record")).json()
            return found


async def stored(settings: Settings, table: str) -> list[Entry]:
    """Return the entries in the database of a hall that doesn't run, or on PostgreSQL."""
    async with Store.open(settings) as store:
        return await store.entries(table)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await holds():  # noqa: ASYNC110 - another process makes it true
            await asyncio.sleep(0.05)


def check(entries: list[Entry]) -> None:
    """Check that each time that was up let a bot play exactly one decision, and that no time was up too early."""
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    kinds = [entry.kind for entry in entries]
    assert kinds[::2] == ["stand_in"] * len(kinds[::2])
    assert kinds[1::2] == ["action"] * len(kinds[1::2])
    for stand_in, action in zip(entries[::2], entries[1::2], strict=False):
        assert stand_in.data is not None
        assert (stand_in.data["why"], stand_in.data["lasts"]) == ("time", "decision")
        assert stand_in.seat == action.seat
    for action, stand_in in zip(entries[1::2], entries[2::2], strict=False):
        assert stand_in.at - action.at >= timedelta(seconds=SECONDS), "too early"


def first_of(entries: list[Entry], after: datetime) -> Entry:
    return next(entry for entry in entries if entry.kind == "stand_in" and entry.at > after)


async def played(match: Match, actions: int) -> None:
    """Wait until so many actions were played in all."""

    async def holds() -> bool:
        info = await match.info()
        return bool(info["status"] != "running" or info["view"]["next"] > actions)

    await until(holds)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hall").mkdir()
    return tmp_path / "hall"


def environment(settings: Settings) -> dict[str, str]:
    return {"MEADHALL_TEST_CLOCK": CLOCK, "MEADHALL_DATABASE_URL": settings.database_url}


@asynccontextmanager
async def running(settings: Settings, folder: Path) -> AsyncIterator[Match]:
    async with hall_process(folder, **environment(settings)) as process:
        match = Match(settings, process)
        await match.start()
        yield match


async def test_a_deadline_that_passes_while_the_hall_is_killed_is_moved_and_fires_once(
    on_each_database: Settings, folder: Path
) -> None:
    settings = replace(on_each_database, data=folder)
    async with running(settings, folder) as match:
        await asyncio.sleep(2 * GAP / 3)  # then the process has noted that it is alive
        before = (await match.info())["view"]["next"]
        await match.process.end(signal.SIGKILL)
        killed = Time().now()
        await asyncio.sleep(SECONDS + 3)
        entries = await stored(settings, match.table)
        assert all(entry.at < killed for entry in entries), "nothing happens while the hall is down"
        back = Time().now()
        await match.process.start()
        info = await match.info()
        assert info["view"]["next"] <= before + 1
        await played(match, before + 2)
        await match.process.end(signal.SIGKILL)
        entries = await stored(settings, match.table)
        check(entries)
        first = first_of(entries, back)
        assert first.at > back + timedelta(seconds=COME_BACK), "the clocks stand still until people have come back"
        async with Store.open(settings) as store:
            assert await store.transact(uptime.downtimes) != []


async def test_no_deadline_is_lost_or_fires_twice_however_often_the_hall_is_killed(
    on_each_database: Settings, folder: Path
) -> None:
    settings = replace(on_each_database, data=folder)
    moments = random.Random(7)
    async with running(settings, folder) as match:
        for _ in range(4):
            await asyncio.sleep(moments.uniform(1.0, 3.0))
            await match.process.end(signal.SIGKILL)
            await match.process.start()
        await played(match, (await match.info())["view"]["next"])
        record = await match.record()
        await match.process.end(signal.SIGKILL)
        entries = await stored(settings, match.table)
        check(entries)
        assert all(action["bot"] == "jarl" for action in record["actions"])
        assert len(record["actions"]) == len([entry for entry in entries if entry.kind == "action"])
        if record["complete"]:
            meadhall.replay(record)


async def test_a_process_that_was_frozen_gives_everyone_the_time_back(settings: Settings, folder: Path) -> None:
    settings = replace(settings, data=folder)
    async with running(settings, folder) as match:
        await asyncio.sleep(GAP / 2)
        next_number = (await match.info())["view"]["next"]
        os.kill(match.process.pid, signal.SIGSTOP)
        await asyncio.sleep(GAP + 2)
        woken = Time().now()
        os.kill(match.process.pid, signal.SIGCONT)
        await played(match, next_number + 1)
        await match.process.end(signal.SIGKILL)
        entries = await stored(settings, match.table)
        check(entries)
        assert first_of(entries, woken).at > woken + timedelta(seconds=COME_BACK)


# ---------------------------------------------------------------------------------------------- two processes on PostgreSQL


@asynccontextmanager
async def two(settings: Settings, tmp_path: Path) -> AsyncIterator[tuple[Match, Process]]:
    """Run two processes. The match was started at the first one."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    async with (
        hall_process(tmp_path / "one", **environment(settings)) as one,
        hall_process(tmp_path / "two", **environment(settings)) as other,
    ):
        match = Match(settings, one)
        await match.start()
        yield match, other


async def downtimes(settings: Settings) -> int:
    async with Store.open(settings) as store:
        found = await store.transact(uptime.downtimes)
        return len([each for each in found if each.ended_at - each.began_at > timedelta(seconds=GAP)])


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
async def test_when_one_of_two_processes_is_killed_or_frozen_the_clocks_run_on_and_fire_once(
    on_postgresql: Settings, tmp_path: Path, how: signal.Signals
) -> None:
    async with two(on_postgresql, tmp_path) as (match, other):
        await played(match, 1)
        frozen = Time().now()
        os.kill(match.process.pid, how)
        first, match.process = match.process, other
        number = (await match.info())["view"]["next"]
        await played(match, number)
        assert Time().now() - frozen < timedelta(seconds=GAP + 2 * SECONDS + 10)
        if how == signal.SIGSTOP:
            os.kill(first.pid, signal.SIGCONT)
        await played(match, number + 2)
        check(await stored(on_postgresql, match.table))
        assert await downtimes(on_postgresql) == 0, "one process of the hall ran all the time"


async def test_when_both_processes_are_frozen_the_clocks_stand_still(on_postgresql: Settings, tmp_path: Path) -> None:
    async with two(on_postgresql, tmp_path) as (match, other):
        await played(match, 1)
        number = (await match.info())["view"]["next"]
        for process in (match.process, other):
            os.kill(process.pid, signal.SIGSTOP)
        await asyncio.sleep(GAP + 2)
        woken = Time().now()
        for process in (match.process, other):
            os.kill(process.pid, signal.SIGCONT)
        await played(match, number + 1)
        entries = await stored(on_postgresql, match.table)
        check(entries)
        assert first_of(entries, woken).at > woken + timedelta(seconds=COME_BACK)
        assert await downtimes(on_postgresql) == 1
