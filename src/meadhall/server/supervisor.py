"""The supervisor: runs several web processes on one listening socket, and one worker process that all of them share.

It only starts, watches and stops them, so it loads nothing of the hall itself. Its children end when it does, even if it is
killed, because each of them holds a line to it (``ops/lifeline.py``).
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from prometheus_client.multiprocess import mark_process_dead

from meadhall.server.listener import announce, bind
from meadhall.server.ops import metrics, systemd
from meadhall.server.ops.child import CannotStart, Child
from meadhall.server.ops.logs import configure_logging
from meadhall.server.settings import BadSetting, Settings

log = logging.getLogger(__name__)

_NOT_INHERITED: Final = ("NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC")
"""Environment variables with which systemd speaks to this process only."""

_GRACE: Final = 1.4
"""Seconds that the web processes have to stop before they are killed. The hall stops within two seconds."""


def supervise(settings: Settings) -> None:
    """Run ``settings.workers`` web processes until a signal stops them.

    The web processes read their settings from the environment. Raises BadSetting, CannotListen, CannotStart.
    """
    _check(settings)
    configure_logging(settings.log, "supervisor")
    with (
        bind(settings) as listener,
        TemporaryDirectory(prefix="meadhall-", dir=os.environ.get("RUNTIME_DIRECTORY")) as folder,  # of a systemd service
        _private_listener(Path(folder) / "worker.sock") as worker_listener,
    ):
        figures = Path(folder) / "metrics"
        figures.mkdir()
        asyncio.run(_run(settings, listener, worker_listener, figures))


def _check(settings: Settings) -> None:
    if settings.embedded:
        raise BadSetting(
            f"{settings.workers} web processes need PostgreSQL, because an SQLite file belongs to one process; name a PostgreSQL "
            "database with MEADHALL_DATABASE_URL, or run one web process (without --workers and MEADHALL_WORKERS)"
        )
    if not hasattr(socket, "AF_UNIX"):
        raise BadSetting("several web processes need a system with Unix sockets; run one, without --workers and MEADHALL_WORKERS")


@contextmanager
def _private_listener(path: Path) -> Iterator[socket.socket]:
    """Listen on a Unix socket in a folder that only this user can open. It takes connections while no worker runs."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        yield listener


class _Stopped(Exception):
    """A signal stops the hall."""


async def _run(settings: Settings, listener: socket.socket, worker_listener: socket.socket, figures: Path) -> None:
    """Run all processes until a signal arrives. The web processes end before the worker that they use. Raises CannotStart."""
    worker, webs = _children(settings.workers, listener, worker_listener, figures)
    failed: list[BaseException] = []
    try:
        async with asyncio.TaskGroup() as outer, asyncio.TaskGroup() as inner:
            inner.create_task(_wait_for_signal())
            inner.create_task(_keep_alive())
            outer.create_task(worker.keep_running())
            for web in webs:  # the first one upgrades the database; if it can't start, it says why, once
                inner.create_task(web.keep_running(after=None if web is webs[0] else webs[0].ready))
            for child in (worker, *webs):
                await child.ready.wait()
            announce(settings)
    except* _Stopped:
        pass
    except* CannotStart as errors:
        failed.append(_first(errors))
    if failed:
        raise failed[0]


def _first(error: BaseException) -> BaseException:
    """Return the first exception of a group of groups."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _children(count: int, listener: socket.socket, worker_listener: socket.socket, figures: Path) -> tuple[Child, list[Child]]:
    """Return the worker and the web processes. They keep the figures of their metrics in a common folder."""
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
    environment[metrics.FOLDER] = str(figures)

    def ended(process: int) -> None:
        mark_process_dead(process, str(figures))  # type: ignore[no-untyped-call]

    def child(name: str, inherited: socket.socket, module: str, *arguments: str, beats: bool, grace: float) -> Child:
        command = [sys.executable, "-m", f"meadhall.server.{module}", str(inherited.fileno()), *arguments]
        return Child(name, command, [inherited], environment, ended, beats=beats, grace=grace)

    path = worker_listener.getsockname()
    worker = child("worker", worker_listener, "worker.process", beats=False, grace=0.0)
    webs = [
        child(f"web-{number}", listener, "web_process", f"web-{number}", path, beats=True, grace=_GRACE)
        for number in range(1, count + 1)
    ]
    return worker, webs


async def _wait_for_signal() -> None:
    """Raise _Stopped when a signal arrives."""
    arrived = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, arrived.set)
    await arrived.wait()
    systemd.notify(systemd.STOPPING)
    raise _Stopped


async def _keep_alive() -> None:
    while True:
        systemd.keep_alive()
        await asyncio.sleep(1.0)
