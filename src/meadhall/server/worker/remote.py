"""Workers in other processes, which the server starts when they are needed."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import pickle
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from meadhall.server.ops import metrics
from meadhall.server.worker.client import Worker, WorkerLost
from meadhall.server.worker.messages import (
    LENGTH_BYTES,
    CancelTask,
    ForgetTable,
    Reply,
    Request,
    RunTask,
    TaskError,
    TaskProgress,
    framed,
)
from meadhall.server.worker.tasks import Progress, Task

log = logging.getLogger(__name__)

R = TypeVar("R")

_CLOSE_TIMEOUT = 1.0
"""Seconds that the process has to end by itself before it is killed."""

_IDLE_SECONDS = 300.0
"""Seconds without a task after which a process ends. That gives back the memory of machine code and of search trees."""


@dataclass
class _Pending:
    result: asyncio.Future[Any]
    progress: Progress | None


class WorkerProcess(Worker):
    """A worker with compiled rules in a separate process, so that no search holds the GIL of the server.

    A task starts it if it doesn't run: at first, after a crash, and after it was idle for long and ended. It ends when the server
    does, even if the server is killed, because its standard input is closed then. It has a lower priority than the server
    (``nice``) where the system supports it.

    Args:
        command: the module that it runs, and its arguments.
        idle_seconds: the seconds without a task after which it ends.
    """

    def __init__(self, *command: str, idle_seconds: float = _IDLE_SECONDS) -> None:
        self._command = command or ("meadhall.server.worker.process",)
        self._idle_seconds = idle_seconds
        self._idle: asyncio.TimerHandle | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._connecting = asyncio.Lock()
        self._numbers = itertools.count()
        self._pending: dict[int, _Pending] = {}  # of the present connection

    @property
    def process_id(self) -> int | None:
        """Id of the process; None while there is none."""
        return self._process.pid if self._process and self._writer else None

    async def run(self, task: Task[R], progress: Progress | None = None) -> R:
        """Run a task in the process; ``progress`` is called in the event loop."""
        name = type(task).__name__
        with metrics.waiting_for_worker(name):
            return await self._run(task, progress)

    async def _run(self, task: Task[R], progress: Progress | None) -> R:
        writer = await self._connected()
        number, pending = next(self._numbers), self._pending
        result: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        pending[number] = _Pending(result, progress)
        _send(writer, RunTask(number, task))
        try:
            return await result
        finally:
            del pending[number]
            if result.cancelled() or progress is not None:
                _send(writer, CancelTask(number))
            if not pending:
                self._end_later(pending)

    def _end_later(self, pending: dict[int, _Pending]) -> None:
        """End the process when no task has needed it for long."""

        def end() -> None:
            if self._writer is not None and pending is self._pending and not pending:
                self._writer.close()
                self._writer = None

        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(self._idle_seconds, end)

    def forget(self, table: str) -> None:
        if self._writer is not None:
            _send(self._writer, ForgetTable(table))

    async def close(self) -> None:
        """End the process. Tasks that are running are abandoned."""
        async with self._connecting:  # a task that comes meanwhile starts it again afterwards
            writer, self._writer = self._writer, None
            if writer is not None:
                writer.close()
            await self._end_process()
            if self._reading is not None:
                await self._reading

    async def _connected(self) -> asyncio.StreamWriter:
        async with self._connecting:
            if self._writer is None:
                reader, self._writer = await self._start()
                self._pending = {}
                self._reading = asyncio.create_task(self._read(reader, self._writer, self._pending))
            return self._writer

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, waiting: dict[int, _Pending]) -> None:
        """Handle the replies to the tasks of a connection until it ends."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                length = int.from_bytes(await reader.readexactly(LENGTH_BYTES))
                _handle(waiting, pickle.loads(await reader.readexactly(length)))  # noqa: S301 - from our own process
        was_lost = self._writer is writer
        if was_lost:
            self._writer = None  # the next task starts it again
        writer.close()
        for pending in waiting.values():
            _fail(pending.result, WorkerLost("the worker process has ended"))
        if was_lost and self._process is not None:
            log.error("the worker process has ended (status %s)", await self._process.wait())

    async def _start(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Start the process. Return the streams of its replies and of requests."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", *self._command),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C stops the server, and the server stops the worker
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdout, self._process.stdin

    async def _end_process(self) -> None:
        """Wait until the process has ended. Kill it if that takes long."""
        process, self._process = self._process, None
        if process is not None:
            try:
                await asyncio.wait_for(process.wait(), _CLOSE_TIMEOUT)
            except TimeoutError:
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)  # ``process.kill`` would collect its status before asyncio does
                await process.wait()


class GameProcesses(Worker):
    """A worker with a process for each game, which holds the machine code of that game alone.

    A table has one game, so its search trees stay in one process. A game that is not played has no process.
    """

    def __init__(self) -> None:
        self.processes: dict[str, WorkerProcess] = {}

    async def run(self, task: Task[R], progress: Progress | None = None) -> R:
        """Run a task in the process of its game; ``progress`` is called in the event loop."""
        return await self.processes.setdefault(task.process, WorkerProcess()).run(task, progress)

    def forget(self, table: str) -> None:
        for process in self.processes.values():
            process.forget(table)

    async def close(self) -> None:
        """End the processes. Tasks that are running are abandoned."""
        await asyncio.gather(*(process.close() for process in self.processes.values()))


def _send(writer: asyncio.StreamWriter, request: Request) -> None:
    message = framed(request)
    if not writer.is_closing():
        writer.write(message)


def _handle(waiting: dict[int, _Pending], reply: Reply) -> None:
    pending = waiting.get(reply.number)
    if pending is None:  # the task was cancelled
        return
    if isinstance(reply, TaskProgress):
        assert pending.progress is not None
        try:
            pending.progress(reply.done)
        except Exception as error:
            _fail(pending.result, error)
    elif isinstance(reply, TaskError):
        _fail(pending.result, reply.error)
    elif not pending.result.done():
        pending.result.set_result(reply.value)


def _fail(result: asyncio.Future[Any], error: Exception) -> None:
    if not result.done():
        result.set_exception(error)
