"""Thinking in a process beside the hall: what comes back, what is dropped, and what happens when either of the two dies."""

from __future__ import annotations

import asyncio
import itertools
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest
import pytest_asyncio

import meadhall
from meadhall.engine.errors import UnknownGame
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.worker import tasks as mind
from meadhall.server.worker.client import HEADER, Beside, InThreads, Thinker, ThinkerLost
from meadhall.server.worker.process import Desk
from meadhall.server.worker.tasks import Mind
from server.people import AXES, open_hall, until

pytestmark = pytest.mark.asyncio

PATIENCE = 60


@pytest_asyncio.fixture(params=[Beside, InThreads])
async def thinker(request: pytest.FixtureRequest) -> AsyncIterator[Thinker]:
    """Both kinds: whatever is asked, they answer the same."""
    thinker: Thinker = request.param()
    yield thinker
    await thinker.close()


@pytest_asyncio.fixture
async def beside() -> AsyncIterator[Beside]:
    thinker = Beside()
    yield thinker
    await thinker.close()


def a_match(game: str = AXES) -> meadhall.Match:
    match = meadhall.game(game).match(players=2, seed="thought about")
    while not match.over:
        match.play(match.legal()[0])
    return match


async def test_bots_hints_charts_and_deals_are_thought_of(thinker: Thinker) -> None:
    match = meadhall.game(AXES).match(players=2, seed="thought about")
    assert match.actor is not None
    view = match.view(match.actor)
    for name in ("random", "search@20"):
        assert await thinker.ask("choose", "table", name, view) in view.legal
    thinker.tell("forget", "table")
    assert (await thinker.ask("hint", view))[0].action in view.legal

    heard: list[float] = []
    over = a_match()
    analysis = await thinker.ask("chart", over.record(), "public", progress=heard.append)
    result = over.result()
    assert result is not None
    assert analysis.chances[-1] == result.scores
    assert heard == sorted(heard)

    outcome = await thinker.ask("outcome", "axxa", bytes(32), {"mode": "together", "touching": "all"})
    assert outcome.won


async def test_what_fails_there_is_raised_here(thinker: Thinker) -> None:
    with pytest.raises(UnknownGame, match="no game 'chess'"):
        await thinker.ask("prepare", "chess")


async def test_who_does_not_want_the_chart_any_more_ends_it(thinker: Thinker) -> None:
    class Enough(Exception):
        pass

    def progress(_done: float) -> None:
        raise Enough

    with pytest.raises(Enough):
        await thinker.ask("chart", a_match("viking-axes").record(), "public", progress=progress)
    view = a_view()
    for number in range(20):  # while the chart ends over there
        choice = thinker.ask("choose", f"after {number}", "random", view)
        assert await asyncio.wait_for(choice, 10) in view.legal
        await asyncio.sleep(0.05)


class Fussy(Exception):
    """Can't be made anew from its arguments, as many exceptions can't."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one + other)


class Failing(Mind):
    def fail(self) -> None:
        raise Fussy("this ", "and that")


class Answers(BytesIO):
    def __init__(self) -> None:
        super().__init__()
        self.flushed = threading.Event()

    def flush(self) -> None:
        self.flushed.set()


async def test_an_exception_that_cannot_be_read_is_told_in_words() -> None:
    answers = Answers()
    Desk(Failing(), answers).handle(1, "fail", (), wants_progress=False)
    assert await asyncio.to_thread(answers.flushed.wait, 10)
    number, kind, error = pickle.loads(answers.getvalue()[HEADER:])  # noqa: S301 - our own
    assert (number, kind, type(error)) == (1, "answer", RuntimeError)
    assert "this and that" in str(error)


async def test_several_things_are_thought_of_at_once(beside: Beside) -> None:
    view = a_view()
    await beside.ask("choose", "first", "random", view)
    long = asyncio.create_task(beside.ask("choose", "long", "search@20s", view))
    await asyncio.sleep(0.2)
    assert await asyncio.wait_for(beside.ask("choose", "short", "random", view), 10) in view.legal
    assert not long.done()
    long.cancel()


def a_view() -> meadhall.View:
    match = meadhall.game("viking-axes").match(players=4, variant="strategic", seed="long")
    return match.view(match.actor)


async def test_a_process_that_dies_is_replaced(beside: Beside, caplog: pytest.LogCaptureFixture) -> None:
    view = a_view()
    await beside.ask("choose", "table", "random", view)
    first = beside.process_id
    assert first is not None
    thought = asyncio.create_task(beside.ask("choose", "table", "search@60s", view))
    await asyncio.sleep(0.2)
    os.kill(first, signal.SIGKILL)
    with pytest.raises(ThinkerLost):
        await thought
    assert await beside.ask("choose", "table", "random", view) in view.legal
    assert beside.process_id not in (None, first)
    assert "has ended (status -9)" in caplog.text


async def test_a_hall_that_closes_leaves_no_process_and_waits_for_no_thought() -> None:
    beside = Beside()
    await beside.ask("choose", "table", "random", a_view())
    thought = asyncio.create_task(beside.ask("choose", "table", "search@60s", a_view()))
    await asyncio.sleep(0.2)
    process_id = beside.process_id
    assert process_id is not None
    began = time.monotonic()
    await beside.close()
    assert time.monotonic() - began < 30  # the thought would last twice as long
    with pytest.raises(ProcessLookupError):
        os.kill(process_id, 0)
    with pytest.raises(ThinkerLost):
        await thought


async def test_one_core_is_left_to_the_hall(beside: Beside) -> None:
    await beside.ask("choose", "table", "random", a_view())
    assert beside.process_id is not None
    own = sorted(os.sched_getaffinity(0))
    assert sorted(os.sched_getaffinity(beside.process_id)) == (own[1:] or own)


_A_HALL = """
import asyncio
from meadhall.server.worker.client import Beside

