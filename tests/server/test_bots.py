"""Bots at a table: they play in their turn, within their time, and are replaced when they fail."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
import time
from dataclasses import replace
from typing import Any

import pytest

import meadhall
from games_for_tests.hoard.rules import DRAW
from meadhall.bots import bot
from meadhall.engine.game import BEAT_SECONDS, beats_of
from meadhall.engine.match.view import SPECTATOR, View
from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.hall import bots as bots_module, move
from meadhall.server.hall.room import Room
from meadhall.server.hall.state import TableState
from meadhall.server.settings import Settings
from meadhall.server.store.models import Entry
from meadhall.server.worker import bot_cache
from server.matches import bot_cache_of, bots_and, match_of
from server.people import HOARD, OpenHall, open_hall, until

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Broken:
    """A bot that raises."""

    name = "broken"

    def choose(self, view: View) -> int:
        raise RuntimeError(f"out of ideas for {view.viewer}")


class Cheat:
    """A bot that returns an illegal action."""

    name = "cheat"

    def choose(self, view: View) -> int:
        return next(action for action in range(view.game.actions) if action not in view.legal)


class Dreamer:
    """A bot that returns a string."""

    name = "dreamer"

    def choose(self, view: View) -> Any:
        return f"victory of {view.viewer}"


@pytest.fixture
def bad_bot(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Replace ``greedy`` by a bad bot."""
    monkeypatch.setattr(bot_cache, "bot", lambda game, name: request.param() if name == "karl" else bot(game, name))
    return str(request.param.name)


async def test_bots_play_to_the_end(hall: OpenHall) -> None:
    program, room = await bots_and(hall, ["karl", "thrall", "karl"])
    while not match_of(room).over:
        await until(room, lambda: match_of(room).actor in (0, None))
        if not match_of(room).over:
            await program.act(room.table.id, match_of(room).legal()[0].action)
    assert room.table.status == "over"
    record = match_of(room).record()
    assert {action["seat"] for action in record["actions"]} - {0}
    meadhall.replay(record)


class Endless:
    """A bot that never answers."""

    name = "endless"

    def choose(self, view: View) -> int:
        threading.Event().wait()
        return view.legal[0]


@pytest.mark.asyncio
@pytest.mark.parametrize("bad_bot", [Endless], indirect=True)
async def test_a_bot_that_takes_too_long_is_replaced_for_that_decision(
    hall: OpenHall, bad_bot: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bots_module, "_MAX_SECONDS", 0.05)
    program, room = await bots_and(hall, ["karl"], HOARD)
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert match_of(room).steps[-1].seat == 1
    assert "took too long" in caplog.text
    assert len(bot_cache_of(hall).bots) == 1, "the cache has the random bot, but not the bot that has not answered"


@pytest.mark.parametrize("bad_bot", [Broken, Cheat, Dreamer], indirect=True)
async def test_a_bot_that_fails_is_replaced_for_that_decision_and_logged(
    hall: OpenHall, bad_bot: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bots_module, "_MAX_SECONDS", 0.5)
    program, room = await bots_and(hall, ["karl"], HOARD)
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert match_of(room).steps[-1].seat == 1
    assert room.table.seats[1].bot == "karl", "the bot keeps its seat"
    (said, *_) = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert f"table {room.table.id}: bot karl on seat 1 failed at action 2" in said.getMessage()


async def test_a_bot_that_does_not_exist_any_more_is_replaced(hall: OpenHall) -> None:
    program, room = await bots_and(hall, ["karl"], HOARD)
    room.state.table = room.table.replace_seat(replace(room.table.seats[1], bot="retired"))
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert match_of(room).steps[-1].seat == 1


def refuse_bots(monkeypatch: pytest.MonkeyPatch, error: Exception) -> list[Entry]:
    """Refuse to store the action of the bot on seat 1 five times, then store it. Return the refused entries."""
    refused: list[Entry] = []
    store = move._store

    def after_a_while(room: Room, draft: TableState) -> None:
        if draft.new and draft.new[0].seat == 1 and len(refused) < 5:
            refused.append(draft.new[0])
            raise error
        store(room, draft)

    monkeypatch.setattr(bots_module, "_RETRY_DELAY", 0.0)
    monkeypatch.setattr(bots_module, "_MAX_SECONDS", 1.0)
    monkeypatch.setattr(move, "_store", after_a_while)
    return refused


