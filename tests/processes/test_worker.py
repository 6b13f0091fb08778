"""The worker: its tasks in a process or in threads, cancelled tasks, and what happens when either process dies."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

import meadhall
from meadhall.engine.errors import UnknownGame
from meadhall.engine.match.view import View
from meadhall.server.hall.analysis import ChartQueue
from meadhall.server.hall.room import Room
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.worker import tasks, warming
from meadhall.server.worker.bot_cache import BotCache
from meadhall.server.worker.client import Worker, WorkerLost
from meadhall.server.worker.messages import LENGTH_BYTES, RunTask, TaskError
from meadhall.server.worker.process import TaskRunner
from meadhall.server.worker.remote import GameProcesses, WorkerProcess
from meadhall.server.worker.tasks import AnalyseMatch, ChooseAction, FindHints, LoadRules, Progress, SolveDeal, Task
from meadhall.server.worker.warming import WarmRules, run_in_new_process
from server.manual_time import settled
from server.people import AXES, open_hall, until
from server.worker_threads import WorkerThreads

pytestmark = pytest.mark.asyncio(loop_scope="module")

PATIENCE = 240.0


@pytest_asyncio.fixture(params=["process", "threads"], loop_scope="module")
async def worker(request: pytest.FixtureRequest, process: WorkerProcess) -> Worker:
    """Both kinds, which give the same results."""
    return process if request.param == "process" else WorkerThreads()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def process() -> AsyncIterator[WorkerProcess]:
    """A process for all tests. After a test has killed it, the next task starts it again."""
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
    for name in ("thrall", "search@20"):
        assert await worker.run(ChooseAction("table", name, view)) in view.legal
    worker.forget("table")
    assert (await worker.run(FindHints(view)))[0].action in view.legal

    reported: list[float] = []
    over = a_match()
    analysis = await worker.run(AnalyseMatch(over.record(), "public"), reported.append)
    result = over.result()
    assert result is not None
    assert analysis.chances[-1] == result.scores
    assert reported == sorted(reported)

    outcome = await worker.run(SolveDeal("axxa", bytes(32), {"mode": "together", "touching": "all"}))
    assert outcome.won


async def test_the_exception_of_a_task_is_raised_here(worker: Worker) -> None:
    with pytest.raises(UnknownGame, match="no game 'chess'"):
        await worker.run(LoadRules("chess"))


async def test_an_exception_of_the_progress_callback_ends_the_task(worker: Worker) -> None:
    class Enough(Exception):
        pass

    def progress(_done: float) -> None:
        raise Enough

    with pytest.raises(Enough):
        await worker.run(AnalyseMatch(a_match().record(), "public"), progress)
    view = a_view()
    for number in range(5):  # while the analysis ends over there
        choice = worker.run(ChooseAction(f"after {number}", "thrall", view))
        assert await asyncio.wait_for(choice, PATIENCE) in view.legal
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
    await process.run(ChooseAction("first", "thrall", view))
    long = asyncio.create_task(process.run(ChooseAction("long", "search@300s", view)))
    await asyncio.sleep(0.2)
    assert await asyncio.wait_for(process.run(ChooseAction("short", "thrall", view)), PATIENCE) in view.legal
    assert not long.done()
    long.cancel()
    await process.close()  # it would go on for long


async def test_a_process_that_dies_is_replaced(process: WorkerProcess, caplog: pytest.LogCaptureFixture) -> None:
    view = a_view()
    await process.run(ChooseAction("table", "thrall", view))
    first = process.process_id
    assert first is not None
    search = asyncio.create_task(process.run(ChooseAction("table", "search@300s", view)))
    await asyncio.sleep(0.2)
    os.kill(first, signal.SIGKILL)
    with pytest.raises(WorkerLost):
        await search
    assert await process.run(ChooseAction("table", "thrall", view)) in view.legal
    assert process.process_id not in (None, first)
    assert "has ended (status -9)" in caplog.text


async def test_a_chart_is_repeated_after_the_worker_was_killed(process: WorkerProcess, caplog: pytest.LogCaptureFixture) -> None:
    await process.run(ChooseAction("table", "thrall", a_view()))
    assert process.process_id is not None
    os.kill(process.process_id, signal.SIGSTOP)  # else it may be done before it is killed
    charts = ChartQueue(process, Time())
    job = charts.request("a", a_match(), has_subscribers=lambda: True)
    await settled()
    os.kill(process.process_id, signal.SIGKILL)
    assert charts._working is not None
    await asyncio.wait_for(charts._working, PATIENCE)
    assert job.has_lost_worker
    assert job.analysis is not None
    assert "the worker process ended during a chart" in caplog.text


async def test_a_process_that_is_idle_for_long_ends_and_the_next_task_starts_another() -> None:
    worker = WorkerProcess(idle_seconds=0.0)
    view = a_view()
    assert await worker.run(ChooseAction("table", "thrall", view)) in view.legal
    first = worker.process_id
    assert first is not None
    async with asyncio.timeout(PATIENCE):
        while has_process(first):
            await asyncio.sleep(0.01)
    assert worker.process_id is None
    assert await worker.run(ChooseAction("table", "thrall", view)) in view.legal
    await worker.close()


async def test_a_process_ends_only_when_its_last_task_is_done() -> None:
    worker = WorkerProcess(idle_seconds=0.0)
    search = asyncio.create_task(worker.run(ChooseAction("table", "search@0.5s", a_view())))
    for number in range(3):
        await worker.run(ChooseAction(f"other {number}", "thrall", a_view()))
    assert await asyncio.wait_for(search, PATIENCE) in a_view().legal
    await worker.close()


def has_process(id: int) -> bool:
    try:
        os.kill(id, 0)
    except ProcessLookupError:
        return False
    return True


async def test_each_game_that_is_played_has_a_process_and_a_table_stays_in_it() -> None:
    worker = GameProcesses()
    match = meadhall.game(AXES).match(players=2, seed="thought about")
    for _ in range(2):
        await worker.run(ChooseAction("one", "thrall", match.view(match.actor)))
        await worker.run(ChooseAction("other", "thrall", a_view()))
    assert set(worker.processes) == {AXES, "viking-axes"}
    ids = [process.process_id for process in worker.processes.values()]
    assert len({*ids, None}) == 3
    await worker.close()
    assert [process.process_id for process in worker.processes.values()] == [None, None]


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process in /proc")
@pytest.mark.parametrize("game", ["axes-and-allies", "axxa", "dungeon-allies", "viking-axes"])
async def test_the_process_of_a_game_holds_little_memory_at_rest(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the packages of a hall: Numba loads SciPy where it is installed.

    Pages of files, such as LLVM's 70 to 110 MB, don't count: how many are resident depends on the machine's page cache.
    """
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['scipy'] = sys.modules['coverage'] = None\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("COVERAGE_PROCESS_CONFIG", "")
    first, worker = WorkerProcess(), WorkerProcess()
    await first.warm(game)  # as in a hall, another process compiles what is not in the cache
    await first.close()
    await worker.run(LoadRules(game))
    assert worker.process_id is not None
    memory = anonymous_kilobytes(worker.process_id)
    await worker.close()
    assert memory <= 120 * 1024


