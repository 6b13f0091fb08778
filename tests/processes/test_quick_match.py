"""Guests who wait for a quick match at two processes."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from processes.process import PATIENCE
from processes.test_two_processes import Program as Elsewhere
from processes.test_two_processes import two_processes
from server.people import AXES
from server.postgres import PostgreSQL

pytestmark = pytest.mark.asyncio


async def test_kill_9_loses_no_wait_and_seats_everyone_once(tmp_path: Path, postgresql: PostgreSQL) -> None:
    async with two_processes(tmp_path, postgresql.new_database()) as (one, two):
        programs = [await Elsewhere.new((one, two)[k % 2], f"P{k}") for k in range(5)]
        wanted: dict[str, Any] = {"game": AXES, "players": 2}
        first = await asyncio.gather(*(each.post((one, two)[k % 2], "/quick-match", **wanted) for k, each in enumerate(programs)))
        assert sum(state["table"] is None for state in first) <= 3
        await one.end(signal.SIGKILL)
        states = [await each.get(two, "/quick-match") for each in programs]
        assert sum(state["table"] is None for state in states) == 1, "four are seated, one waits, whatever was killed"
        late = await Elsewhere.new(two, "Late")
        assert (await late.post(two, "/quick-match", **wanted))["table"]
        for each in (*programs, late):
            (table,) = await each.get(two, "/tables")
            async with asyncio.timeout(PATIENCE):
                while (await each.get(two, f"/tables/{table['id']}"))["status"] != "running":
                    await asyncio.sleep(0.1)
