"""The supervisor: runs several web processes on one listening socket, and one worker process that all of them share.

It only starts, watches and stops them, so it loads nothing of the hall itself. Its children end when it does, even if it is
killed, because each of them holds a line to it (``ops/lifeline.py``).

A worker and the web processes that use it are a generation. To reload the hall, the supervisor starts a generation of the code
that is installed now, and retires each process of the old one when its successor is ready.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from prometheus_client.multiprocess import mark_process_dead

from meadhall.server.listener import announce, bind, open_browser
from meadhall.server.ops import metrics, systemd
from meadhall.server.ops.child import CannotStart, Child
from meadhall.server.ops.logs import configure_logging
from meadhall.server.reload import RELOADED, Requests, folder_of_hall
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
    with bind(settings) as listener, folder_of_hall(settings) as folder:
        (folder / "metrics").mkdir()
        asyncio.run(_Supervisor(settings, listener, folder).run())


def _check(settings: Settings) -> None:
    if settings.embedded:
        raise BadSetting(
            f"{settings.workers} web processes need PostgreSQL, because an SQLite file belongs to one process; name a PostgreSQL "
            "database with MEADHALL_DATABASE_URL, or run one web process (without --workers and MEADHALL_WORKERS)"
        )
    if not hasattr(socket, "AF_UNIX"):
        raise BadSetting("several web processes need a system with Unix sockets; run one, without --workers and MEADHALL_WORKERS")


class _Stopped(Exception):
    """A signal stops the hall."""


class _Generation:
    """A worker and the web processes that use it.

    Args:
        count: number of web processes.
        listener: the socket of the hall.
        worker_socket: the path of a new Unix socket for the worker. It takes connections while no worker runs.
        figures: the folder in which all processes keep the figures of their metrics.
        turn: held by a web process that starts.
        is_first: whether no other process answers until the first web process does.
    """

    def __init__(
        self, count: int, listener: socket.socket, worker_socket: Path, figures: Path, turn: asyncio.Lock, *, is_first: bool
    ) -> None:
        self._figures = figures
        self._environment = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
        self._environment[metrics.FOLDER] = str(figures)
        self._resources = ExitStack()
        self._resources.callback(worker_socket.unlink, missing_ok=True)
        private = self._resources.enter_context(socket.socket(socket.AF_UNIX))
        private.bind(str(worker_socket))
        private.listen()
        self.worker = self._child("worker", private, "worker.process", beats=False, grace=0.0)
        self.webs = [
            self._child(
                f"web-{number}",
                listener,
                "web_process",
                f"web-{number}",
                str(worker_socket),
                "" if is_first and number == 1 else "waits",
                beats=True,
                grace=_GRACE,
                turn=turn,
            )
            for number in range(1, count + 1)
        ]

    def _child(
        self,
        name: str,
        inherited: socket.socket,
        module: str,
        *arguments: str,
        beats: bool,
        grace: float,
        turn: asyncio.Lock | None = None,
    ) -> Child:
        command = [sys.executable, "-m", f"meadhall.server.{module}", str(inherited.fileno()), *arguments]
        return Child(name, command, [inherited], self._environment, self._note_end, beats=beats, grace=grace, turn=turn)

    def _note_end(self, process: int) -> None:
        mark_process_dead(process, str(self._figures))  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Close the worker's socket. No process of this generation runs any more."""
        self._resources.close()


