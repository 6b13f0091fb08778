"""A hall for one program: a process with an empty data folder, on a free port of this machine, which ends with the program."""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Final

from meadhall.engine.errors import MeadhallError

_KEPT: Final = ("MEADHALL_BOTS", "MEADHALL_CACHE", "MEADHALL_LANG")
"""The settings of the environment that this hall shares. All others are those of another hall."""

_SETTINGS: Final = {
    "MEADHALL_PORT": "0",
    "MEADHALL_INTERPRET": "1",  # a match begins at once, not after minutes in which rules are compiled
    "MEADHALL_BOT_PAUSE": "0",
    "MEADHALL_REQUESTS_PER_MINUTE": "0",
}


class NoHall(MeadhallError):
    """A hall can't be started here, or can't be reached."""


@contextmanager
def own_hall() -> Iterator[str]:
    """Start a hall, yield its address when it is open, and end it. Raises NoHall."""
    shared = {name: value for name, value in os.environ.items() if name in _KEPT or not name.startswith("MEADHALL_")}
    command = [sys.executable, "-m", __name__]
    with subprocess.Popen(command, env=shared | _SETTINGS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = next((line.rpartition(" ")[2].strip() for line in process.stdout if "http://" in line), "")
            if not address:
                raise NoHall("No hall could be started here; the reason is above.")
            yield address
        finally:
            process.stdin.close()


def main() -> None:
    """Serve until the standard input ends, which it also does when the program that started this process is killed."""
    Thread(target=_end_with_input, daemon=True).start()
    with TemporaryDirectory(prefix="meadhall-") as data:
        sys.argv = ["meadhall", "serve", "--no-browser", "--data", data]
        runpy.run_module("meadhall.cli", run_name="__main__")


def _end_with_input() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