async def main():
    thinker = Beside()
    await thinker.ask("prepare", "axes-and-allies")
    print(thinker.process_id, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_when_the_hall_is_killed_nothing_thinks_on() -> None:
    hall = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _A_HALL), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert hall.stdout is not None
    assert hall.stderr is not None
    os.kill(int(await hall.stdout.readline()), 0)
    hall.kill()
    await asyncio.wait_for(hall.stderr.read(), PATIENCE)  # it ends when nobody can write to it any more


async def test_bots_go_on_when_what_thinks_for_them_dies(settings: Settings, at_once: None) -> None:
    thinker = Beside()
    async with open_hall(settings, thinker) as hall:
        program = await hall.program()
        room = await hall.room((await program.open(game=AXES, players=4, bots=["karl"] * 3))["id"])
        for _ in range(3):
            await until(room, lambda: actor(room) in (0, None))
            if actor(room) is None:
                break
            if thinker.process_id is not None:
                with suppress(ProcessLookupError):  # it was killed before, and nobody has asked it anything since
                    os.kill(thinker.process_id, signal.SIGKILL)
            assert room.match is not None
            await program.act(room.table.id, room.match.legal()[0].action)
        await until(room, lambda: actor(room) in (0, None))


def actor(room: Room) -> int | None:
    assert room.match is not None
    return room.match.actor


async def test_who_plays_what_is_compiled_does_not_wait_for_what_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def compile_(names: list[str], bulk: bool) -> None:
        assert not bulk
        if names == ["slow"]:
            begun.set()
            assert go_on.wait(PATIENCE)

    monkeypatch.setattr(mind, "warm", compile_)
    monkeypatch.setattr(mind, "_prepared", set())
    thinker = InThreads()
    await thinker.ask("prepare", "quick")
    slow = asyncio.create_task(thinker.ask("prepare", "slow"))
    await asyncio.to_thread(begun.wait, PATIENCE)
    await asyncio.wait_for(thinker.ask("prepare", "quick"), PATIENCE / 2)
    assert not slow.done()
    go_on.set()
    await slow


async def test_what_compiles_a_game_ends_when_it_has_and_what_thinks_then_reads_it_from_disk(
    beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Beside] = []

    async def running(self: Beside) -> asyncio.subprocess.Process:
        begun.append(self)
        return await start(self)

    start = Beside._running
    monkeypatch.setattr(Beside, "_running", running)

    async def ask(self: Beside, what: str, *arguments: Any, **others: Any) -> Any:
        return compiled if what == "is_prepared" else await asked(self, what, *arguments, **others)

    asked = Beside.ask
    monkeypatch.setattr(Beside, "ask", ask)
    compiled = False
    await beside.prepare(AXES)
    compiler, thinks = begun
    assert thinks is beside
    assert compiler.process_id is None
    assert beside.process_id is not None
    begun.clear()
    compiled = True
    await beside.prepare(AXES)
    assert begun == [beside]


async def test_a_table_is_forgotten_while_others_are_thought_about() -> None:
    """What is kept changes in many threads at once."""
    thoughts, over, view = Mind(), threading.Event(), a_view()

    def think() -> None:
        for k in itertools.count():
            if over.is_set():
                return
            thoughts.choose(f"table {k % 12}", "random", view)

    threads = [threading.Thread(target=think) for _ in range(3)]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        ends = time.monotonic() + 2
        while time.monotonic() < ends:
            thoughts.forget("another table")
    finally:
        over.set()
        sys.setswitchinterval(usual)
    for thread in threads:
        thread.join()
    assert len(thoughts.kept) == 12


@pytest.mark.parametrize(("cores", "bots"), [(1, 24), (4, 24), (32, 3), (200, 1)])
async def test_the_more_cores_the_fewer_bots_are_kept_as_each_has_a_tree_for_every_core(
    cores: int, bots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("meadhall.server.worker.tasks.cores", lambda: cores)
    thoughts, view = Mind(), a_view()
    for k in range(30):
        thoughts.choose(f"table {k}", "random", view)
    assert list(thoughts.kept) == [(f"table {k}", view.viewer) for k in range(30 - bots, 30)]
