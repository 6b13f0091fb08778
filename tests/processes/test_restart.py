"""SIGHUP: the hall starts itself again, and no client notices. And a hall whose socket another program holds, which is killed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import chaos.load
from chaos.audit import audit
from chaos.faults import Chaos
from chaos.processes import HallProcesses
from processes.process import PATIENCE, Command, hall_process
from processes.service_manager import service_manager

pytestmark = pytest.mark.asyncio

OPEN = "The hall is open"

HOLD = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1'); "
HOLD += "os.execv(sys.argv[2], sys.argv[2:])"
"""What systemd does for a service with a socket unit."""


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.01)


class Load(chaos.load.Load):
    """A load that never repeats a request.

    Attributes:
        posts: number of requests that changed something.
        longest_answer: the longest time in seconds until an answer.
        back: for each stream that has begun again the seconds since its end.
        streams: number of streams that are open.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url, time.monotonic)
        self.posts = 0
        self.longest_answer = 0.0
        self.back: list[float] = []
        self.streams = 0

    async def _repeat(
        self, client: httpx.AsyncClient, method: str, path: str, done: int | None = None, **request: Any
    ) -> httpx.Response:
        began = time.monotonic()
        answer = await client.request(method, path, timeout=PATIENCE, **request)
        self.longest_answer = max(self.longest_answer, time.monotonic() - began)
        self.posts += method == "POST"
        if answer.status_code not in (200, 201, done):
            self.refused.append(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer

    async def follow(self, table: str, token: str) -> None:
        """Keep a stream of a table open. After its end wait for as long as a page does, and open it again."""
        headers = {"Authorization": token, "Accept-Encoding": "identity"}
        ended = 0.0
        async with httpx.AsyncClient(base_url=self.url, headers=headers, timeout=None) as client:  # noqa: S113
            while True:
                async with client.stream("GET", f"/api/v1/tables/{table}/events") as answer:
                    assert answer.status_code == 200
                    lines = answer.aiter_lines()
                    await anext(lines)
                    if ended:
                        self.back.append(time.monotonic() - ended)
                    self.streams += 1
                    async for _ in lines:
                        pass
                    self.streams -= 1
                ended = time.monotonic()
                await asyncio.sleep(random.uniform(0.35, 0.65))


async def restart_under_load(folder: Path, restarts: int, groups: list[tuple[int, int]], streams: int) -> Load:
    """Return the load of a hall that was restarted several times. Nothing of it has failed."""
    hall = HallProcesses(folder)
    await hall.start()
    load, enough = Load(hall.url), asyncio.Event()
    try:
        async with asyncio.TaskGroup() as tasks:
            players = [tasks.create_task(load.play(number, *group, enough)) for number, group in enumerate(groups)]
            await until(lambda: len(load.moved_at) == len(groups))
            followed = list(load.tables.items())
            following = [tasks.create_task(load.follow(*followed[n % len(followed)])) for n in range(streams)]
            await until(lambda: load.streams == streams)
            for number in range(restarts):
                before = len(load.acknowledged)
                os.kill(hall.pid, signal.SIGHUP)
                await until(lambda: len(load.back) == (number + 1) * streams)  # noqa: B023 - is called at once
                await until(lambda: len(load.acknowledged) >= before + 5)  # noqa: B023
                began = time.monotonic()
                await until(lambda: min(load.moved_at.values()) > began)  # noqa: B023 - the bots play on, too
            enough.set()
            await asyncio.gather(*players)
            for task in following:
                task.cancel()
        assert hall.log.read_text().count(OPEN) == restarts + 1
        assert len(hall.bot_workers) <= 1, "each restart ends the worker"
        assert await audit(load, hall.database) == []
        assert await hall.stop() == 0
    finally:
        await hall.kill()
    return load


@pytest.mark.slow("restarts a hall three times")
async def test_restarts_under_load_fail_no_request_and_end_no_stream_for_good(tmp_path: Path) -> None:
    load = await restart_under_load(tmp_path, restarts=3, groups=[(2, 0), (1, 3)], streams=8)
    assert len(load.acknowledged) > 15


@pytest.mark.long
async def test_twenty_restarts_under_full_load_keep_every_request_and_stream_waiting_for_a_moment_only(tmp_path: Path) -> None:
    began = time.monotonic()
    load = await restart_under_load(tmp_path, restarts=20, groups=[(2, 0)] * 4 + [(1, 3)], streams=100)
    seconds = time.monotonic() - began
    longest, back = load.longest_answer, max(load.back)
    told = f"{load.posts / seconds:.0f} posts a second, the longest answer in {longest:.1f} s, streams back in {back:.1f} s"
    print(told)  # noqa: T201 - the figures of the long run
    assert longest < 4.0, told
    assert back < 5.0, told


# ------------------------------------------------------------------------------------------------------------------- sockets


@asynccontextmanager
async def command(folder: Path, **settings: str) -> AsyncIterator[Command]:
    hall = Command(folder, **settings)
    await hall.start()
    try:
        await hall.logs(OPEN)
        yield hall
    finally:
        if hall.running:
            await hall.end(signal.SIGKILL)


async def restarted(hall: Command) -> None:
    """Restart a hall, and wait until it is open again."""
    before = hall.log.read_text().count(OPEN)
    os.kill(hall.pid, signal.SIGHUP)
    await until(lambda: hall.log.read_text().count(OPEN) > before)


ASK = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def answered(reader: asyncio.StreamReader) -> bool:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    await reader.readexactly(int(head.lower().split("content-length: ")[1].split("\r\n")[0]))
    return head.startswith("HTTP/1.1 200 ") and "connection: close" not in head.lower()


def waits_unheard(process: int) -> bool:
    """Return whether a process blocks SIGHUP, and has no handler for it yet."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    blocked, caught = (int(status[name], 16) & 1 << signal.SIGHUP - 1 for name in ("SigBlk", "SigCgt"))
    return bool(blocked and not caught)


@pytest.mark.slow("restarts a hall twice")
async def test_an_open_connection_goes_on_a_second_signal_is_kept_and_systemd_is_told(tmp_path: Path) -> None:
    """A client that sends its next request at the moment of a restart gets an answer. The Unix socket stays in its place.

    A signal that comes before the hall can handle it neither kills the hall, nor is it lost.
    """
    path, notify = tmp_path / "hall.sock", tmp_path / "notify"
    with service_manager(notify) as manager:
        async with command(tmp_path, MEADHALL_SOCKET=str(path), NOTIFY_SOCKET=str(notify)) as hall:
            made = path.stat().st_ino
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(ASK)
            assert await answered(reader)
            os.kill(hall.pid, signal.SIGHUP)
            await until(lambda: waits_unheard(hall.pid))
            os.kill(hall.pid, signal.SIGHUP)
            writer.write(ASK)
            assert await answered(reader)
            await until(lambda: hall.log.read_text().count(OPEN) == 3)
            writer.write(ASK)
            assert await answered(reader)
            writer.close()
            assert path.stat().st_ino == made
            assert await hall.end(signal.SIGTERM) == 0
            assert not path.exists()
        told = [lines for lines in manager.told_by(hall.pid) if "EXTEND" not in lines[0]]
    assert [lines[0] for lines in told] == [*(2 * ["READY=1", "RELOADING=1"]), "READY=1", "STOPPING=1"]
    assert told[1][1].startswith("MONOTONIC_USEC=")


@pytest.mark.slow("restarts a hall")
async def test_a_request_whose_body_arrives_during_a_restart_is_answered_before_it(tmp_path: Path) -> None:
    async with command(tmp_path) as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
        body = b'{"name": "Ada"}'
        head = "POST /api/v1/guests HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[:5])
        await writer.drain()
        os.kill(hall.pid, signal.SIGHUP)
        writer.write(body[5:])
        assert b" 201 " in await reader.readline()
        await until(lambda: hall.log.read_text().count(OPEN) == 2)
        writer.close()


@pytest.mark.slow("starts a hall and tries twice to restart it")
async def test_a_hall_that_could_not_start_again_goes_on_and_says_why(tmp_path: Path) -> None:
    bots = tmp_path / "own_bots.py"
    bots.write_text("def first(view):\n    return view.legal[0]\n")
    async with command(tmp_path, MEADHALL_BOTS="first=own_bots:first", PYTHONPATH=str(tmp_path)) as hall:
        bots.write_text("def first(view:\n")
        os.kill(hall.pid, signal.SIGHUP)
        await hall.logs("the hall goes on, because it could not start again")
        assert "own_bots" in hall.log.read_text()
        async with hall.client() as client:
            assert (await client.get("/health/ready")).status_code == 200
        bots.write_text("def first(view):\n    return view.legal[0]\n")
        await restarted(hall)


@pytest.mark.slow("tries to restart a hall")
async def test_a_hall_that_can_not_hand_over_its_connections_ends_with_an_error_and_does_not_stay_deaf(tmp_path: Path) -> None:
    async with hall_process(tmp_path, MEADHALL_TEST_LOST_CONNECTIONS="yes") as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
        writer.write(ASK)
        assert await answered(reader)
        os.kill(hall.pid, signal.SIGHUP)
        assert await hall.wait() == 1
        writer.close()
    assert "the restart failed" in hall.log.read_text()


# ------------------------------------------------------------------------------------------------- a socket of another program


class Held(HallProcesses):
    """A hall whose listening socket the test holds, as systemd does."""

    def __init__(self, folder: Path, listener: socket.socket, **settings: str) -> None:
        super().__init__(folder, MEADHALL_PORT="1", **settings)  # not the place of the socket
        if listener.family == socket.AF_INET:
            self.url = "http://{}:{}".format(*listener.getsockname())
        self._listener = listener

    async def launch(self, *_: str, **__: Any) -> None:
        number = self._listener.fileno()
        await super().launch(sys.executable, "-c", HOLD, str(number), pass_fds=[number])


@pytest.mark.long
async def test_nothing_acknowledged_is_lost_when_a_hall_is_killed_whose_socket_is_held(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        hall = Held(tmp_path, listener)
        await hall.start()
        try:
            report = await Chaos(hall, hold=0.0).run(["hall"] * 10, pause=2.0)
        finally:
            await hall.kill()
    assert report.found == []
    assert report.acknowledged > 0


@pytest.mark.slow("starts a hall twice")
async def test_a_request_waits_while_a_killed_hall_starts_again_at_a_socket_that_is_held(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        hall = Held(tmp_path, listener)
        await hall.start()
        await until(lambda: f"{OPEN}: {hall.url}/" in hall.log.read_text())
        try:
            await hall.kill()
            async with httpx.AsyncClient(base_url=hall.url, timeout=PATIENCE) as client:
                asking = asyncio.create_task(client.get("/health/live"))
                await hall.launch()
                assert (await asking).status_code == 200
        finally:
            await hall.kill()


@pytest.mark.slow("restarts a hall")
async def test_a_hall_leaves_a_unix_socket_of_another_program_in_its_place_also_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "held.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        hall = Held(tmp_path, listener)
        await hall.launch()
        try:
            for count in (1, 2):
                await until(lambda: hall.log.read_text().count(f"{OPEN}: unix:{path}") == count)  # noqa: B023
                if count == 1:
                    os.kill(hall.pid, signal.SIGHUP)
            assert await hall.stop() == 0
            assert path.is_socket()
        finally:
            await hall.kill()
