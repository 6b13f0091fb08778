"""The hall under load: 500 live pages on 100 tables, moves at random moments, every one persisted before it is told.

    .venv/bin/python benchmarks/hall.py [--rates 100,300] [--seconds 20] [--bots 8 [--ranks jarl,karl,none]]

A real server process, a real database file, real sockets. Each table has four players and a spectator with an open stream
each. A move is a form post as a page makes it; its delay is the time from sending the post until the frame with its outcome
has arrived at a stream. The load, which would come from other machines, is made on a core of its own, where there is more than
one and the system can tell them apart: Linux wakes who gets a message on the core of who has sent it, and the load would
interrupt the hall with every frame.

What each of the three uses of a core is in the table: the hall, the process beside it in which its bots think, and the one
that makes the load; and the memory of the first two. ``loop p99`` is how late the hall's event loop wakes what asked to be woken.
``--bots`` opens so many more tables, at each of which six bots play, and measures every rate without them, with karls, who don't
think, and with jarls, who think all the time: what karls cost is the work for the tables, and the rest is the thinking. What is
measured later finds a hall that has played more, so compare runs in this order and in the opposite one. The person at such a
table is a program in a third process, which the delays don't wait for.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import httpx
import psutil

TABLES = 100
PLAYERS = 4
ALLY = 6  # the first of the actions that make an alliance: nobody dies, so the matches last as long as the measurement

BOTS = 6  # at a table where they play Viking Axes, strategic, with a person who does what is offered first
NOBODY = "none"
BEGINNING = 8.0  # seconds after which their matches are under way

HOST = "127.0.0.1"


@dataclass
class Person:
    """A browser: its cookies, and one connection that it keeps for its posts."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    def head(self, method: str, path: str, length: int = 0, extra: str = "") -> bytes:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return (
            f"{method} {path} HTTP/1.1\r\nHost: {HOST}:{self.port}\r\nCookie: {cookies}\r\nSec-Fetch-Site: same-origin\r\n{extra}"
            f"Content-Length: {length}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
        ).encode()

    async def ask(self, method: str, path: str, form: dict[str, str] | None = None, extra: str = "") -> tuple[int, str, bytes]:
        """Status, Location and body of the answer to one request."""
        if self.reader is None or self.writer is None or self.reader.at_eof():
            self.reader, self.writer = await asyncio.open_connection(HOST, self.port, limit=1 << 20)
        body = urlencode(form or {}).encode()
        self.writer.write(self.head(method, path, len(body), extra) + body)
        try:
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        except (asyncio.IncompleteReadError, ConnectionResetError):  # the kept connection had just been closed as idle
            self.reader = None
            return await self.ask(method, path, form, extra)
        for name, value in re.findall(r"set-cookie: ([^=]+)=([^;\r]*)", head, re.IGNORECASE):
            self.cookies[name] = value
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        content = await self.reader.readexactly(int(length[1])) if length else b""
        location = re.search(r"location: (\S+)", head, re.IGNORECASE)
        return int(head.split()[1]), location[1] if location else "", content


@dataclass
class Table:
    """One table: who sits there, and when its last move was sent."""

    path: str
    people: list[Person]
    number: int = 1
    sent: float = 0.0
    waiting: int = 0
    delays: list[float] = field(default_factory=list)
    posts: list[float] = field(default_factory=list)
    late: int = 0
    all_told: asyncio.Event = field(default_factory=asyncio.Event)
    turn: tuple[Person, int] | None = None  # who is to decide, and an alliance they can make


async def watch(table: Table, person: Person, ready: asyncio.Semaphore) -> None:
    """Keep a stream open, and note when what was sent arrives."""
    reader, writer = await asyncio.open_connection(HOST, person.port, limit=1 << 20)
    writer.write(person.head("GET", f"{table.path}/stream"))
    seen: set[float] = set()
    first = True
    with contextlib.closing(writer):
        while True:
            block = await reader.readuntil(b"\n\n")
            if b"data:" not in block:
                continue
            if b" yours" in block:
                table.turn = person, alliance(block)
            if first:
                first = False
                ready.release()
            elif table.sent and table.sent not in seen:
                seen = {table.sent}
                table.delays.append(time.perf_counter() - table.sent)
                table.waiting -= 1
                if table.waiting == 0:
                    table.all_told.set()


def alliance(frame: bytes) -> int:
    """The first alliance that a frame offers."""
    buttons = re.findall(rb"<button[^>]*>", frame)
    offered = [
        int(found[1]) for button in buttons if b"aria-disabled" not in button and (found := re.search(rb'value="(\d+)"', button))
    ]
    return next(action for action in offered if action >= ALLY)


