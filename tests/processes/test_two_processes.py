"""Two processes on one PostgreSQL database. A stream at one shows what happens at the other, and goes on when one is killed."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from processes.process import PATIENCE, Process, hall_process
from server.postgres import PostgreSQL

pytestmark = pytest.mark.asyncio

GAME = "dungeon-allies"
"""Its matches are long."""


class Program:
    """A program that may connect to any process."""

    def __init__(self, token: str) -> None:
        self._headers = {"Authorization": f"Bearer {token}"}

    @classmethod
    async def new(cls, hall: Process, name: str) -> Program:
        async with hall.client() as client:
            return cls((await client.post("/api/v1/guests", json={"name": name})).json()["token"])

    async def post(self, hall: Process, path: str, *, key: str = "", **data: Any) -> dict[str, Any]:
        headers = self._headers | ({"Idempotency-Key": key} if key else {})
        async with hall.client(**headers) as client:
            answer = await client.post(f"/api/v1{path}", json=data)
            assert answer.is_success, answer.text
            found: dict[str, Any] = answer.json()
            return found

    async def try_post(self, hall: Process, path: str, **data: Any) -> int:
        """Send a request that may be refused, and return its status."""
        async with hall.client(**self._headers) as client:
            return (await client.post(f"/api/v1{path}", json=data)).status_code

    async def get(self, hall: Process, path: str) -> Any:
        async with hall.client(**self._headers) as client:
            answer = await client.get(f"/api/v1{path}")
            assert answer.is_success, answer.text
            return answer.json()

    @asynccontextmanager
    async def events(self, hall: Process, table: str, after: int = 0) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
        """Open a table's event stream; yield its events as name and data."""
        headers = self._headers | {"Last-Event-ID": str(after), "Accept-Encoding": "identity"}
        async with hall.client(**headers) as client, client.stream("GET", f"/api/v1/tables/{table}/events") as answer:
            yield _events(answer)


async def _events(answer: httpx.Response) -> AsyncIterator[tuple[str, Any]]:
    name = ""
    async for line in answer.aiter_lines():
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            yield name, json.loads(line[6:])


async def action(events: AsyncIterator[tuple[str, Any]], number: int) -> None:
    """Wait for the action of that number, which must be the next one."""
    async with asyncio.timeout(PATIENCE):
        async for name, data in events:
            assert name in ("action", "table"), "nothing is sent again from the beginning"
            if name == "action":
                assert data["n"] == number, "no action is missing"
                return


async def until_lost(events: AsyncIterator[tuple[str, Any]]) -> None:
    async for _ in events:
        pass


@asynccontextmanager
async def two_processes(folder: Path, database: str) -> AsyncIterator[tuple[Process, Process]]:
    for name in ("one", "two"):
        (folder / name).mkdir()
    async with (
        hall_process(folder / "one", MEADHALL_DATABASE_URL=database) as one,
        hall_process(folder / "two", MEADHALL_DATABASE_URL=database) as two,
    ):
        yield one, two


async def test_a_stream_shows_what_happens_at_another_process_and_goes_on_there(tmp_path: Path, postgresql: PostgreSQL) -> None:
    async with two_processes(tmp_path, postgresql.new_database()) as (one, two):
        players = [await Program.new(one, "Ask"), await Program.new(two, "Embla")]
        table = (await players[0].post(one, "/tables", game=GAME, players=2))["id"]
        await players[1].post(two, f"/tables/{table}/join")
        view = (await players[0].post(one, f"/tables/{table}/start"))["view"]  # the other player is known to be present
        times: list[float] = []
        number = 0

        async def act(hall: Process) -> float:
            nonlocal view, number
            legal = await players[view["actor"]].get(hall, f"/tables/{table}/legal")
            number, began = view["next"], time.monotonic()
            view = (await players[view["actor"]].post(hall, f"/tables/{table}/actions", action=legal[0]["action"], n=number))[
                "view"
            ]
            return began

        async with players[1].events(two, table) as events:
            while len(times) < 12:
                began = await act(one)
                await action(events, number)
                times.append(time.monotonic() - began)
                assert (await players[0].get(two, f"/tables/{table}"))["view"]["next"] == number + 1
        assert sorted(times)[len(times) // 2] < 1.0, "it takes some milliseconds on a machine that does nothing else"
        async with players[0].events(one, table, after=number) as lost:
            await one.end(signal.SIGKILL)
            with pytest.raises(httpx.TransportError):
                await until_lost(lost)
        known = number
        await act(two)
        async with players[0].events(two, table, after=known) as events:
            await action(events, known + 1)
