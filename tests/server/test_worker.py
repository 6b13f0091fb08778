"""The worker: its tasks in a process or in threads, cancelled tasks, and what happens when either process dies."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pytest
import pytest_asyncio

import meadhall
from meadhall.engine.errors import UnknownGame
from meadhall.engine.view import View
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.worker import tasks
from meadhall.server.worker.bot_cache import BotCache
from meadhall.server.worker.client import Worker, WorkerLost, WorkerProcess, WorkerThreads
from meadhall.server.worker.messages import LENGTH_BYTES, RunTask, TaskError
from meadhall.server.worker.process import TaskRunner
from meadhall.server.worker.tasks import IsCompiled, Progress, Task
from server.people import AXES, open_hall, until

pytestmark = pytest.mark.asyncio

PATIENCE = 60


@pytest_asyncio.fixture(params=[WorkerProcess, WorkerThreads])
async def worker(request: pytest.FixtureRequest) -> AsyncIterator[Worker]:
    """Both kinds, which give the same results."""
    worker: Worker = request.param()
    yield worker
    await worker.close()


@pytest_asyncio.fixture
async def process() -> AsyncIterator[WorkerProcess]:
    worker = WorkerProcess()
    yield worker
    await worker.close()


def a_match(game: str = AXES) -> meadhall.Match:
    match = meadhall.game(game).match(players=2, seed="thought about")
    while not match.over:
        match.play(match.legal()[0])
    return match


def a_view() -> View:
    match = meadhall.game("viking-axes").match(players=4, variant="strategic", seed="long")
    return match.view(match.actor)


async def test_a_worker_chooses_finds_hints_analyses_and_solves(worker: Worker) -> None:
    match = meadhall.game(AXES).match(players=2, seed="thought about")
    assert match.actor is not None
    view = match.view(match.actor)
    for name in ("random", "search@20"):
        assert await worker.choose("table", name, view) in view.legal
    worker.forget("table")
    assert (await worker.hints(view))[0].action in view.legal

    reported: list[float] = []
    over = a_match()
    analysis = await worker.analyse(over.record(), "public", reported.append)
    result = over.result()
    assert result is not None
    assert analysis.chances[-1] == result.scores
    assert reported == sorted(reported)

    outcome = await worker.solve("axxa", bytes(32), {"mode": "together", "touching": "all"})
    assert outcome.won


async def test_the_exception_of_a_task_is_raised_here(worker: Worker) -> None:
    with pytest.raises(UnknownGame, match="no game 'chess'"):
        await worker.load("chess")


async def test_an_exception_of_the_progress_callback_ends_the_task(worker: Worker) -> None:
    class Enough(Exception):
        pass

    def progress(_done: float) -> None:
        raise Enough

    with pytest.raises(Enough):
        await worker.analyse(a_match("viking-axes").record(), "public", progress)
    view = a_view()
    for number in range(20):  # while the analysis ends over there
        choice = worker.choose(f"after {number}", "random", view)
        assert await asyncio.wait_for(choice, 10) in view.legal
        await asyncio.sleep(0.05)


class Fussy(Exception):
    """An exception that can't be unpickled, because its constructor takes other arguments than ``args`` holds."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one + other)


@dataclass(frozen=True)
class Fail(Task[None]):
    def run(self, bots: BotCache, progress: Progress) -> None:  # noqa: ARG002
        raise Fussy("this ", "and that")


class Output(BytesIO):
    def __init__(self) -> None:
        super().__init__()
        self.flushed = threading.Event()

    def flush(self) -> None:
        self.flushed.set()


async def test_an_exception_that_cannot_be_unpickled_is_described_in_words() -> None:
    output = Output()
    TaskRunner(BotCache(), output).handle(RunTask(1, Fail()))
    assert await asyncio.to_thread(output.flushed.wait, 10)
    reply = pickle.loads(output.getvalue()[LENGTH_BYTES:])
    assert isinstance(reply, TaskError)
    assert (reply.number, type(reply.error)) == (1, RuntimeError)
    assert "this and that" in str(reply.error)


async def test_tasks_run_side_by_side(process: WorkerProcess) -> None:
    view = a_view()
    await process.choose("first", "random", view)
    long = asyncio.create_task(process.choose("long", "search@20s", view))
    await asyncio.sleep(0.2)
    assert await asyncio.wait_for(process.choose("short", "random", view), 10) in view.legal
    assert not long.done()
    long.cancel()