def anonymous_kilobytes(process: int) -> int:
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return int(status["RssAnon"].split()[0])


async def test_a_decision_that_is_asked_for_again_searches_for_the_rest_of_its_time_and_others_stay_as_they_are() -> None:
    king = ChooseAction("table", "king", a_view())
    assert king.within(3.0) is king
    assert king.within(1.0) == replace(king, bot="search@1.00s")
    for bot in ("karl", "jarl", "thrall"):
        task = ChooseAction("table", bot, a_view())
        assert task.within(1.0) is task
    hints = FindHints(a_view())
    assert hints.within(0.1) is hints


async def test_closing_leaves_no_process_and_waits_for_no_task() -> None:
    worker = WorkerProcess()
    await worker.run(ChooseAction("table", "thrall", a_view()))
    search = asyncio.create_task(worker.run(ChooseAction("table", "search@300s", a_view())))
    await asyncio.sleep(0.2)
    process_id = worker.process_id
    assert process_id is not None
    await asyncio.wait_for(worker.close(), PATIENCE)  # the search would last longer
    with pytest.raises(ProcessLookupError):
        os.kill(process_id, 0)
    with pytest.raises(WorkerLost):
        await search


async def test_one_core_is_left_to_the_server(process: WorkerProcess) -> None:
    await process.run(ChooseAction("table", "thrall", a_view()))
    assert process.process_id is not None
    own = sorted(os.sched_getaffinity(0))
    assert sorted(os.sched_getaffinity(process.process_id)) == (own[1:] or own)


