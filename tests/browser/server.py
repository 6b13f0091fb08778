"""The real hall in a separate process, which can be stopped, killed and restarted with the same data and port."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import httpx

from ports import free_port

_PATIENCE = 600.0
"""Timeout in seconds for a first start, which compiles the rules."""

ENDED = (0, -signal.SIGTERM)
"""The exit statuses of a clean stop."""


class Hall:
    """A hall on a free port, with its database in ``data``. ``bot_pause`` is for the next start.

    ``arguments``: more arguments of the command; ``program``: the command, by default that of this environment; ``settings``:
    more variables of its environment.
    """

    def __init__(
        self,
        data: Path,
        bot_pause: float = 0.05,
        arguments: Sequence[str] = (),
        program: Path = Path(sys.executable).parent / "meadhall",
        **settings: str,
    ) -> None:
        self.data = data
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.bot_pause = bot_pause
        self._arguments = arguments
        self._program = program
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, wanted: str = "") -> None:
        """Start the hall and wait until a game, by default every game, can be played."""
        self.data.mkdir(parents=True, exist_ok=True)
        command: list[str | Path] = [
            self._program,
            "serve",
            "--port",
            str(self.port),
            "--data",
            self.data,
            "--no-browser",
            *self._arguments,
        ]
        settings = {"MEADHALL_BOT_PAUSE": str(self.bot_pause), "MEADHALL_REQUESTS_PER_MINUTE": "0", **self._settings}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, env=os.environ | settings, stdout=log, stderr=log)
        until = time.monotonic() + _PATIENCE
        while not self._ready(wanted):
            assert self._process.poll() is None, f"the hall did not start:\n{self.log.read_text()}"
            assert time.monotonic() < until, f"the hall was not ready in time:\n{self.log.read_text()}"
            time.sleep(0.05)

    def stop(self) -> int:
        """Stop the hall with SIGTERM and return its exit status."""
        return self._end(signal.SIGTERM)

    def kill(self) -> int:
        """Kill the hall with SIGKILL and return its exit status."""
        return self._end(signal.SIGKILL)

    @property
    def log(self) -> Path:
        """The file with the output of the hall."""
        return self.data / "hall.log"

    def _end(self, how: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(how)
        status = self._process.wait(timeout=30)
        self._process = None
        return status

    def _ready(self, wanted: str) -> bool:
        try:
            games = httpx.get(f"{self.url}/api/v1/games", timeout=5).json()
            return all(game["ready"] for game in games if wanted in ("", game["name"]))
        except httpx.HTTPError:
            return False


def meadhall(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command ``meadhall``."""
    command = [Path(sys.executable).parent / "meadhall", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