class _Supervisor:
    """Keeps the processes of a hall running. A process that ends before its group of tasks does is started again."""

    def __init__(self, settings: Settings, listener: socket.socket, folder: Path) -> None:
        self._settings = settings
        self._listener = listener
        self._folder = folder
        self._numbers = itertools.count(1)
        self._turn = asyncio.Lock()
        self._workers = asyncio.TaskGroup()
        self._webs = asyncio.TaskGroup()  # ends before the workers that they use
        self._tasks: dict[Child, asyncio.Task[None]] = {}
        self._requests = Requests(folder)
        self._is_open = False

    async def run(self) -> None:
        """Run all processes until a signal arrives. Raises CannotStart."""
        failed: list[BaseException] = []
        try:
            async with self._workers, self._webs, self._requests:
                self._webs.create_task(_wait_for_signal(self._requests.ask))
                self._webs.create_task(self._keep_alive())
                generation = self._new_generation(is_first=True)
                self._keep(self._workers, generation.worker)
                for web in generation.webs:  # the first one upgrades the database; if it can't start, it says why, once
                    self._keep(self._webs, web, after=None if web is generation.webs[0] else generation.webs[0].ready)
                await generation.webs[0].answers.wait()
                await announce(self._settings, _all_ready([generation.worker, *generation.webs]))
                self._is_open = True
                open_browser(self._settings)
                while True:
                    await self._requests.next()
                    systemd.reloading()
                    generation, outcome = await self._reloaded(generation)
                    systemd.notify(systemd.READY)
                    self._requests.answer(outcome)
        except* _Stopped:
            pass
        except* CannotStart as errors:
            failed.append(_first(errors))
        if failed:
            raise failed[0]

    def _new_generation(self, *, is_first: bool) -> _Generation:
        path = self._folder / f"worker-{next(self._numbers)}.sock"
        count, figures = self._settings.workers, self._folder / "metrics"
        return _Generation(count, self._listener, path, figures, self._turn, is_first=is_first)

    def _keep(self, group: asyncio.TaskGroup, child: Child, after: asyncio.Event | None = None) -> None:
        self._tasks[child] = group.create_task(child.keep_running(after))

    async def _reloaded(self, old: _Generation) -> tuple[_Generation, str]:
        """Return the generation that answers from now on, and what to tell those who have asked for it.

        If the worker or the first web process of the new generation can't start, the old one goes on. Later ones are started
        until they are ready, as after any failure: until then their predecessors answer.
        """
        log.info("the hall reloads")
        new = self._new_generation(is_first=False)
        begun = [(self._workers, new.worker), (self._webs, new.webs[0])]
        try:
            for group, child in begun:
                await self._begun(group, child)
        except CannotStart as error:
            await self._end([child for _, child in begun if child in self._tasks])
            new.close()
            log.error("the hall goes on as before: %s", error)
            return old, f"the hall goes on as before: {error}"
        for before, web in zip(old.webs, new.webs, strict=True):
            if web is not new.webs[0]:
                self._keep(self._webs, web, after=new.webs[0].ready)
                await web.ready.wait()
            before.retire()
        await asyncio.wait([self._tasks.pop(web) for web in old.webs])
        await self._end([old.worker])
        old.close()
        log.info("the hall has been reloaded")
        return new, RELOADED

    async def _begun(self, group: asyncio.TaskGroup, child: Child) -> None:
        """Start a child of a new generation, and wait until it is ready. Raises CannotStart."""
        failed: asyncio.Future[CannotStart] = asyncio.get_running_loop().create_future()

        async def keep() -> None:
            try:
                await child.keep_running()
            except CannotStart as error:  # the others go on, so it isn't an error of the group
                failed.set_result(error)

        self._tasks[child] = group.create_task(keep())
        ready = asyncio.create_task(child.ready.wait())
        await asyncio.wait((ready, failed), return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if failed.done():
            raise failed.result()

    async def _end(self, children: Sequence[Child]) -> None:
        for child in children:
            task = self._tasks.pop(child)
            task.cancel()
            await asyncio.wait([task])

    async def _keep_alive(self) -> None:
        while True:
            systemd.keep_alive(self._is_open)
            await asyncio.sleep(1.0)


async def _all_ready(children: Sequence[Child]) -> None:
    for child in children:
        await child.ready.wait()


def _first(error: BaseException) -> BaseException:
    """Return the first exception of a group of groups."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


async def _wait_for_signal(reload: Callable[[], object]) -> None:
    """Raise _Stopped when a signal stops the hall. SIGHUP reloads it, unless it comes from a terminal that closes."""
    arrived = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, arrived.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, arrived.set if os.isatty(0) else reload)
    await arrived.wait()
    systemd.notify(systemd.STOPPING)
    raise _Stopped
