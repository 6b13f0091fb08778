"""The hall under load: 500 live pages at 100 tables, with moves at random times, each persisted before it is published.

    .venv/bin/python benchmarks/hall.py [--rates 100,300] [--seconds 20] [--bots 8 [--ranks jarl,karl,none]] [--encoding zstd]

The benchmark starts a real server process with a real database file and real sockets. Each table has four players and a
spectator, each with an open event stream. A move is a form post like that of a page. Its delay is the time from sending the post
until the frame with the outcome arrives at a stream. In practice the load would come from other machines, so the benchmark
generates it on a separate core where possible: Linux wakes the receiver of a message on the core of its sender, and without the
separation the load generator would interrupt the hall with every frame.

Streams and the responses to posts are compressed as ``--encoding`` says. ``B/frame`` is the size of a frame on the wire.

The printed table has the CPU use of three processes (the hall, its worker, the load generator) and the memory of the first two.
``loop p99`` is the 99th percentile of the hall's event-loop lag. ``--bots`` opens that many more tables with six bots each. The
benchmark measures every rate without bots, with karls, who don't search, and with jarls, who search all the time. The cost of
the karls is the work for their tables; the difference to the jarls is the cost of searching. Later rows measure a hall with
more history, so compare with a run in the opposite order. A fourth process plays for the one person at each of these tables;
its moves are not part of the delays.
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
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import httpx
import psutil
from backports import zstd

TABLES = 100
PLAYERS = 4
ALLY = 6  # the first action that makes an alliance; without attacks no player dies, and the matches never end

BOTS = 6  # per table of Viking Axes, strategic, with one person who always plays the first legal action
NO_BOTS = "none"
WARM_UP = 8.0  # seconds until the matches with bots have begun

HOST = "127.0.0.1"


@dataclass
class Person:
    """A browser: its cookies, and a persistent connection for its posts."""

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

    async def request(
        self, method: str, path: str, form: dict[str, str] | None = None, extra: str = ""
    ) -> tuple[int, str, bytes]:
        """Send a request and return the status, the Location header and the body of its response."""
        if self.reader is None or self.writer is None or self.reader.at_eof():
            self.reader, self.writer = await asyncio.open_connection(HOST, self.port, limit=1 << 20)
        body = urlencode(form or {}).encode()
        self.writer.write(self.head(method, path, len(body), extra) + body)
        try:
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        except (asyncio.IncompleteReadError, ConnectionResetError):  # the hall has just closed the idle connection
            self.reader = None
            return await self.request(method, path, form, extra)
        for name, value in re.findall(r"set-cookie: ([^=]+)=([^;\r]*)", head, re.IGNORECASE):
            self.cookies[name] = value
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        content = await self.reader.readexactly(int(length[1])) if length else b""
        location = re.search(r"location: (\S+)", head, re.IGNORECASE)
        return int(head.split()[1]), location[1] if location else "", content


@dataclass
class Table:
    """A table: its people, the time of its last move, and the measured delays in seconds."""

    path: str
    people: list[Person]
    encoding: str
    number: int = 1
    sent_at: float = 0.0
    waiting: int = 0
    delays: list[float] = field(default_factory=list)
    posts: list[float] = field(default_factory=list)
    late: int = 0
    received: int = 0
    all_received: asyncio.Event = field(default_factory=asyncio.Event)
    turn: tuple[Person, int] | None = None  # the person to move, and a legal alliance


async def subscribe(table: Table, person: Person, ready: asyncio.Semaphore) -> None:
    """Keep a stream open and record the delay of every move."""
    reader, writer = await asyncio.open_connection(HOST, person.port, limit=1 << 20)
    writer.write(person.head("GET", f"{table.path}/stream", extra=f"Accept-Encoding: {table.encoding}\r\n"))
    seen: set[float] = set()
    first = True
    with contextlib.closing(writer):
        async for block in events(reader, table):
            if b"data:" not in block:
                continue
            if b" yours" in block:
                table.turn = person, alliance(block)
            if first:
                first = False
                ready.release()
            elif table.sent_at and table.sent_at not in seen:
                seen = {table.sent_at}
                table.delays.append(time.perf_counter() - table.sent_at)
                table.waiting -= 1
                if table.waiting == 0:
                    table.all_received.set()


async def events(reader: asyncio.StreamReader, table: Table) -> AsyncIterator[bytes]:
    """Yield the events of a stream, decoded, and count its bytes."""
    await reader.readuntil(b"\r\n\r\n")
    decode: Callable[[bytes], bytes] = bytes
    if table.encoding == "gzip":
        decode = zlib.decompressobj(31).decompress
    elif table.encoding == "zstd":
        decode = zstd.ZstdDecompressor().decompress
    text = b""
    while True:
        chunk = await reader.readexactly(int(await reader.readuntil(b"\r\n"), 16) + 2)
        table.received += len(chunk)
        *blocks, text = (text + decode(chunk[:-2])).split(b"\n\n")
        for block in blocks:
            yield block


def alliance(frame: bytes) -> int:
    """Return the first legal alliance in a frame."""
    buttons = re.findall(rb"<button[^>]*>", frame)
    offered = [
        int(found[1]) for button in buttons if b"aria-disabled" not in button and (found := re.search(rb'value="(\d+)"', button))
    ]
    return next(action for action in offered if action >= ALLY)


async def open_tables(port: int, encoding: str) -> list[Table]:
    tables = []
    for _ in range(TABLES):
        people = [Person(port) for _ in range(PLAYERS + 1)]
        host = people[0]
        await host.request("GET", "/")
        setup = {"game": "axes-and-allies", "kind": "friends", "players": str(PLAYERS)}
        _, path, _ = await host.request("POST", "/tables", setup)
        for person in people[1:]:
            await person.request("GET", path)
        for guest in people[1:PLAYERS]:
            await guest.request("POST", f"{path}/seats", {"set": "sit"})
        await host.request("POST", f"{path}/start")
        tables.append(Table(path, people, encoding))
    return tables


async def let_bots_play(port: int, rank: str) -> None:
    """Play one match against bots after another, always with the first legal action."""
    async with httpx.AsyncClient(base_url=f"http://{HOST}:{port}/api/v1", timeout=60) as client:
        guest = (await client.post("/guests", json={"name": "Host"})).json()
        client.headers["Authorization"] = f"Bearer {guest['token']}"
        while True:
            setup = {"game": "viking-axes", "options": {"variant": "strategic"}, "bots": [rank] * BOTS, "players": BOTS + 1}
            answer = await client.post("/tables", json=setup)
            address = f"/tables/{answer.raise_for_status().json()['id']}"
            async with client.stream("GET", f"{address}/events") as events:
                async for line in events.aiter_lines():
                    if not line.startswith('data: {"id"'):  # skip all lines but the states of the table
                        continue
                    table = json.loads(line.removeprefix("data: "))
                    if table["result"] is not None:
                        break
                    if table["view"]["legal"]:
                        played = await client.post(f"{address}/actions", json={"action": table["view"]["legal"][0]["action"]})
                        played.raise_for_status()


def play_with_bots(port: int, rank: str, tables: int) -> None:
    """Keep a number of tables with bots of a rank busy. Runs in a separate process."""

    async def play() -> None:
        await asyncio.gather(*(let_bots_play(port, rank) for _ in range(tables)))

    asyncio.run(play())


@contextlib.asynccontextmanager
async def bots_playing(port: int, rank: str, tables: int) -> AsyncIterator[None]:
    """Let bots of a rank play at tables during the block; ``NO_BOTS`` opens no tables."""
    if rank == NO_BOTS:
        yield
        return
    player = multiprocessing.get_context("spawn").Process(target=play_with_bots, args=(port, rank, tables), daemon=True)
    player.start()
    await asyncio.sleep(WARM_UP)
    yield
    if not player.is_alive():
        raise RuntimeError(f"the process that plays against the {rank}s has ended early")
    player.terminate()
    player.join()


async def move(table: Table) -> None:
    """Make a move and wait until every stream of the table has its frame."""
    assert table.turn is not None
    person, action = table.turn
    table.waiting = len(table.people)
    table.all_received.clear()
    table.sent_at = time.perf_counter()
    status, _, _ = await person.request(
        "POST",
        f"{table.path}/act",
        {"action": str(action), "n": str(table.number)},
        f"HX-Request: true\r\nAccept-Encoding: {table.encoding}\r\n",
    )
    table.posts.append(time.perf_counter() - table.sent_at)
    if status != 200:
        raise RuntimeError(f"{table.path}: status {status}")
    await table.all_received.wait()
    table.number += 1


async def drive(table: Table, chance: random.Random, interval: float, until: float) -> None:
    """Make moves at random times, ``interval`` seconds apart on average. Count moves delayed by the one before as late."""
    due = time.perf_counter() + chance.expovariate(1 / interval)
    while due < until:
        pause = due - time.perf_counter()
        if pause > 0:
            await asyncio.sleep(pause)
        elif pause < -interval:
            table.late += 1
        await move(table)
        due += chance.expovariate(1 / interval)


def percentile(seconds: list[float], fraction: float) -> float:
    """Return a quantile in milliseconds."""
    return statistics.quantiles(seconds, n=1000)[round(fraction * 1000) - 1] * 1000


def percentile_of_histogram(counts: dict[float, float], fraction: float) -> float:
    """Return a quantile in milliseconds from cumulative counts by upper bound in seconds, with linear interpolation."""
    wanted = fraction * max(counts.values())
    below, fewer = 0.0, 0.0
    for bound, count in sorted(counts.items()):
        if count >= wanted:
            return 1000 * (below + (bound - below) * (wanted - fewer) / (count - fewer))
        below, fewer = bound, count
    raise ValueError("the histogram is empty")


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def megabytes(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / 1e6


async def run(given: argparse.Namespace, port: int, server: psutil.Process) -> None:
    """Open the tables, then measure and print a row for every rank and rate."""
    tables = await open_tables(port, given.encoding)
    ready = asyncio.Semaphore(0)
    subscribers = [asyncio.create_task(subscribe(table, person, ready)) for table in tables for person in table.people]
    for _ in subscribers:
        await ready.acquire()
    print(f"{len(subscribers)} streams at {len(tables)} tables; a frame has about {await frame_size(tables[0])} bytes")
    print(
        f"{'bots':>8} {'moves/s':>8} {'done/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'post p50':>9} {'post p99':>9} "
        f"{'loop p99':>9} {'late':>5} {'B/frame':>8} {'hall CPU':>9} {'MB':>5} {'worker':>9} {'MB':>5} {'load CPU':>9}"
    )
    for rank in given.ranks if given.bots else [NO_BOTS]:
        async with bots_playing(port, rank, given.bots):
            for rate in given.rates:
                await measure(tables, rank, rate, given.seconds, server)
    for task in subscribers:
        if task.done() and not task.cancelled():
            task.result()
        task.cancel()


async def measure(tables: list[Table], rank: str, rate: int, seconds: float, server: psutil.Process) -> None:
    """Make ``rate`` moves per second for some seconds and print a row."""
    for table in tables:
        table.delays.clear()
        table.posts.clear()
        table.late = table.received = 0
    (worker,) = server.children()
    lag_before = await event_loop_lag(tables[0])
    began = time.perf_counter()
    before = [cpu_seconds(process) for process in (server, worker, psutil.Process())]
    until = began + seconds
    await asyncio.gather(*(drive(table, random.Random(number), len(tables) / rate, until) for number, table in enumerate(tables)))
    elapsed = time.perf_counter() - began
    after = [cpu_seconds(process) for process in (server, worker, psutil.Process())]
    lag = {bound: count - lag_before[bound] for bound, count in (await event_loop_lag(tables[0])).items()}
    cores = [(later - earlier) / elapsed for earlier, later in zip(before, after, strict=True)]
    delays = [delay for table in tables for delay in table.delays]
    posts = [delay for table in tables for delay in table.posts]
    print(
        f"{rank:>8} {rate:>8} {len(posts) / elapsed:>8.0f} "
        f"{percentile(delays, 0.5):>8.1f} {percentile(delays, 0.99):>8.1f} "
        f"{percentile(posts, 0.5):>9.1f} {percentile(posts, 0.99):>9.1f} "
        f"{percentile_of_histogram(lag, 0.99):>9.1f} {sum(table.late for table in tables):>5} "
        f"{sum(table.received for table in tables) / len(delays):>8.0f} "
        f"{cores[0]:>9.0%} {megabytes(server):>5.0f} {cores[1]:>9.0%} {megabytes(worker):>5.0f} {cores[2]:>9.0%}",
        flush=True,
    )


async def event_loop_lag(table: Table) -> dict[float, float]:
    """Return the hall's histogram of its event-loop lag: cumulative counts by upper bound in seconds."""
    _, _, metrics = await table.people[0].request("GET", "/metrics")
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
    """Wait until the rules of every game are compiled."""
    while True:
        try:
            _, _, games = await Person(port).request("GET", "/api/v1/games")
            if b'"ready":true' in games and b'"ready":false' not in games:
                return
        except OSError:
            pass
        await asyncio.sleep(0.2)


