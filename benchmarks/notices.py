"""Two halls on one PostgreSQL database: how long a change at one of them takes to reach a stream at the other.

    .venv/bin/python benchmarks/notices.py --database postgresql://user:password@host/name [--moves 300]

Two real processes of ``meadhall serve`` share the database. Two programs play Axes and Allies with random actions, one at a time,
all of them at hall A. A stream of the JSON API is open at each hall. ``move to A`` and ``move to B`` are the times from sending
the post until its action arrives at the stream, ``answer to B`` is the time from the answer of the post until then (negative: the
stream was first). ``get at B`` is a request for the table at hall B right after the answer; it must show the action, or the
benchmark fails. ``CPU`` is the time of both halls for a move, the two requests at hall B included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import psutil

GAME = "axes-and-allies"
HOST = "127.0.0.1"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def hall(database: str) -> AsyncIterator[tuple[str, psutil.Process]]:
    """Run a hall during the block; yield its address and its process."""
    port, folder = free_port(), tempfile.mkdtemp()
    settings = {"DATABASE_URL": database, "DATA": folder, "PORT": str(port), "NO_BROWSER": "1", "REQUESTS_PER_MINUTE": "0"}
    environment = os.environ | {f"MEADHALL_{name}": value for name, value in settings.items()}
    server = subprocess.Popen(  # noqa: ASYNC220 - it starts at once
        [sys.executable, "-m", "meadhall.cli", "serve"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        async with httpx.AsyncClient(base_url=f"http://{HOST}:{port}", timeout=60) as client:
            while True:
                try:
                    games = (await client.get("/api/v1/games")).json()
                    if all(game["ready"] for game in games if game["name"] == GAME):
                        break
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.1)
        yield f"http://{HOST}:{port}/api/v1", psutil.Process(server.pid)
    finally:
        server.terminate()
        server.wait()


async def program(address: str, name: str) -> httpx.AsyncClient:
    client = httpx.AsyncClient(base_url=address, timeout=60)
    token = (await client.post("/guests", json={"name": name})).json()["token"]
    client.headers["Authorization"] = f"Bearer {token}"
    return client


class Arrivals:
    """When the actions of a table arrived at a stream, by their number."""

    def __init__(self, client: httpx.AsyncClient, table: str) -> None:
        self._times: dict[int, asyncio.Future[float]] = {}
        self._reading = asyncio.create_task(self._read(client, table))

    async def at(self, number: int) -> float:
        async with asyncio.timeout(30):
            return await self._times.setdefault(number, asyncio.get_running_loop().create_future())

    async def _read(self, client: httpx.AsyncClient, table: str) -> None:
        async with client.stream("GET", f"/tables/{table}/events", headers={"Accept-Encoding": "identity"}) as events:
            async for line in events.aiter_lines():
                if line.startswith("id: "):
                    self._times.setdefault(int(line[4:]), asyncio.get_running_loop().create_future()).set_result(
                        time.perf_counter()
                    )

    def close(self) -> None:
        self._reading.cancel()


async def play(address: str, other: str, moves: int, times: dict[str, list[float]]) -> int:
    """Play one match, or ``moves`` actions of it. Return their number."""
    players = [await program(address, name) for name in ("Ask", "Embla")]
    table: dict[str, Any] = (await players[0].post("/tables", json={"game": GAME, "players": 2})).json()
    id = table["id"]
    await players[1].post(f"/tables/{id}/join", json={})
    table = (await players[0].post(f"/tables/{id}/start")).raise_for_status().json()
    there = httpx.AsyncClient(base_url=other, timeout=60, headers=players[0].headers)
    arrivals = [Arrivals(client, id) for client in (players[0], there)]
    await asyncio.sleep(0.3)
    played = 0
    while table["view"]["actor"] is not None and played < moves:
        actor, number = players[table["view"]["actor"]], table["view"]["next"]
        legal = (await actor.get(f"/tables/{id}/legal")).json()
        began = time.perf_counter()
        answer = await actor.post(f"/tables/{id}/actions", json={"action": random.choice(legal)["action"], "n": number})
        answered = time.perf_counter()
        table = answer.raise_for_status().json()
        seen = (await there.get(f"/tables/{id}")).raise_for_status().json()
        got = time.perf_counter()
        if seen["view"]["next"] <= number:
            raise AssertionError(f"hall B did not know action {number} of table {id}")
        here, elsewhere = [await each.at(number) for each in arrivals]
        times["move to A"].append(here - began)
        times["move to B"].append(elsewhere - began)
        times["answer to B"].append(elsewhere - answered)
        times["get at B"].append(got - answered)
        played += 1
    for arrival in arrivals:
        arrival.close()
    for client in (*players, there):
        await client.aclose()
    return played


async def run(database: str, moves: int) -> None:
    times: dict[str, list[float]] = {name: [] for name in ("move to A", "move to B", "answer to B", "get at B")}
    async with hall(database) as (first, a), hall(database) as (second, b):
        await play(first, second, 20, {name: [] for name in times})  # warm up
        before = sum(sum(process.cpu_times()[:2]) for process in (a, b))
        played = 0
        while played < moves:
            played += await play(first, second, moves - played, times)
        cpu = sum(sum(process.cpu_times()[:2]) for process in (a, b)) - before
    print(f"{played} moves; CPU {1000 * cpu / played:.1f} ms a move")
    for name, values in times.items():
        p99 = statistics.quantiles(values, n=100)[98]
        print(f"{name:>12}: median {1000 * statistics.median(values):6.1f} ms, p99 {1000 * p99:6.1f} ms")
    print(json.dumps({name: round(1000 * statistics.median(values), 2) for name, values in times.items()}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", required=True, help="the URL of an empty PostgreSQL database")
    parser.add_argument("--moves", type=int, default=300)
    given = parser.parse_args()
    asyncio.run(run(given.database, given.moves))
