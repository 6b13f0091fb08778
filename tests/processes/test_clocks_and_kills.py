"""Deadlines of clocks in real processes: killed at any moment, and frozen. None fires twice or is lost."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import matches, uptime
from meadhall.server.store.database import in_utc_or_none
from meadhall.server.store.files import snapshot
from meadhall.server.store.models import Entry
from meadhall.server.store.store import Store
from processes.process import PATIENCE, Process, hall_process
from server.people import HOARD

pytestmark = pytest.mark.asyncio

SECONDS = 1
"""The time of a decision in these halls."""

COME_BACK = 0.5

GAP = 2.0
"""Time without a sign of life after which a hall was away."""


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
    """Return the entries in the database of a hall that doesn't run."""
    async with Store.open(settings) as store:
        return store.transact(matches.entries_of, table)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await holds():
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


def environment() -> dict[str, str]:
    return {"MEADHALL_TEST_CLOCK": f"{SECONDS},{COME_BACK},{GAP}", "MEADHALL_TEST_BOT_SECONDS": "1.5"}


def noted_alive(settings: Settings) -> datetime | None:
    """Return when the hall has noted that it is alive."""

    def read() -> datetime | None:
        with snapshot(settings.database) as db:
            return in_utc_or_none(db.value("SELECT alive_at FROM pulse"))

    return read()


@asynccontextmanager
async def running(settings: Settings, folder: Path) -> AsyncIterator[Match]:
    async with hall_process(folder, **environment()) as process:
        match = Match(settings, process)
        await match.start()
        yield match


async def test_a_deadline_that_passes_while_the_hall_is_killed_is_moved_and_fires_once(settings: Settings, folder: Path) -> None:
    settings = replace(settings, data=folder)
    async with running(settings, folder) as match:
        async with asyncio.timeout(PATIENCE):
            while await asyncio.to_thread(noted_alive, settings) is None:
                await asyncio.sleep(0.05)
        before = (await match.info())["view"]["next"]
        await match.process.end(signal.SIGKILL)
        killed = Time().now()
        await asyncio.sleep(SECONDS + GAP)
        entries = await stored(settings, match.table)
        assert all(entry.at < killed for entry in entries), "nothing happens while the hall is down"
        back = Time().now()
        await match.process.start()
        await played(match, before + 2)
        await match.process.end(signal.SIGKILL)  # at any moment
        await match.process.start()
        await played(match, (await match.info())["view"]["next"])
        record = await match.record()
        await match.process.end(signal.SIGKILL)
        entries = await stored(settings, match.table)
        check(entries)
        assert first_of(entries, back).at > back + timedelta(seconds=COME_BACK), "clocks stand still until people have come back"
        assert {action["bot"] for action in record["actions"]} == {"jarl"}
        assert len([entry for entry in entries if entry.kind == "action"]) >= len(record["actions"])
        async with Store.open(settings) as store:
            assert store.transact(uptime.downtimes) != []


async def test_a_process_that_was_frozen_gives_everyone_the_time_back(settings: Settings, folder: Path) -> None:
    settings = replace(settings, data=folder)
    async with running(settings, folder) as match:
        await played(match, 1)
        next_number = (await match.info())["view"]["next"]
        os.kill(match.process.pid, signal.SIGSTOP)
        await asyncio.sleep(GAP + 1)
        woken = Time().now()
        os.kill(match.process.pid, signal.SIGCONT)
        await played(match, next_number + 1)
        await match.process.end(signal.SIGKILL)
        entries = await stored(settings, match.table)
        check(entries)
        assert first_of(entries, woken).at > woken + timedelta(seconds=COME_BACK)