async def test_bots_wait_for_a_database_that_is_unavailable(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The bot has not failed, so no other bot replaces it."""
    program, room = await bots_and(hall, ["karl"], HOARD)
    refused = refuse_bots(monkeypatch, DatabaseUnavailable("It doesn't answer."))
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert len(refused) == 5
    assert not caplog.records


async def test_a_decision_is_retried_when_even_the_random_bot_fails(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    program, room = await bots_and(hall, ["thrall"], HOARD)
    refused = refuse_bots(monkeypatch, OSError("disk full"))
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert len(refused) == 5


async def test_bots_give_people_time_to_see_what_happened_but_never_four_seconds(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random, "uniform", lambda low, high: high)
    _, room = await bots_and(hall, ["karl"], HOARD)
    room.bots.pause = 0.9
    match = room.state.match = match_of(room).copy()
    match.play(DRAW)
    (last,) = match.steps
    public = next(event for event in last.events if event.visible_to(SPECTATOR))
    for events, pause in ((0, 1.17), (3, 1.17), (6, 2.34), (60, 3.8)):
        hidden = replace(public, audience=1)
        match.steps = [replace(last, events=(public,) * events + (hidden,) * 40)]
        assert room.bots._pause_length() == pytest.approx(pause)
    room.bots.pause = 3600.0
    assert room.bots._pause_length() == 3600, "unless the host sets a longer pause"


async def test_bots_wait_until_the_board_has_shown_the_public_events(hall: OpenHall) -> None:
    _, room = await bots_and(hall, ["karl"], "viking-axes")
    room.bots.pause = 0.9
    match = match_of(room).copy()
    match.seed = bytes(32)  # a long match: the hall's own seeds are random
    longest = 0
    while longest < 6 and not match.over:
        match.play(match.legal()[0])
        room.state.match = match
        beats = beats_of(match.view(None))
        longest = max(longest, beats)
        assert room.bots._pause_length() >= beats * BEAT_SECONDS
    assert longest >= 6


class Timed:
    """A bot that needs some time. It counts its instances."""

    name = "karl"
    made = 0
    lasts = 0.3

    def __init__(self) -> None:
        type(self).made += 1
        self.asked = 0

    def choose(self, view: View) -> int:
        self.asked += 1
        time.sleep(self.lasts)
        return view.legal[0]


async def test_a_search_is_part_of_the_pause(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random, "uniform", lambda low, high: 1.0)
    monkeypatch.setattr(bots_module, "has_secrets", lambda match: False)
    monkeypatch.setattr(bot_cache, "bot", lambda game, name: Timed())
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(seconds)

    monkeypatch.setattr(hall.store.time, "sleep", sleep)
    program, room = await bots_and(hall, ["karl"], HOARD)
    for pause, least in ((0.6, 0.6), (0.0, Timed.lasts)):
        room.bots.pause = pause
        began = time.monotonic()
        await program.act(room.table.id, match_of(room).legal()[0].action)
        await until(room, lambda: match_of(room).actor in (0, None))
        assert time.monotonic() - began >= least
        assert min(slept) <= max(0.0, pause - Timed.lasts), "the search must be part of the pause"
        slept.clear()


@pytest.mark.asyncio
async def test_a_bot_is_kept_until_the_match_is_over(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    cached = bot_cache_of(hall).bots
    counts = set()
    monkeypatch.setattr(Timed, "made", 0)
    monkeypatch.setattr(Timed, "lasts", 0.0)
    monkeypatch.setattr(bot_cache, "bot", lambda game, name: Timed())
    program, room = await bots_and(hall, ["karl", "karl"], HOARD)
    while not match_of(room).over:
        await until(room, lambda: match_of(room).actor in (0, None))
        if not match_of(room).over:
            counts.add(len(cached))
            await program.act(room.table.id, match_of(room).legal()[0].action)
    assert Timed.made == 2
    assert 2 in counts
    assert len(cached) == 0


async def test_an_undo_cancels_the_search_of_a_bot(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asyncio.Queue[int]()
    loop = asyncio.get_running_loop()

    class SlowOnce:
        name = "karl"

        def choose(self, view: View) -> int:
            loop.call_soon_threadsafe(asked.put_nowait, view.next_number)
            if view.next_number == 2:
                threading.Event().wait()
            return view.legal[0]

    monkeypatch.setattr(bot_cache, "bot", lambda game, name: SlowOnce())
    program, room = await bots_and(hall, ["karl"], HOARD)
    await program.act(room.table.id, DRAW)
    assert await asked.get() == 2
    room.change(lambda draft: draft.add("undo", 0, 1))
    await program.act(room.table.id, DRAW)
    assert await asked.get() == 3
    await until(room, lambda: match_of(room).actor in (0, None))
    assert [step.seat for step in match_of(room).steps][:2] == [0, 1]


async def test_bots_continue_after_a_restart(settings: Settings, at_once: None) -> None:
    async with open_hall(replace(settings, bot_pause=3600.0)) as before:
        program, room = await bots_and(before, ["karl"], HOARD)
        await program.act(room.table.id, DRAW)
        assert match_of(room).actor == 1
        table = room.table.id
    async with open_hall(settings) as after:
        again = await after.room(table)
        await until(again, lambda: match_of(again).actor in (0, None))
        assert match_of(again).steps[-1].seat == 1


@pytest.mark.parametrize("is_resigned", [False, True])
async def test_a_bots_answer_to_a_match_that_was_undone_or_abandoned_is_dropped(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, is_resigned: bool
) -> None:
    program, room = await bots_and(hall, ["karl"], HOARD)
    asked, answer = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow:
        name = "slow"

        def choose(self, view: View) -> int:
            loop.call_soon_threadsafe(asked.set)
            asyncio.run_coroutine_threadsafe(answer.wait(), loop).result()
            return view.legal[0]

    monkeypatch.setattr(bot_cache, "bot", lambda game, name: Slow())
    await program.act(room.table.id, DRAW)
    await asked.wait()
    if is_resigned:
        assert (await program.post(f"/tables/{room.table.id}/resign")).json()["status"] == "abandoned"
    else:
        room.change(lambda draft: draft.add("undo", 0, 1))
    answer.set()
    assert room.bots._playing is not None
    await room.bots._playing
    assert len(match_of(room).steps) == is_resigned
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING], "an abandoned match is no failure"