def separate_cores(server: int) -> None:
    """Give the last core to this process and the others to the hall, if the system allows it. The worker keeps its own choice."""
    *others, last = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    if others:
        os.sched_setaffinity(0, {last})
        os.sched_setaffinity(server, set(others))


async def main(given: argparse.Namespace) -> None:
    port = free_port()
    with tempfile.TemporaryDirectory() as data:
        settings = {
            "MEADHALL_PORT": str(port),
            "MEADHALL_DATA": data,
            "MEADHALL_NO_BROWSER": "1",
            "MEADHALL_REQUESTS_PER_MINUTE": "0",
            "MEADHALL_STREAMS_PER_CLIENT": "1000",
            "MEADHALL_CONNECTIONS_PER_CLIENT": "2000",
        }
        command = [str(Path(sys.executable).with_name("meadhall")), "serve"]
        with subprocess.Popen(command, env={**os.environ, **settings}) as process:  # noqa: ASYNC220 - nothing else runs yet
            try:
                await until_ready(port)
                separate_cores(process.pid)
                await run(given, port, psutil.Process(process.pid))
            finally:
                process.terminate()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", type=numbers, default="100,300", help="moves per second, separated by commas")
    parser.add_argument("--seconds", type=float, default=20.0, help="length of each measurement")
    parser.add_argument("--bots", type=int, default=8, help="number of additional tables with bots")
    parser.add_argument("--encoding", choices=("identity", "gzip", "zstd"), default="zstd", help="compression of the streams")
    parser.add_argument("--ranks", type=names, default=f"{NO_BOTS},karl,jarl", help="ranks of these bots, one after the other")
    asyncio.run(main(parser.parse_args()))
