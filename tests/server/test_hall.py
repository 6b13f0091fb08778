"""The rooms of a hall: which ones stay in memory, and which ones can't be loaded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games_for_tests.hoard.rules import DRAW
from meadhall.server.hall import hall as hall_module
from server.matches import bot_cache_of, bots_and, match_of
from server.people import HOARD, OpenHall, until

pytestmark = pytest.mark.asyncio


async def test_the_bots_of_an_evicted_room_are_dropped(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    program, room = await bots_and(hall, ["greedy"], HOARD)
    await program.act(room.table.id, DRAW)
    await until(room, lambda: match_of(room).actor in (0, None))
    assert len(bot_cache_of(hall).bots) == 1
    monkeypatch.setattr(hall_module, "_MAX_ROOMS", 1)
    monkeypatch.setattr(hall_module, "_MIN_AGE", 0.0)
    await program.open(game=HOARD, bots=["greedy"])
    assert room not in hall.hall.rooms()
    assert len(bot_cache_of(hall).bots) == 0


async def test_idle_rooms_are_evicted_least_recently_used_first(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = [await hall.room(await hall.person().open()) for _ in range(3)]
    await hall.room(first.table.id)
    monkeypatch.setattr(hall_module, "_MAX_ROOMS", 3)
    fourth = await hall.room(await hall.person().open())
    assert set(hall.hall.rooms()) == {first, second, third, fourth}, "a request may still use them"
    monkeypatch.setattr(hall_module, "_MIN_AGE", 0.0)
    fifth = await hall.room(await hall.person().open())
    assert set(hall.hall.rooms()) == {first, fourth, fifth}


async def test_a_match_of_another_rules_version_is_refused(hall: OpenHall, caplog: pytest.LogCaptureFixture) -> None:
    program, room = await bots_and(hall, ["greedy"], HOARD)
    await hall.store.save_table(replace(room.table, rules=2, is_public=True))
    hall.hall._rooms.clear()
    answer = await program.read(f"/tables/{room.table.id}")
    assert (answer.status_code, answer.json()["error"]) == (410, "other-rules")
    assert "version 2 of the rules of Hoard" in answer.json()["reason"]
    assert (await hall.person().get("/")).status_code == 200, "the front page must still work"
    await hall.hall.resume(HOARD)
    assert "is not resumed" in caplog.text
