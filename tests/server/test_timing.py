"""The times and sizes that another seat sees tell nothing about hidden hands."""

from __future__ import annotations

import asyncio
import re
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest

import meadhall
from games_for_tests.hoard.rules import DRAW
from meadhall.bots import RANKS, Hint
from meadhall.engine.match.view import View
from meadhall.server.hall import bots as bots_module
from meadhall.server.hall.bots import has_secrets
from meadhall.server.hall.move import act
from meadhall.server.store import guests
from meadhall.server.worker import bot_cache, tasks
from server.leaks import timeless
from server.manual_time import settled
from server.matches import ask_hint, at_turn, bots_and, match_of
from server.people import AXES, HOARD, OpenHall, stream

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("time")]


@pytest.mark.parametrize("seconds", [0.0, 0.2, 0.5])
async def test_where_players_have_secrets_a_bot_acts_at_one_of_two_moments(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """The second one is for answers of an overloaded machine."""
    monkeypatch.setattr(bots_module, "_full_time", lambda bot: 0.3)
    monkeypatch.setattr(bots_module, "_MAX_SECONDS", 0.8)

    loop = asyncio.get_running_loop()

    class Slow:
        name = "karl"

        def choose(self, view: View) -> int:
            asyncio.run_coroutine_threadsafe(hall.time.advance(seconds), loop).result()
            return view.legal[0]

    monkeypatch.setattr(bot_cache, "bot", lambda game, name: Slow())
    program, room = await bots_and(hall, ["karl"], HOARD)
    await program.act(room.table.id, DRAW)
    began = hall.time.seconds()
    await hall.let_time_pass_until(lambda: len(match_of(room).steps) > 1)
    assert hall.time.seconds() - began == pytest.approx(0.8 if seconds > 0.3 else 0.3)


@pytest.mark.parametrize("game", [AXES, HOARD])
async def test_where_players_have_secrets_a_bot_uses_up_its_budget(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    """Also the CPU time of the worker must not tell what is in a hand."""
    monkeypatch.setattr(bots_module, "_full_time", lambda bot: 0.0)
    asked: list[bool] = []
    run = tasks.ChooseAction.run

    def noted(task: tasks.ChooseAction, *more: Any) -> int:
        asked.append(task.whole_budget)
        return run(replace(task, bot="thrall"), *more)

    monkeypatch.setattr(tasks.ChooseAction, "run", noted)
    _program, room = await bots_and(hall, ["huscarl"] * (1 if game == HOARD else 2), game)  # one of two is alive to answer
    person = room.table.seats[0].guests
    for _ in range(6):
        match = match_of(room)
        if match.actor == 0:
            guest = hall.store.transact(guests.find, min(person))
            assert guest is not None
            act(room, guest, match.legal()[0].action)
        await hall.let_time_pass_until(lambda: match_of(room).over or match_of(room).actor == 0)
        if asked:
            break
    assert asked
    assert set(asked) == {game == HOARD}


async def test_the_full_time_of_every_level_is_within_the_limit() -> None:
    for rank in RANKS:
        assert 0 < bots_module._full_time(rank.name) < bots_module._MAX_SECONDS
        assert rank.budget is None or bots_module._full_time(rank.name) > rank.budget.seconds


@pytest.mark.parametrize(
    ("game", "options", "secret"),
    [
        (AXES, {}, False),
        ("axxa", {}, False),
        ("dungeon-allies", {}, False),
        ("viking-axes", {"variant": "standard"}, False),
        ("viking-axes", {"variant": "strategic"}, True),
    ],
)
async def test_bots_answer_early_only_where_players_have_no_secrets(game: str, options: dict[str, str], secret: bool) -> None:
    assert has_secrets(meadhall.game(game).match(players=2, seed="any", **options)) == secret


@pytest.mark.parametrize("game", [AXES, HOARD])
async def test_a_hint_wakes_its_asker_only(hall: OpenHall, monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    monkeypatch.setattr(tasks, "hints", lambda view: (Hint(view.legal[0], None, True),))
    actor, other, room, _ = await at_turn(hall, game)
    spectator = hall.person("10.0.0.9")
    await spectator.get("/settings")
    path = f"/tables/{room.table.id}"
    async with AsyncExitStack() as streams:
        live, *others = [
            await streams.enter_async_context(stream(person, f"{path}/stream")) for person in (actor, other, spectator)
        ]
        await settled()  # all are online
        for each in (live, *others):
            while each.waiting:
                await each.frame()
        pages = [timeless((await person.get(path)).text) for person in (other, spectator)]
        assert (await ask_hint(actor, room)).status_code == 200
        while "What the king would do" not in await live.frame():
            pass
        await settled()
        assert not any(each.waiting for each in others)
        assert [timeless((await person.get(path)).text) for person in (other, spectator)] == pages, "the same, version included"
        version = int(re.findall(r'data-version="(\d+)"', (await actor.get(path)).text)[0])
        await actor.act(room.table.id, match_of(room).legal()[0].action)
        for each in (live, *others):
            assert int(re.findall(r'data-version="(\d+)"', await each.frame())[0]) > version, "a page keeps the newest version"