_SERVER = """
import asyncio
from meadhall.server.worker.remote import WorkerProcess
from meadhall.server.worker.tasks import LoadRules

async def main():
    worker = WorkerProcess()
    await worker.run(LoadRules("axes-and-allies"))
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
    await server.wait()


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
    monkeypatch.setattr(tasks, "_load_named_bots", lambda _game: None)
    monkeypatch.setattr(tasks, "_loaded", set())
    worker = WorkerThreads()
    await worker.run(LoadRules("quick"))
    slow = asyncio.create_task(worker.run(LoadRules("slow")))
    await asyncio.to_thread(begun.wait, PATIENCE)
    await asyncio.wait_for(worker.run(LoadRules("quick")), PATIENCE / 2)
    assert not slow.done()
    go_on.set()
    await slow


@pytest.mark.parametrize("clients", [1, 3])
async def test_a_game_is_compiled_once_in_a_process_that_ends_afterwards(monkeypatch: pytest.MonkeyPatch, clients: int) -> None:
    compilers: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def observed_start(*given: Any, **named: Any) -> subprocess.Popen[bytes]:
        compilers.append(start(*given, **named))
        return compilers[-1]

    monkeypatch.setattr(subprocess, "Popen", observed_start)
    monkeypatch.setattr(warming, "is_warm", lambda _game: any(process.returncode == 0 for process in compilers))
    await asyncio.gather(*(asyncio.to_thread(WarmRules(AXES).run, BotCache(), print) for _ in range(clients)))
    assert [process.returncode for process in compilers] == [0]
    await asyncio.to_thread(WarmRules(AXES).run, BotCache(), print)
    assert len(compilers) == 1, "it loads the rules from the cache on disk"


async def test_the_exception_of_a_compiler_is_raised_here() -> None:
    with pytest.raises(UnknownGame, match="no game 'chess'"):
        await asyncio.to_thread(run_in_new_process, LoadRules("chess"))


async def test_a_compiler_that_is_killed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    start = subprocess.Popen

    def start_and_kill(*given: Any, **named: Any) -> subprocess.Popen[bytes]:
        process = start(*given, **named)
        process.kill()
        return process

    monkeypatch.setattr(subprocess, "Popen", start_and_kill)
    with pytest.raises(RuntimeError, match="status -9"):
        await asyncio.to_thread(run_in_new_process, LoadRules(AXES))


async def test_the_tasks_of_a_client_that_is_gone_are_cancelled() -> None:
    ended = threading.Event()

    @dataclass(frozen=True)
    class Endless(Task[None]):
        def run(self, bots: BotCache, progress: Progress) -> None:  # noqa: ARG002
            try:
                while True:
                    progress(0.0)
            finally:
                ended.set()

    runner = TaskRunner(BotCache(), Output())
    runner.handle(RunTask(1, Endless()))
    assert not ended.wait(0.1)
    runner.serve(BytesIO())
    assert await asyncio.to_thread(ended.wait, PATIENCE)
