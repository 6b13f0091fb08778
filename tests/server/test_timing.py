"""The times and sizes that another seat sees tell nothing about hidden hands."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

import meadhall
from games_for_tests.hoard.rules import DRAW
from meadhall.bots import RANKS, Hint
from meadhall.engine.view import View
from meadhall.games.viking_axes.state import Phase
from meadhall.lab import warm
from meadhall.server.hall import bots as bots_module
from meadhall.server.hall.bots import has_secrets
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.worker import bot_cache, tasks
from meadhall.server.worker.remote import WorkerProcess
from server.leaks import timeless
from server.matches import ask_hint, at_turn, bots_and, match_of
from server.people import AXES, HOARD, OpenHall, Program, open_hall, stream, until

pytestmark = pytest.mark.asyncio

DECISIONS = 300
TABLES = 8


@pytest_asyncio.fixture
async def hall_with_worker(settings: Settings, at_once: None) -> AsyncIterator[OpenHall]:
    """Open a hall whose bots search in a process, as in operation."""
    warm(["viking-axes"], bulk=False)
    async with open_hall(settings, WorkerProcess()) as opened:
        yield opened


async def observed(hall: OpenHall, decisions: list[tuple[bool, tuple[float, ...]]]) -> None:
    """Play matches with hidden hands against bots until there are enough decisions.

    For each decision of a bot about its hand, append whether one card was legal, and what another seat saw: the seconds until
    the action, and the number and size of the messages meanwhile.
    """
    program = await hall.program()
    while len(decisions) < DECISIONS:
        table = await program.open(game="viking-axes", bots=["huscarl"] * 3, options={"variant": "strategic"})
        await played(program, await hall.room(table["id"]), decisions)


async def played(program: Program, room: Room, decisions: list[tuple[bool, tuple[float, ...]]]) -> None:
    """Play seat 0 until the match is over or there are enough decisions."""
    shown, since, messages, size = -1, 0.0, 0, 0
    async with stream(program, f"/api/v1/tables/{room.table.id}/events") as live:
        while len(decisions) < DECISIONS:
            name, data = await live.event()
            if name != "table" or data["view"] is None:
                continue
            count = data["view"]["next"] - 1
            if count == shown:
                messages, size = messages + 1, size + len(str(data))
                continue
            step = match_of(room).steps[count - 1] if count > shown >= 0 else None
            if step is not None and step.seat != 0 and step.before["phase"][0] == Phase.HAND:
                decisions.append((step.legal == 1, (time.monotonic() - since, messages, size)))
            shown, since, messages, size = count, time.monotonic(), 0, 0
            if data["view"]["actor"] is None:
                return
            if data["view"]["legal"]:
                await program.act(room.table.id, data["view"]["legal"][0]["action"], count + 1)


def accuracy(cases: Sequence[tuple[bool, tuple[float, ...]]], feature: int) -> float:
    """Return the accuracy of a threshold on a feature. Each half of the cases is judged by the best one for the other half."""
    right = 0
    for learnt, judged in ((cases[::2], cases[1::2]), (cases[1::2], cases[::2])):
        thresholds = [-1.0, *sorted({seen[feature] for _, seen in learnt})]

        def score(rule: tuple[float, bool], among: Sequence[tuple[bool, tuple[float, ...]]]) -> int:
            threshold, below = rule
            return sum(((seen[feature] <= threshold) == below) == label for label, seen in among)

        best = max(((t, below) for t in thresholds for below in (True, False)), key=lambda rule: score(rule, learnt))
        right += score(best, judged)
    return right / len(cases)


async def test_another_seat_cant_tell_from_times_and_messages_whether_a_bot_had_a_choice(hall_with_worker: OpenHall) -> None:
    decisions: list[tuple[bool, tuple[float, ...]]] = []
    await asyncio.gather(*(observed(hall_with_worker, decisions) for _ in range(TABLES)))
    forced = sum(label for label, _ in decisions) / len(decisions)
    assert 0.02 < forced < 0.98, "there must be something to tell apart"
    for feature in range(3):
        assert accuracy(decisions, feature) <= max(forced, 1 - forced) + 0.03, feature


@pytest.mark.parametrize("seconds", [0.0, 0.2, 0.5])
async def test_where_players_have_secrets_a_bot_acts_at_one_of_two_moments(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """The second one is for answers of an overloaded machine."""
    monkeypatch.setattr(bots_module, "_full_time", lambda bot: 0.3)
    monkeypatch.setattr(bots_module, "_MAX_SECONDS", 0.8)

    class Slow:
        name = "greedy"

        def choose(self, view: View) -> int:
            time.sleep(seconds)
            return view.legal[0]

    monkeypatch.setattr(bot_cache, "bot", lambda game, name: Slow())
    program, room = await bots_and(hall, ["greedy"], HOARD)
    await program.act(room.table.id, DRAW)
    began = time.monotonic()
    await until(room, lambda: match_of(room).actor in (0, None))
    assert time.monotonic() - began == pytest.approx(0.8 if seconds > 0.3 else 0.3, abs=0.15)


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
        await asyncio.sleep(0.1)  # until all are online
        for each in (live, *others):
            while each.waiting:
                await each.frame()
        pages = [timeless((await person.get(path)).text) for person in (other, spectator)]
        assert (await ask_hint(actor, room)).status_code == 200
        while "What the king would do" not in await live.frame():
            pass
        await asyncio.sleep(0.05)
        assert not any(each.waiting for each in others)
        assert [timeless((await person.get(path)).text) for person in (other, spectator)] == pages, "the same, version included"
        version = int(re.findall(r'data-version="(\d+)"', (await actor.get(path)).text)[0])
        await actor.act(room.table.id, match_of(room).legal()[0].action)
        for each in (live, *others):
            assert int(re.findall(r'data-version="(\d+)"', await each.frame())[0]) > version, "a page keeps the newest version"
