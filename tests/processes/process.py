"""The hall in separate processes, which can be killed, stopped and restarted with the same data."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from forked import Forked
from ports import free_port
from processes import serve_with_hoard

PATIENCE = 240.0
"""Timeout in seconds of every wait. Only something broken takes so long, also on a machine that does much else."""


class Process:
    """A hall on a free port, in a forked process. ``log`` is the file with its output."""

    def __init__(self, data: Path, **settings: str) -> None:
        self.port = int(settings.get("MEADHALL_PORT") or free_port())
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data / "log.txt"
        self._settings = {
            "MEADHALL_DATA": str(data),
            "MEADHALL_PORT": str(self.port),
            "MEADHALL_NO_BROWSER": "1",
            "MEADHALL_REQUESTS_PER_MINUTE": "0",
            "MEADHALL_BOT_PAUSE": "0",
            "MEADHALL_INTERPRET": "1",
            **settings,
        }
        self._process: Forked | subprocess.Popen[bytes] | None = None

    @property
    def greeting(self) -> list[str]:
        """What a hall prints when it is open, if only this machine can reach it."""
        return [
            f"The hall is open: {self.url}/",
            "Only this machine can open it. To let others in, start it with: make play LAN=1 (or: meadhall serve --lan)",
        ]

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | self._settings

    def launch(self) -> None:
        """Start the process without waiting."""
        self._process = Forked(serve_with_hoard.main, environment=self.environment, output=self.log)

    async def start(self) -> None:
        """Start the process and wait until every game can be played."""
        self.launch()
        until = time.monotonic() + PATIENCE
        async with self.client() as client:
            while True:
                assert self.running, f"the hall did not start:\n{self.log.read_text()}"
                assert time.monotonic() < until, f"the hall was not ready in time:\n{self.log.read_text()}"
                try:
                    games = (await client.get("/api/v1/games")).json()
                except httpx.TransportError:
                    games = []
                if games and all(game["ready"] for game in games):
                    return
                await asyncio.sleep(0.05)

    async def logs(self, words: str) -> None:
        """Wait until the log has these words. A hall answers before it says so."""
        async with asyncio.timeout(PATIENCE):
            while words not in self.log.read_text():
                await asyncio.sleep(0.02)

    def client(self, **headers: str) -> httpx.AsyncClient:
        """Return a client that is connected to the hall directly, on its Unix socket if it has one."""
        socket = self._settings.get("MEADHALL_SOCKET")
        transport = httpx.AsyncHTTPTransport(uds=socket) if socket else None
        return httpx.AsyncClient(base_url=self.url, transport=transport, timeout=PATIENCE, headers=headers)

    async def end(self, how: signal.Signals) -> int:
        """Send a signal and return the exit status."""
        assert self._process is not None
        self._process.send_signal(how)
        return await self.wait()

    async def wait(self) -> int:
        """Wait for the end of the process and return its exit status."""
        assert self._process is not None
        async with asyncio.timeout(PATIENCE):
            while (status := self._process.poll()) is None:
                await asyncio.sleep(0.005)
        return status

    @property
    def pid(self) -> int:
        """The id of the process."""
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None


class Command(Process):
    """A hall of the real command, ``meadhall serve``, with a worker process."""

    arguments: Sequence[str] = ()
    """Further arguments of the command."""

    def launch(self) -> None:
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "meadhall.cli", "serve", *self.arguments]
            self._process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)


@asynccontextmanager
async def hall_process(data: Path, **settings: str) -> AsyncIterator[Process]:
    """Run a hall in a forked process during the block."""
    async with running(Process(data, **settings)) as process:
        yield process


@asynccontextmanager
async def running(process: Process) -> AsyncIterator[Process]:
    """Run a hall during the block."""
    try:
        await process.start()
        yield process
    finally:
        if process.running:
            await process.end(signal.SIGKILL)
