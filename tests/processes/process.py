"""The hall in a separate process, which can be killed, stopped and restarted with the same data."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx

from ports import free_port

_PATIENCE = 120.0
_SCRIPT = Path(__file__).with_name("serve_with_hoard.py")


class Process:
    """A hall on a free port. ``log`` is the file with its output."""

    command: Sequence[str] = (str(_SCRIPT),)
    """The arguments of Python."""

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
            "MEADHALL_INTERPRET": "1",  # as the command does for the server, which would start several times as slowly
            **settings,
        }
        self._process: asyncio.subprocess.Process | None = None

    async def launch(self) -> asyncio.subprocess.Process:
        """Start the process without waiting."""
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, *self.command, env=os.environ | self._settings, stdout=log, stderr=log
            )
        return self._process

    async def start(self) -> None:
        """Start the process and wait until every game can be played."""
        process = await self.launch()
        until = time.monotonic() + _PATIENCE
        async with self.client() as client:
            while True:
                assert process.returncode is None, f"the hall did not start:\n{self.log.read_text()}"
                assert time.monotonic() < until, f"the hall was not ready in time:\n{self.log.read_text()}"
                try:
                    games = (await client.get("/api/v1/games")).json()
                except httpx.TransportError:
                    games = []
                if games and all(game["ready"] for game in games):
                    return
                await asyncio.sleep(0.05)

    def client(self, **headers: str) -> httpx.AsyncClient:
        """Return a client that is connected to the hall directly, on its Unix socket if it has one."""
        socket = self._settings.get("MEADHALL_SOCKET")
        transport = httpx.AsyncHTTPTransport(uds=socket) if socket else None
        return httpx.AsyncClient(base_url=self.url, transport=transport, timeout=_PATIENCE, headers=headers)

    async def end(self, how: signal.Signals) -> int:
        """Send a signal and return the exit status."""
        assert self._process is not None
        self._process.send_signal(how)
        async with asyncio.timeout(_PATIENCE):
            return await self._process.wait()

    @property
    def pid(self) -> int:
        """The id of the process."""
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None


class Supervised(Process):
    """A hall with two web processes, run by the command."""

    command = ("-m", "meadhall.cli", "serve", "--workers", "2")

    def children(self) -> dict[str, int]:
        """Return the ids of the processes that the supervisor runs: ``worker``, ``web-1``, ``web-2``."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has ended
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                arguments = (folder / "cmdline").read_bytes().decode().split("\0")
                if parent == self.pid and len(arguments) > 2:
                    module = arguments[2].removeprefix("meadhall.server.")
                    found["worker" if module == "worker.process" else arguments[4]] = int(folder.name)
        return found


@asynccontextmanager
async def hall_process(data: Path, **settings: str) -> AsyncIterator[Process]:
    """Run a hall during the block."""
    process = Process(data, **settings)
    try:
        await process.start()
        yield process
    finally:
        if process.running:
            await process.end(signal.SIGKILL)
