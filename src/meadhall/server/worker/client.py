"""Client of the worker, which computes bot actions, hints and charts in a process beside the server or in threads."""

from __future__ import annotations

import asyncio
import itertools
import logging
import pickle
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from meadhall.bots import Hint
from meadhall.bots.analysis import Analysis, Knowledge
from meadhall.engine.daily import Outcome
from meadhall.engine.record.format import MatchRecord
from meadhall.engine.view import View
from meadhall.server.worker.bot_cache import BotCache
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
from meadhall.server.worker.tasks import (
    AnalyseMatch,
    ChooseAction,
    FindHints,
    IsCompiled,
    LoadRules,
    Progress,
    SolveDeal,
    Task,
)
from meadhall.server.worker.threads import run_in_thread

log = logging.getLogger(__name__)

R = TypeVar("R")

_CLOSE_TIMEOUT = 1.0
"""Seconds that the process has to end by itself before it is killed."""


class WorkerLost(Exception):
    """The worker process ended before it answered."""


class Worker(Protocol):
    """Runs tasks outside the event loop. Every method may raise WorkerLost, and whatever its task raises."""

    async def run(self, task: Task[R], progress: Progress | None = None) -> R:
        """Run a task and return its result.

        Args:
            progress: called with the finished part of the task, 0 to 1. An exception that it raises ends the task and is
                raised here.
        """

    async def choose(self, table: str, bot: str, view: View) -> int:
        """Return the action that a bot chooses for the viewer. The bot is kept for the viewer's next decision at this table."""
        return await self.run(ChooseAction(table, bot, view))

    async def hints(self, view: View) -> tuple[Hint, ...]:
        """Return the actions that the strongest bot would consider in the viewer's place, the best first."""
        return await self.run(FindHints(view))

    async def analyse(self, record: MatchRecord, knowledge: Knowledge, progress: Progress) -> Analysis:
        """Return the win chances through a finished match; see ``run`` for ``progress``."""
        return await self.run(AnalyseMatch(record, knowledge), progress)

    async def solve(self, game: str, seed: bytes, options: Mapping[str, Any]) -> Outcome:
        """Return the best possible result of a puzzle of the day."""
        return await self.run(SolveDeal(game, seed, options))

    async def load(self, game: str) -> None:
        """Load the compiled rules of a game into the worker, so that compiling is not counted as thinking time."""
        await self.run(LoadRules(game))

    async def warm(self, game: str) -> None:
        """Compile the rules of a game unless they are in the cache, then load them. Raises what the compiler raises."""

    def forget(self, table: str) -> None:
        """Drop the bots of a table, without waiting."""

    async def close(self) -> None:
        """Stop the worker. Tasks that are running are abandoned."""


class WorkerThreads(Worker):
    """A worker in threads of this process. It uses the rules as they run here, compiled or interpreted."""

    def __init__(self) -> None:
        self.bots = BotCache()

    async def run(self, task: Task[R], progress: Progress | None = None) -> R:
        """Run a task in a thread; ``progress`` is called in that thread."""
        return await run_in_thread(task.run, self.bots, progress or _ignore)

    async def warm(self, game: str) -> None:
        await self.load(game)

    def forget(self, table: str) -> None:
        self.bots.forget(table)

    async def close(self) -> None:
        """Do nothing: the threads end with the process."""


def _ignore(_done: float) -> None:
    pass


@dataclass
class _Pending:
    result: asyncio.Future[Any]
    progress: Progress | None


class WorkerProcess(Worker):
    """A worker in a separate process, with compiled rules, so that no search holds the GIL of the server.

    The process starts with the first task, and again after a crash. It ends when the server does, even if the server is killed,
    because its standard input is closed then. It has a lower priority than the server (``nice``) where the system supports it.
    """

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._numbers = itertools.count()
        self._pending: dict[int, _Pending] = {}

    @property
    def process_id(self) -> int | None:
        """Id of the process; None while there is none."""
        return self._process.pid if self._process else None

    async def run(self, task: Task[R], progress: Progress | None = None) -> R:
        """Run a task in the process; ``progress`` is called in the event loop."""
        process = await self._started()
        number = next(self._numbers)
        result: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._pending[number] = _Pending(result, progress)
        self._send(process, RunTask(number, task))
        try:
            return await result
        finally:
            del self._pending[number]
            if result.cancelled() or progress is not None:
                self._send(process, CancelTask(number))

    async def warm(self, game: str) -> None:
        """Compile and load the rules of a game.

        A compiler takes a gigabyte of memory and returns little of it to the system. So it runs in a separate process.
        """
        if not await self.run(IsCompiled(game)):
            compiler = WorkerProcess()
            try:
                await compiler.load(game)
            finally:
                await compiler.close()
        await self.load(game)

    def forget(self, table: str) -> None:
        if self._process is not None:
            self._send(self._process, ForgetTable(table))

    async def close(self) -> None:
        """End the process, with the tasks that are running in it."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _CLOSE_TIMEOUT)
        except TimeoutError:
            process.kill()
            await process.wait()
        if self._reader is not None:
            await self._reader

    def _send(self, process: asyncio.subprocess.Process, request: Request) -> None:
        assert process.stdin is not None
        message = framed(request)
        if not process.stdin.is_closing():
            process.stdin.write(message)

    async def _started(self) -> asyncio.subprocess.Process:
        async with self._starting:
            if self._process is None:
                self._process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "meadhall.server.worker.process"),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C stops the server, and the server stops the worker
                )
                self._reader = asyncio.create_task(self._read(self._process))
            return self._process

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Handle the replies of a process until it ends."""
        assert process.stdout is not None
        with suppress(asyncio.IncompleteReadError):
            while True:
                length = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES))
                self._handle(pickle.loads(await process.stdout.readexactly(length)))  # noqa: S301 - from our own process
        crashed, self._process = self._process is process, None  # the next task starts another process
        for pending in self._pending.values():
            _fail(pending.result, WorkerLost("the worker process has ended"))
        if crashed:
            log.error("the worker process has ended (status %s)", await process.wait())

    def _handle(self, reply: Reply) -> None:
        pending = self._pending.get(reply.number)
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