async def open_tables(port: int) -> list[Table]:
    tables = []
    for _ in range(TABLES):
        people = [Person(port) for _ in range(PLAYERS + 1)]
        host = people[0]
        await host.ask("GET", "/")
        _, path, _ = await host.ask("POST", "/tables", {"game": "axes-and-allies", "kind": "friends", "players": str(PLAYERS)})
        for person in people[1:]:
            await person.ask("GET", path)
        for guest in people[1:PLAYERS]:
            await guest.ask("POST", f"{path}/seats", {"set": "sit"})
        await host.ask("POST", f"{path}/start")
        tables.append(Table(path, people))
    return tables


async def let_bots_play(port: int, rank: str) -> None:
    """A table with bots, one after the other; the person there does at once what is offered first."""
    async with httpx.AsyncClient(base_url=f"http://{HOST}:{port}/api/v1", timeout=60) as client:
        guest = (await client.post("/guests", json={"name": "Host"})).json()
        client.headers["Authorization"] = f"Bearer {guest['token']}"
        while True:
            setup = {"game": "viking-axes", "options": {"variant": "strategic"}, "bots": [rank] * BOTS, "players": BOTS + 1}
            answer = await client.post("/tables", json=setup)
            address = f"/tables/{answer.raise_for_status().json()['id']}"
            async with client.stream("GET", f"{address}/events") as events:
                async for line in events.aiter_lines():
                    if not line.startswith('data: {"id"'):  # only what says how the table is now
                        continue
                    table = json.loads(line.removeprefix("data: "))
                    if table["result"] is not None:
                        break
                    if table["view"]["legal"]:
                        played = await client.post(f"{address}/actions", json={"action": table["view"]["legal"][0]["action"]})
                        played.raise_for_status()


def play_with_bots(port: int, rank: str, tables: int) -> None:
    """In a process of its own: keep so many tables with bots of a rank going."""

    async def play() -> None:
        await asyncio.gather(*(let_bots_play(port, rank) for _ in range(tables)))

    asyncio.run(play())


@contextlib.asynccontextmanager
async def bots_playing(port: int, rank: str, tables: int) -> AsyncIterator[None]:
    """Tables at which bots of a rank play, unless it is nobody, as long as the block lasts."""
    if rank == NOBODY:
        yield
        return
    person = multiprocessing.get_context("spawn").Process(target=play_with_bots, args=(port, rank, tables), daemon=True)
    person.start()
    await asyncio.sleep(BEGINNING)
    yield
    if not person.is_alive():
        raise RuntimeError(f"nobody played with the {rank}s any more")
    person.terminate()
    person.join()


async def move(table: Table) -> None:
    """One move, until everybody at the table has been told."""
    assert table.turn is not None
    person, action = table.turn
    table.waiting = len(table.people)
    table.all_told.clear()
    table.sent = time.perf_counter()
    status, _, _ = await person.ask(
        "POST", f"{table.path}/act", {"action": str(action), "n": str(table.number)}, "HX-Request: true\r\n"
    )
    table.posts.append(time.perf_counter() - table.sent)
    if status != 200:
        raise RuntimeError(f"{table.path}: status {status}")
    await table.all_told.wait()
    table.number += 1


async def drive(table: Table, chance: random.Random, interval: float, until: float) -> None:
    """Moves at random moments, so many on average; those that start late because the one before took too long are counted."""
    due = time.perf_counter() + chance.expovariate(1 / interval)
    while due < until:
        pause = due - time.perf_counter()
        if pause > 0:
            await asyncio.sleep(pause)
        elif pause < -interval:
            table.late += 1
        await move(table)
        due += chance.expovariate(1 / interval)


def percentile(values: list[float], payoff: float) -> float:
    return statistics.quantiles(values, n=1000)[round(payoff * 1000) - 1] * 1000


def percentile_within(counts: dict[float, float], payoff: float) -> float:
    """Milliseconds from how often it was at most so many seconds, evenly within each step."""
    wanted = payoff * max(counts.values())
    below, fewer = 0.0, 0.0
    for bound, count in sorted(counts.items()):
        if count >= wanted:
            return 1000 * (below + (bound - below) * (wanted - fewer) / (count - fewer))
        below, fewer = bound, count
    raise ValueError("nothing was counted")


def used(process: psutil.Process) -> float:
    """Seconds of CPU that a process has had."""
    times = process.cpu_times()
    return float(times.user + times.system)


