"""The rooms of a hall: which ones stay in memory, and which ones can't be loaded. The home page counts guests and matches."""

from __future__ import annotations

import gc
import re
import weakref
from dataclasses import replace
from hashlib import sha256

import pytest

from games_for_tests.hoard.rules import DRAW
from meadhall.engine.match.record import read_record
from meadhall.server.hall import hall as hall_module
from meadhall.server.store import tables
from meadhall.server.store.models import RULES_CHANGED
from server.matches import bot_cache_of, bots_and, match_of
from server.people import HOARD, OpenHall, Person, stream
from server.rows import save

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("time")]


async def test_the_bots_of_an_evicted_room_are_dropped(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    program, room = await bots_and(hall, ["karl"], HOARD)
    await program.act(room.table.id, DRAW)
    await hall.let_time_pass_until(lambda: match_of(room).actor in (0, None))
    assert len(bot_cache_of(hall).bots) == 1
    monkeypatch.setattr(hall_module, "_MAX_ROOMS", 1)
    await hall.time.advance(61)
    await program.open(game=HOARD, bots=["karl"])
    assert room not in hall.hall.rooms()
    assert len(bot_cache_of(hall).bots) == 0


async def test_idle_rooms_are_evicted_least_recently_used_first(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = [await hall.room(await hall.person().open()) for _ in range(3)]
    await hall.time.advance(1)
    await hall.room(first.table.id)
    monkeypatch.setattr(hall_module, "_MAX_ROOMS", 3)
    fourth = await hall.room(await hall.person().open())
    assert set(hall.hall.rooms()) == {first, second, third, fourth}, "a request may still use them"
    await hall.time.advance(59.5)
    assert first in hall.hall.rooms()
    fifth = await hall.room(await hall.person().open())
    assert set(hall.hall.rooms()) == {first, fourth, fifth}


async def test_finished_rooms_are_released_when_no_page_shows_them(hall: OpenHall) -> None:
    finished, running = await hall.played_out(HOARD), (await hall.two_at(HOARD))[2]
    await hall.person().get(f"/tables/{finished.table.id}")  # requests the chart
    assert finished.chart_job is not None
    assert hall.hall.charts._working is not None
    await hall.hall.charts._working
    await hall.time.advance(61)
    assert finished in hall.hall.rooms(), "a request may still use it"
    with finished.channel.subscribe("any"):
        await hall.time.advance(120)
        assert finished in hall.hall.rooms()
    await hall.time.advance(60)
    assert set(hall.hall.rooms()) == {running}
    table, memory = finished.table.id, weakref.ref(finished)
    del finished
    gc.collect()
    assert memory() is None, "a cache keeps the room"
    assert (await hall.person().get(f"/tables/{table}")).status_code == 200


async def test_a_match_of_newer_rules_is_refused_and_kept(hall: OpenHall, caplog: pytest.LogCaptureFixture) -> None:
    program, room = await bots_and(hall, ["karl"], HOARD)
    save(hall.store, replace(room.table, rules=4, is_public=True))
    hall.hall._rooms.clear()
    answer = await program.read(f"/tables/{room.table.id}")
    assert (answer.status_code, answer.json()["error"]) == (410, "other-rules")
    assert "version 4 of the rules of Hoard" in answer.json()["reason"]
    assert (await hall.person().get("/")).status_code == 200, "the front page must still work"
    await hall.hall.resume(HOARD)
    assert "is not resumed" in caplog.text


async def test_a_running_match_of_older_rules_is_closed_with_the_reason(hall: OpenHall, caplog: pytest.LogCaptureFixture) -> None:
    host = hall.person()
    old, lobby, new = [await hall.room(await host.open(HOARD)) for _ in range(3)]
    for room in (old, new):
        assert (await host.ask(f"/tables/{room.table.id}/seats", {"seat": "1", "set": "bot:karl"})).status_code == 200
        assert (await host.ask(f"/tables/{room.table.id}/start")).status_code == 200
    assert (await host.act(old.table.id, match_of(old).legal()[0].action)).status_code == 200
    save(hall.store, replace(old.table, rules=0, is_public=True))
    hall.hall._rooms.clear()
    await hall.hall.resume(HOARD)
    assert f"table {old.table.id} is closed" in caplog.text
    closed = hall.store.transact(tables.find, old.table.id)
    assert closed is not None
    assert (closed.status, closed.abandon_reason) == ("abandoned", RULES_CHANGED)
    assert closed.finished_at is not None
    front = (await host.get("/")).text
    assert "Closed: it began under older rules" in front
    answer = await host.get(f"/tables/{old.table.id}")
    assert answer.status_code == 410
    assert "version 0 of the rules of Hoard" in answer.text
    assert f'href="/tables/{old.table.id}/record"' in answer.text
    record = (await host.get(f"/tables/{old.table.id}/record")).json()
    assert sha256(bytes.fromhex(str(read_record(record).seed))).hexdigest() == record["commitment"]
    assert (record["rules"], record["complete"], record["abandoned"]) == (0, False, RULES_CHANGED)
    assert [(each["n"], each["seat"]) for each in record["actions"]][:1] == [(1, 0)]
    assert (await host.get("/people/me/records")).json() == record
    for table, status in ((lobby.table.id, "gathering"), (new.table.id, "running")):
        kept = hall.store.transact(tables.find, table)
        assert kept is not None
        assert kept.status == status, "other tables stay as they are"


async def here(person: Person) -> str:
    """Return who is here, as the home page says it."""
    found = re.search(r'id="here".*?</svg>(.*?)</p>', (await person.get("/")).text)
    assert found is not None
    return found[1]


async def test_the_hall_says_who_is_here_and_what_is_played(hall: OpenHall) -> None:
    guest, visitor = hall.person(), hall.person("10.0.0.2")
    await visitor.get("/")
    assert await here(guest) == "Only you are here", "a program that keeps no cookie would be someone else each time"
    await here(visitor)
    assert await here(guest) == "2 here"
    host, _friend, room = await hall.two_at(HOARD)
    await host.get(f"/tables/{room.table.id}")
    assert await here(guest) == "4 here, 1 match on"
    async with stream(host, f"/tables/{room.table.id}/stream"):
        await hall.time.advance(61)
        assert await here(guest) == "2 here, 1 match on", "as long as a page is open"
        await hall.time.advance(61)
        await visitor.get(f"/tables/{room.table.id}?hidden")
        assert await here(guest) == "2 here, 1 match on", "a tab in the background is nobody who is here"
    await hall.time.advance(61)
    assert await here(guest) == "Only you are here"


async def test_the_hall_shows_the_time_left_for_each_turn_the_shortest_first(hall: OpenHall) -> None:
    host, friend = hall.person(), hall.person("10.0.0.2")
    for days in (3, 1):
        table = await host.open(HOARD)
        assert (await host.ask(f"/tables/{table}/clock", {"clock": f"slow:{86400 * days}"})).status_code == 200
        assert (await friend.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
        assert (await host.ask(f"/tables/{table}/start")).status_code == 200
    assert re.findall(r"([^>]*) left</span>", (await host.get("/")).text) == ["1 day", "3 days"]
    await hall.time.advance(3600)
    assert re.findall(r"([^>]*) left</span>", (await host.get("/")).text) == ["23 h", "2 days 23 h"]
    assert not re.findall(r"([^>]*) left</span>", (await friend.get("/")).text), "it is the other's turn"
