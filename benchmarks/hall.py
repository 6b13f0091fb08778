"""The hall under load: 500 open streams at 100 tables, with moves at random times, each persisted before it is published.

    .venv/bin/python benchmarks/hall.py [--rates 100,300,600] [--seconds 20] [--streams pages,api] [--game axes-and-allies]
        [--tables 100] [--bots 8 [--ranks jarl,karl,none]] [--encoding zstd] [--life quiet,lively]

The benchmark starts a real server process with a real database file and real sockets. Each table has four players and a
spectator, each with an open event stream: of a page (frames of HTML), or of the JSON API. Moves are posted as a page or a program
posts them. The delay of a move is the time from sending the post until the outcome arrives at a stream. In practice the load
would come from other machines, so the benchmark generates it on a separate core where possible: Linux wakes the receiver of a
message on the core of its sender, and without the separation the load generator would interrupt the hall with every frame.

The responses to posts are compressed as ``--encoding`` says. ``B/frame`` is the size of a frame on the wire.

``ms/move`` is the CPU time of the hall for a move: the post, the match, the commit and the streams of five viewers. The other
columns have the CPU use of three processes (the hall, its worker, the load generator) and the memory of the first two. ``loop
p99`` is the 99th percentile of the hall's event-loop lag. Moves are random. In Axes and Allies they are only alliances, so its
matches never end; at the tables of other games a new match follows the last.

``--life`` measures one hall after the other: ``quiet``, without clocks and chat, and ``lively``, where each table has clocks and
people say ten lines of chat a second, at random tables. Name both several times to compare them side by side.

``--bots`` opens that many more tables with six bots each. The benchmark measures every rate without bots, with karls, who don't
search, and with jarls, who search all the time. The cost of the karls is the work for their tables; the difference to the jarls
is the cost of searching. Later rows measure a hall with more history, so compare with a run in the opposite order. A fourth
process plays for the one person at each of these tables; its moves are not part of the delays.
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
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import httpx
import psutil
from hall_load import HOST, PEOPLE, Connection, Table, chat, drive, open_tables

PLAYERS = 4

QUIET, LIVELY = "quiet", "lively"
CHAT_RATE = 10.0  # lines of chat a second at all tables of a lively hall

BOTS = 6  # per table of Viking Axes, strategic, with one person who always plays the first legal action
NO_BOTS = "none"
WARM_UP = 8.0  # seconds until the matches with bots have begun


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


@dataclass
class Hall:
    """The processes of a hall."""

    port: int
    main: psutil.Process

    @property
    def workers(self) -> list[psutil.Process]:
        """The processes that play for the bots."""
        return self.main.children()

    def cpu_seconds(self) -> list[float]:
        """Return the CPU time of the hall, its workers and this process so far."""
        return [cpu_seconds(each) for each in ([self.main], self.workers, [psutil.Process()])]


def cpu_seconds(processes: Sequence[psutil.Process]) -> float:
    """Return the CPU time of processes. One that has just ended has none."""
    total = 0.0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            total += sum(process.cpu_times()[:2])
    return total


def megabytes(processes: Sequence[psutil.Process]) -> float:
    return float(sum(process.memory_info().rss for process in processes)) / 1e6


async def run(given: argparse.Namespace, game: str, streams: str, life: str, hall: Hall) -> None:
    """Open the tables, then measure and print a row for every rank and rate."""
    tables = await open_tables(hall.port, streams, given.encoding, game, given.tables, PLAYERS, clocked=life == LIVELY)
    for rank in given.ranks if given.bots else [NO_BOTS]:
        async with bots_playing(hall.port, rank, given.bots):
            for rate in given.rates:
                await measure(tables, streams, life, rank, rate, given.seconds, hall)
    for table in tables:
        await table.close()


def print_heading() -> None:
    print(
        f"{'game':>15} {'streams':>8} {'life':>6} {'bots':>5} {'moves/s':>8} {'done/s':>7} {'p50 ms':>7} {'p99 ms':>7} "
        f"{'post p50':>9} {'post p99':>9} "
        f"{'loop p99':>9} {'late':>5} {'B/frame':>8} {'ms/move':>8} "
        f"{'hall CPU':>9} {'MB':>5} {'worker':>7} {'MB':>5} {'load CPU':>9}"
    )


async def measure(tables: list[Table], streams: str, life: str, rank: str, rate: int, seconds: float, hall: Hall) -> None:
    """Make ``rate`` moves per second for some seconds and print a row."""
    for table in tables:
        table.delays.clear()
        table.posts.clear()
        table.late = table.received = 0
    lag_before = await event_loop_lag(hall.port)
    began = time.perf_counter()
    before = hall.cpu_seconds()
    until = began + seconds
    work = [drive(table, random.Random(number), len(tables) / rate, until) for number, table in enumerate(tables)]
    if life == LIVELY:
        work.append(chat(tables, random.Random(rate), CHAT_RATE, until))
    await asyncio.gather(*work)
    elapsed = time.perf_counter() - began
    after = hall.cpu_seconds()
    lag = {bound: count - lag_before[bound] for bound, count in (await event_loop_lag(hall.port)).items()}
    cores = [(later - earlier) / elapsed for earlier, later in zip(before, after, strict=True)]
    delays = [delay for table in tables for delay in table.delays]
    posts = [delay for table in tables for delay in table.posts]
    print(
        f"{tables[0].game:>15} {streams:>8} {life:>6} {rank:>5} {rate:>8} {len(posts) / elapsed:>7.0f} "
        f"{percentile(delays, 0.5):>7.1f} {percentile(delays, 0.99):>7.1f} "
        f"{percentile(posts, 0.5):>9.1f} {percentile(posts, 0.99):>9.1f} "
        f"{percentile_of_histogram(lag, 0.99):>9.1f} {sum(table.late for table in tables):>5} "
        f"{sum(table.received for table in tables) / len(delays):>8.0f} {1000 * cores[0] * elapsed / len(posts):>8.2f} "
        f"{cores[0]:>9.0%} {megabytes([hall.main]):>5.0f} {cores[1]:>7.0%} {megabytes(hall.workers):>5.0f} {cores[2]:>9.0%}",
        flush=True,
    )


async def event_loop_lag(port: int) -> dict[float, float]:
    """Return the histogram of the event-loop lag of the hall: cumulative counts by upper bound in seconds."""
    _, _, metrics = await Connection(port, "identity").request("GET", "/metrics")
    buckets = re.findall(rb'^meadhall_event_loop_lag_seconds_bucket\{le="([^"]+)",[^}]+\} (\S+)', metrics, re.MULTILINE)
    counts: dict[float, float] = {}
    for bound, count in buckets:
        counts[float(bound)] = counts.get(float(bound), 0.0) + float(count)
    return counts


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
            _, _, games = await Connection(port, "identity").request("GET", "/api/v1/games")
            if b'"ready":true' in games and b'"ready":false' not in games:
                return
        except OSError:
            pass
        await asyncio.sleep(0.2)


def separate_cores(hall: psutil.Process) -> None:
    """Give the last core to this process and the others to the hall, if the system allows it. The worker keeps its own choice."""
    *others, last = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    if others:
        os.sched_setaffinity(0, {last})
        os.sched_setaffinity(hall.pid, set(others))


@contextlib.contextmanager
def open_hall() -> Iterator[Hall]:
    """Start a hall with an empty database."""
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
        with subprocess.Popen(command, env={**os.environ, **settings}) as process:
            try:
                yield Hall(port, psutil.Process(process.pid))
            finally:
                process.terminate()


async def main(given: argparse.Namespace) -> None:
    print_heading()
    for streams, life in product(given.streams, given.life):
        with open_hall() as hall:
            await until_ready(hall.port)
            separate_cores(hall.main)
            for game in given.game:
                await run(given, game, streams, life, hall)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", type=numbers, default="100,300", help="moves per second, separated by commas")
    parser.add_argument("--seconds", type=float, default=20.0, help="length of each measurement")
    parser.add_argument("--streams", type=names, default="pages", help=f"kinds of streams: {', '.join(PEOPLE)}")
    parser.add_argument("--game", type=names, default="axes-and-allies", help="the games at the tables, one after the other")
    parser.add_argument("--tables", type=int, default=100, help="number of tables")
    parser.add_argument("--bots", type=int, default=8, help="number of additional tables with bots")
    parser.add_argument("--encoding", choices=("identity", "gzip", "zstd"), default="zstd", help="of the responses to posts")
    parser.add_argument("--ranks", type=names, default=f"{NO_BOTS},karl,jarl", help="ranks of these bots, one after the other")
    parser.add_argument("--life", type=names, default=QUIET, help=f"{QUIET} halls and {LIVELY} ones, one after the other")
    asyncio.run(main(parser.parse_args()))
