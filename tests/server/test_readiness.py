"""The first start: pages work at once, and each game opens when its rules are compiled."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from meadhall.server.hall.upkeep import readiness
from meadhall.server.hall.upkeep.readiness import Readiness
from meadhall.server.routes import replay
from meadhall.server.settings import Settings
from meadhall.server.worker.bot_cache import BotCache
from meadhall.server.worker.tasks import LoadRules, Progress
from server.people import AXES, HOARD, open_hall
from server.waiting import until

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("hoard")]


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Compile nothing before this event."""
    may_compile = asyncio.Event()
    prepare = Readiness.prepare

    async def held(self: Readiness, when_ready: object) -> None:
        await may_compile.wait()
        await prepare(self, when_ready)  # type: ignore[arg-type]

    monkeypatch.setattr(Readiness, "prepare", held)
    return may_compile


async def test_a_game_that_is_not_compiled_yet_is_marked(settings: Settings, waiting: asyncio.Event) -> None:
    async with open_hall(settings) as hall:
        person = hall.person()
        page = await person.get("/")
        assert page.status_code == 200
        assert "The rules are loading" in page.text
        assert not any(game["ready"] for game in (await person.get("/api/v1/games")).json())
        health = await person.get("/health/ready")
        assert (health.status_code, health.json()["status"]) == (503, "loading")
        assert not any(health.json()["games"].values())
        assert (await person.get("/health/live")).status_code == 200
        answer = await person.ask("/tables", {"game": AXES})
        assert (answer.status_code, answer.json()["error"]) == (503, "not-ready")
        assert "is still being set up" in answer.json()["reason"]
        form = await person.post("/tables", {"game": AXES})
        assert form.status_code == 503
        assert "is still being set up" in form.text
        program = await hall.program()
        assert (await program.post("/tables", {"game": AXES})).status_code == 503


async def test_a_game_opens_when_it_is_compiled(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(readiness, "game_names", lambda: [AXES])
    async with open_hall(settings) as hall:
        await until(lambda: AXES in hall.hall.ready)
        assert (await hall.person().ask("/tables", {"game": AXES})).status_code == 201
        assert (await hall.person().get("/health/ready")).json() == {"status": "ok", "games": {AXES: True}}
        hall.hall.closing.set()
        assert (await hall.person().get("/health/ready")).json()["status"] == "closing"
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_compiler_error_is_logged_and_does_not_block_other_games(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def run(task: LoadRules, _bots: BotCache, _progress: Progress) -> None:
        if task.game == AXES:
            raise ValueError("no compiler")

    monkeypatch.setattr(readiness, "game_names", lambda: [AXES, HOARD])
    monkeypatch.setattr(LoadRules, "run", run)
    async with open_hall(settings) as hall:
        await until(lambda: HOARD in hall.hall.ready)
    assert "axes-and-allies could not be compiled" in caplog.text
    assert "no compiler" in caplog.text


async def test_a_closing_server_does_not_wait_for_the_compiler(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def run(_task: LoadRules, _bots: BotCache, _progress: Progress) -> None:
        loop.call_soon_threadsafe(begun.set)
        go_on.wait(60)

    monkeypatch.setattr(LoadRules, "run", run)
    async with open_hall(settings):
        await begun.wait()
    assert not go_on.is_set()
    go_on.set()


async def test_interpreted_rules_can_be_learned_at_once(
    settings: Settings, waiting: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_hall(settings) as hall:
        for interpreted, status in ((True, 200), (False, 503)):
            monkeypatch.setattr(replay, "INTERPRETED", interpreted)
            assert (await hall.person().get(f"/learn/{AXES}")).status_code == status