def megabytes(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / 1e6


async def load(asked: argparse.Namespace, port: int, server: psutil.Process) -> None:
    tables = await open_tables(port)
    ready = asyncio.Semaphore(0)
    subscribers = [asyncio.create_task(watch(table, person, ready)) for table in tables for person in table.people]
    for _ in subscribers:
        await ready.acquire()
    print(f"{len(subscribers)} streams on {len(tables)} tables; a frame is about {await frame_size(tables[0])} bytes")
    print(
        f"{'bots':>8} {'moves/s':>8} {'done/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'post p50':>9} {'post p99':>9} "
        f"{'loop p99':>9} {'late':>5} {'hall CPU':>9} {'MB':>5} {'bots CPU':>9} {'MB':>5} {'load CPU':>9}"
    )
    for rank in asked.ranks if asked.bots else [NOBODY]:
        async with bots_playing(port, rank, asked.bots):
            for rate in asked.rates:
                await measure(tables, rank, rate, asked.seconds, server)
    for task in subscribers:
        if task.done() and not task.cancelled():
            task.result()
        task.cancel()


async def measure(tables: list[Table], rank: str, rate: int, seconds: float, server: psutil.Process) -> None:
    """One row: so many moves a second for so long."""
    for table in tables:
        table.delays.clear()
        table.posts.clear()
        table.late = 0
    (bots,) = server.children()
    lag_before = await event_loop_lag(tables[0])
    began = time.perf_counter()
    before = [used(process) for process in (server, bots, psutil.Process())]
    until = began + seconds
    await asyncio.gather(*(drive(table, random.Random(number), len(tables) / rate, until) for number, table in enumerate(tables)))
    elapsed = time.perf_counter() - began
    after = [used(process) for process in (server, bots, psutil.Process())]
    late = {bound: count - lag_before[bound] for bound, count in (await event_loop_lag(tables[0])).items()}
    cores = [(later - earlier) / elapsed for earlier, later in zip(before, after, strict=True)]
    delays = [delay for table in tables for delay in table.delays]
    posts = [delay for table in tables for delay in table.posts]
    print(
        f"{rank:>8} {rate:>8} {len(posts) / elapsed:>8.0f} "
        f"{percentile(delays, 0.5):>8.1f} {percentile(delays, 0.99):>8.1f} "
        f"{percentile(posts, 0.5):>9.1f} {percentile(posts, 0.99):>9.1f} "
        f"{percentile_within(late, 0.99):>9.1f} {sum(table.late for table in tables):>5} "
        f"{cores[0]:>9.0%} {megabytes(server):>5.0f} {cores[1]:>9.0%} {megabytes(bots):>5.0f} {cores[2]:>9.0%}",
        flush=True,
    )


async def event_loop_lag(table: Table) -> dict[float, float]:
    """How often the hall's event loop was at most so many seconds late, as the hall tells itself."""
    _, _, metrics = await table.people[0].ask("GET", "/metrics")
    buckets = re.findall(rb'^meadhall_event_loop_lag_seconds_bucket\{le="([^"]+)"\} (\S+)', metrics, re.MULTILINE)
    return {float(bound): float(count) for bound, count in buckets}


async def frame_size(table: Table) -> int:
    reader, writer = await asyncio.open_connection(HOST, table.people[0].port, limit=1 << 20)
    with contextlib.closing(writer):
        writer.write(table.people[0].head("GET", f"{table.path}/stream"))
        await reader.readuntil(b"\r\n\r\n")
        return len(await reader.readuntil(b"\n\n"))


def numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


def names(text: str) -> list[str]:
    return text.split(",")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


async def until_ready(port: int) -> None:
    """Wait until the rules are compiled."""
    while True:
        try:
            _, _, games = await Person(port).ask("GET", "/api/v1/games")
            if b'"ready":true' in games and b'"ready":false' not in games:
                return
        except OSError:
            pass
        await asyncio.sleep(0.2)


def keep_apart(server: int) -> None:
    """Give the last core to the load, the others to the hall; the process in which its bots think has chosen for itself."""
    *others, last = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    if others:
        os.sched_setaffinity(0, {last})
        os.sched_setaffinity(server, set(others))


async def main(asked: argparse.Namespace) -> None:
    port = free_port()
    with tempfile.TemporaryDirectory() as data:
        settings = {
            "MEADHALL_PORT": str(port),
            "MEADHALL_DATA": data,
            "MEADHALL_NO_BROWSER": "1",
            "MEADHALL_REQUESTS_PER_MINUTE": "0",
        }
        command = [str(Path(sys.executable).with_name("meadhall")), "serve"]
        with subprocess.Popen(command, env={**os.environ, **settings}) as process:  # noqa: ASYNC220 - nothing else runs yet
            try:
                await until_ready(port)
                keep_apart(process.pid)
                await load(asked, port, psutil.Process(process.pid))
            finally:
                process.terminate()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", type=numbers, default="100,300", help="moves per second, one measurement each")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each")
    parser.add_argument("--bots", type=int, default=8, help="tables of bots meanwhile")
    parser.add_argument("--ranks", type=names, default=f"{NOBODY},karl,jarl", help="who plays there, one after the other")
    asyncio.run(main(parser.parse_args()))
