"""Workers in another process: one that this server starts for itself, or one that all web processes of a hall share."""

from __future__ import annotations

import asyncio
import itertools
import logging
import pickle
import signal
import sys
from abc import abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from meadhall.server.ops import metrics
from meadhall.server.ops.child import send_signal
from meadhall.server.ops.tracing import TRACES
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


@dataclass
class _Pending:
    result: asyncio.Future[Any]
    progress: Progress | None


class RemoteWorker(Worker):
    """A worker with compiled rules in a separate process, so that no search holds the GIL of the server.

    It connects with the first task, and again after the connection was lost.
    """

    def __init__(self) -> None:
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._connecting = asyncio.Lock()
        self._numbers = itertools.count()
        self._pending: dict[int, _Pending] = {}  # of the present connection

    @abstractmethod
    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return streams of replies and of requests. Raises WorkerLost."""

    async def _explain_loss(self) -> None:
        """Log why the connection was lost, if this process knows."""

    async def _end_process(self) -> None:
        """End the process, if it serves only this server. Its connection is closed already."""

    async def run(self, task: Task[R], progress: Progress | None = None) -> R:
        """Run a task in the process; ``progress`` is called in the event loop."""
        name = type(task).__name__
        with metrics.waiting_for_worker(name), TRACES.span(f"worker {name}"):
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

    def forget(self, table: str) -> None:
        if self._writer is not None:
            _send(self._writer, ForgetTable(table))

    async def restart(self) -> None:
        """Close the connection. The next task connects again, and a process of this server is started again for it."""
        await self.close()

    async def close(self) -> None:
        """Close the connection. Tasks that are running are abandoned."""
        async with self._connecting:  # a task that comes meanwhile connects afterwards
            writer, self._writer = self._writer, None
            if writer is not None:
                writer.close()
            await self._end_process()
            if self._reading is not None:
                await self._reading

    async def _connected(self) -> asyncio.StreamWriter:
        async with self._connecting:
            if self._writer is None:
                reader, self._writer = await self._connect()
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
            self._writer = None  # the next task connects again
        writer.close()
        for pending in waiting.values():
            _fail(pending.result, WorkerLost("the worker process has ended"))
        if was_lost:
            await self._explain_loss()


class WorkerProcess(RemoteWorker):
    """A worker that this server starts, and starts again after a crash.

    It ends when the server does, even if the server is killed, because its standard input is closed then. It has a lower priority
    than the server (``nice``) where the system supports it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._process: asyncio.subprocess.Process | None = None

    @property
    def process_id(self) -> int | None:
        """Id of the process; None while there is none."""
        return self._process.pid if self._process and self._writer else None

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "meadhall.server.worker.process"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C stops the server, and the server stops the worker
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdout, self._process.stdin

    async def _explain_loss(self) -> None:
        assert self._process is not None
        log.error("the worker process has ended (status %s)", await self._process.wait())

    async def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            try:
                await asyncio.wait_for(process.wait(), _CLOSE_TIMEOUT)
            except TimeoutError:
                send_signal(process, signal.SIGKILL)
                await process.wait()


class SharedWorker(RemoteWorker):
    """The worker that the supervisor runs for all web processes of a hall.

    The supervisor holds the listening socket. While it starts the worker again, requests wait in the socket's queue.

    Args:
        path: the Unix socket on which the worker listens.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            return await asyncio.open_unix_connection(self._path)
        except OSError as error:
            raise WorkerLost(f"the worker can't be reached: {error.strerror}") from error


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
