"""Real processes that start at once, because a server that has loaded all modules forks them (multiprocessing's fork server).

To load the modules of a hall takes ten times as long as all that it does afterwards until it is open. Rules are interpreted.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import cache
from multiprocessing import active_children, forkserver, get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path
from subprocess import CompletedProcess
from threading import Lock
from typing import Any

import coverage

_PATIENCE = 240.0

_LOCK = Lock()
"""Multiprocessing asks all its processes for their exit status when it starts one, and two threads must not ask at once."""


class Forked:
    """A process that runs a function. It has the methods of ``subprocess.Popen`` that the tests need.

    Args:
        function: a function of a module.
        arguments: its arguments.
        environment: the environment variables of the process.
        output: the file to which the process appends its output.
        errors: the file for its standard error, if that is another one.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        environment: Mapping[str, str],
        output: Path,
        errors: Path | None = None,
    ) -> None:
        given = (function, arguments, dict(environment), str(output), str(errors or output))
        with _LOCK:
            self._process = _fork_server().Process(target=_run, args=given, daemon=True)
            self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """Return the exit status, None while the process runs."""
        with _LOCK:
            return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def wait(self) -> int:
        until = time.monotonic() + _PATIENCE
        while (status := self.poll()) is None:
            assert time.monotonic() < until, "the process has not ended in time"
            time.sleep(0.005)
        return status


def run(function: Callable[..., Any], *arguments: Any, environment: Mapping[str, str]) -> CompletedProcess[str]:
    """Run a function in a process, as ``subprocess.run`` runs a program."""
    with tempfile.TemporaryDirectory() as folder:
        output, errors = Path(folder) / "output", Path(folder) / "errors"
        status = Forked(function, *arguments, environment=environment, output=output, errors=errors).wait()
        return CompletedProcess([], status, output.read_text(), errors.read_text())


@cache
def _fork_server() -> ForkServerContext:
    """Start the server. It measures no coverage: each process begins to."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["preloaded"])
    changed = {"MEADHALL_INTERPRET": "1", "PYTHONPATH": str(Path(__file__).parent)}
    before = dict(os.environ)
    os.environ.update(changed)
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)
    try:
        forkserver.ensure_running()
    finally:
        for name in changed:
            os.environ.pop(name)
        os.environ.update(before)
    atexit.register(_stop)
    return context


def _stop() -> None:
    """End all processes, and wait for the server, so that its CPU time counts."""
    for process in active_children():
        process.kill()
    forkserver._forkserver._stop()  # type: ignore[attr-defined]


def _run(function: Callable[..., Any], arguments: tuple[Any, ...], environment: dict[str, str], output: str, errors: str) -> None:
    os.environ.clear()
    os.environ.update(environment)
    for name, stream in ((output, 1), (errors, 2)):
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, stream)
        os.close(file)
    if os.environ.get("COVERAGE_PROCESS_CONFIG"):
        coverage.process_startup()
    sys.exit(function(*arguments))
