"""The first start: the hall answers at once, and a game opens by itself when its rules are compiled."""

from __future__ import annotations

import asyncio
import logging

import pytest

from meadhall.server import readiness
from meadhall.server.readiness import Readiness
from meadhall.server.settings import Settings
from server.people import AXES, HOARD, open_hall

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("compiled")]


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Nothing is compiled before this event."""
    let_go = asyncio.Event()
    prepare = Readiness.prepare

    async def held(self: Readiness, when_ready: object) -> None:
        await let_go.wait()
        await prepare(self, when_ready)  # type: ignore[arg-type]

    monkeypatch.setattr(Readiness, "prepare", held)
    return let_go


async def test_a_game_that_is_not_compiled_yet_says_so(settings: Settings, waiting: asyncio.Event) -> None:
    async with open_hall(settings) as hall:
        person = hall.person()
        page = await person.get("/")
        assert page.status_code == 200
        assert "The rules are being made ready" in page.text
        assert not any(game["ready"] for game in (await person.get("/api/games")).json())
        answer = await person.ask("/tables", {"game": AXES})
        assert (answer.status_code, answer.json()["error"]) == (503, "not-ready")
        assert "is still being set up" in answer.json()["reason"]
        form = await person.post("/tables", {"game": AXES})
        assert form.status_code == 503
        assert "is still being set up" in form.text
        program = await hall.program()
        assert (await program.post("/tables", {"game": AXES})).status_code == 503


async def test_it_opens_by_itself(settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(readiness, "game_names", lambda: [AXES])
    async with open_hall(settings) as hall:
        async with asyncio.timeout(120):
            while AXES not in hall.hall.ready:  # noqa: ASYNC110 - as a visitor's page does
                await asyncio.sleep(0.05)
        assert (await hall.person().ask("/tables", {"game": AXES})).status_code == 201
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_what_fails_beside_the_hall_is_compiled_in_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Hoard is known to this process alone."""
    monkeypatch.setattr(readiness, "game_names", lambda: [HOARD])
    async with open_hall(settings) as hall:
        async with asyncio.timeout(120):
            while HOARD not in hall.hall.ready:  # noqa: ASYNC110 - as a visitor's page does
                await asyncio.sleep(0.05)
    assert "compiling hoard beside the hall failed" in caplog.text


async def test_a_hall_that_closes_waits_for_no_compiler(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "game_names", lambda: [AXES])
    begun, killed = asyncio.Event(), asyncio.Event()

    class Endless:
        async def wait(self) -> int:
            begun.set()
            await asyncio.Event().wait()
            raise AssertionError

        def terminate(self) -> None:
            killed.set()

    async def endless(*_: object, **__: object) -> Endless:
        return Endless()

    monkeypatch.setattr(asyncio, "create_subprocess_exec", endless)
    async with open_hall(settings):
        await begun.wait()
    assert killed.is_set()
