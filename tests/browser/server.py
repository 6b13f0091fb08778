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

_PATIENCE = 300.0
"""Timeout in seconds for a start on a busy machine."""

ENDED = (0, -signal.SIGTERM)
"""The exit statuses of a clean stop."""

SERVE = (Path(sys.executable).parent / "meadhall", "serve")
QUICK = (sys.executable, Path(__file__).parent / "quick_hall.py")
"""The commands of a hall as people start it, and of one for tests of pages."""


class Hall:
    """A hall on a free port, with its database in ``data``. ``bot_pause`` is for the next start.

    ``command``: how it is started; ``settings``: more variables of its environment. Coverage doesn't count its lines, which would
    take a third of its time.
    """

    def __init__(self, data: Path, bot_pause: float = 0.0, command: Sequence[str | Path] = SERVE, **settings: str) -> None:
        self.data = data
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.bot_pause = bot_pause
        self._command = command
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, wanted: str = "") -> None:
        """Start the hall and wait until a game, by default every game, can be played."""
        self.data.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._command, env=self._environment(), stdout=log, stderr=log)
        until = time.monotonic() + _PATIENCE
        with httpx.Client(base_url=self.url, timeout=60) as client:
            while not _is_ready(client, wanted):
                assert self._process.poll() is None, f"the hall did not start:\n{self.log.read_text()}"
                assert time.monotonic() < until, f"the hall was not ready in time:\n{self.log.read_text()}"
                time.sleep(0.1)

    def stop(self) -> int:
        """Stop the hall with SIGTERM and return its exit status."""
        return self.end(signal.SIGTERM)

    def kill(self) -> int:
        """Kill the hall with SIGKILL and return its exit status."""
        return self.end(signal.SIGKILL)

    def end(self, how: signal.Signals) -> int:
        """Send a signal to the hall, and return its exit status."""
        assert self._process is not None
        self._process.send_signal(how)
        status = self._process.wait(timeout=60)
        self._process = None
        return status

    @property
    def log(self) -> Path:
        """The file with the output of the hall."""
        return self.data / "hall.log"

    def _environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_PROCESS")}
        return {
            **inherited,
            "MEADHALL_PORT": str(self.port),
            "MEADHALL_DATA": str(self.data),
            "MEADHALL_NO_BROWSER": "1",
            "MEADHALL_BOT_PAUSE": str(self.bot_pause),
            "MEADHALL_REQUESTS_PER_MINUTE": "0",
            **self._settings,
        }


def _is_ready(client: httpx.Client, wanted: str) -> bool:
    try:
        games = client.get("/api/v1/games").json()
    except httpx.TransportError:
        return False
    return all(game["ready"] for game in games if wanted in ("", game["name"]))


def meadhall(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command ``meadhall``."""
    command = [SERVE[0], *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