async def test_a_process_that_dies_is_replaced(process: WorkerProcess, caplog: pytest.LogCaptureFixture) -> None:
    view = a_view()
    await process.choose("table", "random", view)
    first = process.process_id
    assert first is not None
    search = asyncio.create_task(process.choose("table", "search@60s", view))
    await asyncio.sleep(0.2)
    os.kill(first, signal.SIGKILL)
    with pytest.raises(WorkerLost):
        await search
    assert await process.choose("table", "random", view) in view.legal
    assert process.process_id not in (None, first)
    assert "has ended (status -9)" in caplog.text


async def test_closing_leaves_no_process_and_waits_for_no_task() -> None:
    worker = WorkerProcess()
    await worker.choose("table", "random", a_view())
    search = asyncio.create_task(worker.choose("table", "search@60s", a_view()))
    await asyncio.sleep(0.2)
    process_id = worker.process_id
    assert process_id is not None
    began = time.monotonic()
    await worker.close()
    assert time.monotonic() - began < 30  # the search would last twice as long
    with pytest.raises(ProcessLookupError):
        os.kill(process_id, 0)
    with pytest.raises(WorkerLost):
        await search


async def test_one_core_is_left_to_the_server(process: WorkerProcess) -> None:
    await process.choose("table", "random", a_view())
    assert process.process_id is not None
    own = sorted(os.sched_getaffinity(0))
    assert sorted(os.sched_getaffinity(process.process_id)) == (own[1:] or own)


_SERVER = """
import asyncio
from meadhall.server.worker.client import WorkerProcess

async def main():
    worker = WorkerProcess()
    await worker.load("axes-and-allies")
    print(worker.process_id, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_the_worker_ends_when_the_server_is_killed() -> None:
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _SERVER), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    assert server.stderr is not None
    os.kill(int(await server.stdout.readline()), 0)
    server.kill()
    await asyncio.wait_for(server.stderr.read(), PATIENCE)  # it ends when no process can write to it any more


async def test_bots_play_on_after_the_worker_dies(settings: Settings, at_once: None) -> None:
    worker = WorkerProcess()
    async with open_hall(settings, worker) as hall:
        program = await hall.program()
        room = await hall.room((await program.open(game=AXES, players=4, bots=["karl"] * 3))["id"])
        for _ in range(3):
            await until(room, lambda: actor(room) in (0, None))
            if actor(room) is None:
                break
            if worker.process_id is not None:
                with suppress(ProcessLookupError):  # it was killed before, and no task has started another since
                    os.kill(worker.process_id, signal.SIGKILL)
            assert room.match is not None
            await program.act(room.table.id, room.match.legal()[0].action)
        await until(room, lambda: actor(room) in (0, None))


def actor(room: Room) -> int | None:
    assert room.match is not None
    return room.match.actor


async def test_a_compiled_game_does_not_wait_for_one_that_is_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def compile_(names: list[str], bulk: bool) -> None:
        assert not bulk
        if names == ["slow"]:
            begun.set()
            assert go_on.wait(PATIENCE)

    monkeypatch.setattr(tasks, "warm", compile_)
    monkeypatch.setattr(tasks, "_loaded", set())
    worker = WorkerThreads()
    await worker.load("quick")
    slow = asyncio.create_task(worker.load("slow"))
    await asyncio.to_thread(begun.wait, PATIENCE)
    await asyncio.wait_for(worker.load("quick"), PATIENCE / 2)
    assert not slow.done()
    go_on.set()
    await slow


@pytest.mark.parametrize("is_compiled", [False, True])
async def test_a_game_is_compiled_in_a_process_that_ends_afterwards(
    process: WorkerProcess, monkeypatch: pytest.MonkeyPatch, is_compiled: bool
) -> None:
    started: list[WorkerProcess] = []
    start, run = WorkerProcess._started, WorkerProcess.run

    async def observed_start(self: WorkerProcess) -> asyncio.subprocess.Process:
        started.append(self)
        return await start(self)

    async def run_others(self: WorkerProcess, task: Task[Any], progress: Progress | None = None) -> Any:
        return is_compiled if isinstance(task, IsCompiled) else await run(self, task, progress)

    monkeypatch.setattr(WorkerProcess, "_started", observed_start)
    monkeypatch.setattr(WorkerProcess, "run", run_others)
    await process.warm(AXES)
    *compilers, last = started
    assert last is process, "it loads the rules from the cache on disk"
    assert process.process_id is not None
    assert len(compilers) == (0 if is_compiled else 1)
    assert all(compiler.process_id is None for compiler in compilers)
