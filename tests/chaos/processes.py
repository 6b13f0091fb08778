"""The processes of a hall: its own, and those of its bots."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import httpx

from chaos.load import GAME
from ports import free_port

_PATIENCE = 240.0


class HallProcesses:
    """``meadhall serve`` on a free port. ``log`` is the file with its output."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        self.log = folder / "hall.log"
        self.database = folder / "meadhall.db"
        self._command = [str(Path(sys.executable).with_name("meadhall")), "serve"]
        self._settings = {
            "MEADHALL_DATA": str(folder),
            "MEADHALL_PORT": str(port),
            "MEADHALL_NO_BROWSER": "1",
            "MEADHALL_REQUESTS_PER_MINUTE": "0",
            "MEADHALL_CONNECTIONS_PER_CLIENT": "1000",
            "MEADHALL_BOT_PAUSE": "0.2",
            **settings,
        }
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the hall and wait until the game of the load can be played."""
        await self.launch()
        assert self._process is not None
        async with asyncio.timeout(_PATIENCE), httpx.AsyncClient(timeout=_PATIENCE) as client:
            while not await self._is_ready(client):
                assert self._process.returncode is None, f"the hall did not start:\n{self.log.read_text()}"
                await asyncio.sleep(0.1)

    async def launch(self, *wrapper: str, pass_fds: Sequence[int] = ()) -> None:
        """Start the hall without waiting. ``wrapper``: a command that runs the hall's."""
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *wrapper,
                *self._command,
                env=os.environ | self._settings,
                stdin=asyncio.subprocess.DEVNULL,  # a terminal that closes would end the hall
                stdout=log,
                stderr=log,
                pass_fds=pass_fds,
            )

    async def _is_ready(self, client: httpx.AsyncClient) -> bool:
        try:
            answer = await client.get(f"{self.url}/api/v1/games")
        except httpx.TransportError:
            return False
        return answer.status_code == httpx.codes.OK and any(game["ready"] and game["name"] == GAME for game in answer.json())

    async def stop(self) -> int:
        """Stop the hall as a host does, and return its exit status."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(_PATIENCE):
            return await self._process.wait()

    async def kill(self) -> None:
        """Kill the hall, and wait for the processes of its bots, which must end by themselves."""
        if self._process is None or self._process.returncode is not None:
            return
        left = self.bot_workers
        self._process.kill()
        await self._process.wait()
        async with asyncio.timeout(_PATIENCE):
            while any(map(_command_line, left)):  # noqa: ASYNC110 - other processes set no event
                await asyncio.sleep(0.05)

    @property
    def pid(self) -> int:
        """The id of the hall's process."""
        assert self._process is not None
        return self._process.pid

    @property
    def bot_workers(self) -> list[int]:
        """The ids of the processes that play for the bots."""
        children = [
            int(child) for file in Path(f"/proc/{self.pid}/task").glob("*/children") for child in file.read_text().split()
        ]
        return [child for child in children if "meadhall.server.worker.process" in _command_line(child)]


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
