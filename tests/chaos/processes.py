"""The processes of a hall: the supervisor, its web processes and its worker."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import httpx

from chaos.load import GAME
from ports import free_port

_PATIENCE = 240.0


class HallProcesses:
    """``meadhall serve --workers N`` on a free port. ``log`` is the file with its output."""

    def __init__(self, folder: Path, database_url: str, workers: int = 2) -> None:
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        self.log = folder / "hall.log"
        self._command = [str(Path(sys.executable).with_name("meadhall")), "serve", "--workers", str(workers)]
        self._settings = {
            "MEADHALL_DATA": str(folder),
            "MEADHALL_DATABASE_URL": database_url,
            "MEADHALL_PORT": str(port),
            "MEADHALL_NO_BROWSER": "1",
            "MEADHALL_REQUESTS_PER_MINUTE": "0",
            "MEADHALL_CONNECTIONS_PER_CLIENT": "1000",
            "MEADHALL_BOT_PAUSE": "0.2",
        }
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the hall and wait until the game of the load can be played."""
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, env=os.environ | self._settings, stdout=log, stderr=log
            )
        async with asyncio.timeout(_PATIENCE), httpx.AsyncClient(timeout=_PATIENCE) as client:
            while not await self._is_ready(client):
                assert self._process.returncode is None, f"the hall did not start:\n{self.log.read_text()}"
                await asyncio.sleep(0.1)

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
        """Kill the supervisor, and wait for its processes, which must end by themselves."""
        if self._process is None or self._process.returncode is not None:
            return
        left = [*self.web, *self.bot_workers]
        self._process.kill()
        await self._process.wait()
        async with asyncio.timeout(_PATIENCE):
            while any(map(_command_line, left)):  # noqa: ASYNC110 - other processes set no event
                await asyncio.sleep(0.05)

    @property
    def web(self) -> list[int]:
        """The ids of the web processes that run now."""
        return self._children("web_process")

    @property
    def bot_workers(self) -> list[int]:
        """The ids of the processes that play for the bots."""
        return self._children("worker.process")

    def _children(self, module: str) -> list[int]:
        """Return the ids of the supervisor's children that run a module of the server."""
        assert self._process is not None
        pid = self._process.pid
        found = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        return [child for child in found if f"meadhall.server.{module}" in _command_line(child)]


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
