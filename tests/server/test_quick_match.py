"""Quick match: people who look for the same are seated together, once; bots fill the seats of those who have waited enough."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.hall.matching.quick_match import QuickMatch
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store import acquaintances, match_requests
from server.manual_time import ManualTime
from server.people import AXES, HOARD, PATIENCE, OpenHall, Person, Program, open_hall, stream, until

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]

VIKINGS = "viking-axes"


@pytest_asyncio.fixture
async def each_hall(on_sqlite: Settings, at_once: None) -> AsyncIterator[OpenHall]:
    async with open_hall(on_sqlite) as opened:
        yield opened


async def look(person: Person, game: str = AXES, seats: int = 2, **fields: str) -> str:
    """Look for a match, and return the address that follows."""
    answer = await person.post("/quick", {"game": game, "seats": str(seats), "bots_after": "never", "clock": "none", **fields})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


async def found(program: Program, **wanted: Any) -> dict[str, Any]:
    answer = await program.post("/quick-match", wanted)
    assert answer.status_code == 200, answer.text
    state: dict[str, Any] = answer.json()
    return state


async def table_of(program: Program) -> str:
    """Wait until a program is seated, and return the id of the table."""
    with program.app.state.hall.quick._channel.subscribe("") as subscriber:
        async with asyncio.timeout(PATIENCE):
            while not (state := (await program.read("/quick-match")).json())["table"]:
                await subscriber.wait(PATIENCE)
    return str(state["table"])


async def running(hall: OpenHall, table: str) -> Room:
    room = await hall.room(table)
    await until(room, lambda: room.table.status == "running")
    return room


# ------------------------------------------------------------------------------------------------------------------ on the page


async def test_two_people_who_look_for_the_same_play_together(each_hall: OpenHall) -> None:
    ada, bo = each_hall.person(), each_hall.person("10.0.0.2")
    await ada.post("/settings", {"name": "Ada"})
    assert await look(ada) == "/quick"
    page = (await ada.get("/quick")).text
    assert "You are the only one who waits." in page
    assert 'http-equiv="refresh"' in page, "it works without JavaScript"
    assert "1 person waits for less than a minute" in (await bo.get("/")).text
    assert "quick-waits" not in (await ada.get("/")).text, "nobody is offered a match with themselves"
    path = await look(bo)
    assert path.startswith("/tables/")
    assert (await ada.get("/quick")).headers["location"] == path, "the page of the other leads there, too"
    room = await running(each_hall, path.removeprefix("/tables/"))
    assert sorted(seat.kind for seat in room.table.seats) == ["human", "human"]
    assert "quick-waits" not in (await each_hall.person("10.0.0.3").get("/")).text


async def test_a_click_from_the_hall_joins_the_people_who_wait(hall: OpenHall) -> None:
    await look(hall.person(), VIKINGS, 3, **{"option-variant": "strategic"})
    bo, cleo = hall.person("10.0.0.2"), hall.person("10.0.0.3")
    for person, follows in ((bo, "/quick"), (cleo, "/tables/")):
        page = (await person.get("/")).text
        form = page[page.index('id="open-tables"') :]
        fields = dict(re.findall(r'type="hidden" name="([\w-]+)" value="([^"]*)"', form[: form.index("</form>")]))
        answer = await person.post("/quick", fields)
        assert answer.headers["location"].startswith(follows)
    room = await hall.room(answer.headers["location"].removeprefix("/tables/"))
    assert room.table.options["variant"] == "strategic"
    assert len({guest for seat in room.table.seats for guest in seat.guests}) == 3


async def test_other_numbers_of_players_and_other_options_are_other_matches(hall: OpenHall) -> None:
    people = [hall.person(f"10.0.1.{number}") for number in range(4)]
    assert await look(people[0], VIKINGS, 2) == "/quick"
    assert await look(people[1], VIKINGS, 3) == "/quick"
    assert await look(people[2], VIKINGS, 2, **{"option-variant": "strategic"}) == "/quick"
    assert await look(people[3], AXES, 2) == "/quick"
    assert await look(hall.person("10.0.1.9"), AXES, 2, clock="decision:30") == "/quick"


async def test_the_match_has_the_clock_that_was_looked_for(hall: OpenHall) -> None:
    ada, bo = hall.person(), await hall.program()
    assert await look(ada, AXES, 2, clock="seat:300") == "/quick"
    assert "5 minutes each + 3 seconds" in (await ada.get("/quick")).text
    state = await found(bo, game=AXES, players=2, clock={"kind": "seat", "seconds": 300})
    clock = (await hall.room(state["table"])).table.clock
    assert clock is not None
    assert (clock.kind, clock.seconds, clock.increment) == ("seat", 300, 3)
    assert (await ada.post("/quick", {"game": AXES, "clock": "seat:1"})).status_code == 400


async def test_the_stream_tells_who_came_and_leads_to_the_match(each_hall: OpenHall) -> None:
    ada, bo, cleo = (each_hall.person(f"10.0.1.{number}") for number in range(3))
    await bo.post("/settings", {"name": "Bo"})
    await look(ada, AXES, 3)
    async with stream(ada, "/quick/stream") as pages:
        assert "You are the only one" in await pages.frame()
        await look(bo, AXES, 3)
        while "Bo" not in await pages.frame():
            pass
        path = await look(cleo, AXES, 3)
        message = await pages.message()
        while message is not None and "event: table" not in message:
            message = await pages.message()
        assert message == f"event: table\ndata: {path}"


async def test_a_reload_and_a_restart_do_not_end_the_wait(on_sqlite: Settings) -> None:
    async with open_hall(on_sqlite) as before:
        ada = before.person()
        await look(ada)
        kept = dict(ada.http.cookies)
    async with open_hall(on_sqlite) as after:
        again = after.person()
        again.http.cookies.update(kept)
        assert "Looking for players" in (await again.get("/quick")).text
        path = await look(after.person("10.0.0.2"))
        assert (await again.get("/quick")).headers["location"] == path


async def test_who_leaves_the_page_is_soon_not_seated_any_more(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bo = hall.person(), hall.person("10.0.0.2")
    await look(ada)
    async with stream(ada, "/quick/stream") as pages:
        await pages.frame()
    monkeypatch.setattr(match_requests, "LEAVING_FOR", timedelta(0))
    async with stream(ada, "/quick/stream") as pages:  # the page was only loaded again
        await pages.frame()
        assert "1 person waits" in (await bo.get("/")).text
    assert "1 person waits" not in (await bo.get("/")).text
    assert await look(bo) == "/quick"
    assert (await ada.get("/quick")).headers["location"].startswith("/tables/"), "who comes back waits again"


async def test_a_hidden_page_waits_without_a_stream_until_it_is_closed(settings: Settings, time: ManualTime) -> None:
    """Its browser may let it ask only once a minute."""
    async with open_hall(settings, time=time) as hall:
        ada, bo = hall.person(), hall.person("10.0.0.2")
        await look(ada)
        async with stream(ada, "/quick/stream") as pages:
            await pages.frame()
            await ada.get("/quick?hidden=true")  # it may arrive before the end of the stream
        for _ in range(3):
            await time.advance(60)
            assert "1 person waits" in (await bo.get("/")).text
            await ada.get("/quick?hidden=true")
        await ada.post("/quick/left")
        await time.advance(6)
        assert "1 person waits" not in (await bo.get("/")).text


async def test_a_wait_can_be_stopped(hall: OpenHall) -> None:
    ada = hall.person()
    await look(ada, bots_after="30")
    assert (await ada.post("/quick/end")).headers["location"] == "/"
    assert "You are not waiting for a match." in (await ada.get("/quick")).text
    assert await look(hall.person("10.0.0.2")) == "/quick"


async def test_a_second_request_for_the_same_keeps_the_place_and_changes_the_time(hall: OpenHall) -> None:
    ada = hall.person()
    await look(ada, bots_after="300")
    first = (await ada.get("/quick")).text
    await look(ada, bots_after="never")
    second = (await ada.get("/quick")).text
    assert 'value="300" selected' in first
    assert 'value="never" selected' in second
    assert "Bots never take the empty seats." in second


async def test_a_match_that_can_not_be_is_refused(hall: OpenHall) -> None:
    program = await hall.program()
    for wanted, status, code in (
        ({"game": "axxa", "players": 1}, 400, "bad-setup"),
        ({"game": AXES, "players": 99}, 400, "bad-setup"),
        ({"game": "chess"}, 404, "unknown-game"),
        ({"game": AXES, "bots_after": 60, "bot": "jester"}, 400, "unknown-bot"),
        ({"game": VIKINGS, "options": {"variant": "x"}}, 400, "bad-setup"),
    ):
        answer = await program.post("/quick-match", wanted)
        assert (answer.status_code, answer.json()["error"]) == (status, code), wanted
    assert (await program.read("/quick-match")).status_code == 404
    assert (await hall.person().post("/quick", {"game": AXES, "bots_after": "soon"})).status_code == 400


async def test_people_who_have_blocked_each_other_do_not_meet(hall: OpenHall) -> None:
    ada, bo, cleo = [await hall.program(name) for name in ("Ada", "Bo", "Cleo")]
    await found(ada, game=HOARD, players=2)
    (waiting,) = hall.store.transact(match_requests.waiting)
    await found(bo, game=AXES, players=2)
    other = next(request.guest for request in hall.store.transact(match_requests.waiting) if request.game == AXES)
    hall.store.transact(lambda db: acquaintances.ignore(db, waiting.guest, [other], "block", on=True))
    state = await found(bo, game=HOARD, players=2)
    assert (state["table"], state["waiting"]) == (None, 1), "they don't see each other"
    assert (await ada.read("/quick-match")).json()["waiting"] == 1
    table = (await found(cleo, game=HOARD, players=2))["table"]
    assert await table_of(ada) == table, "the first who came"


# ------------------------------------------------------------------------------------------------------------------ with bots


async def test_bots_take_the_empty_seats_when_the_time_is_up(each_hall: OpenHall) -> None:
    ada, bo, cleo = [await each_hall.program(name) for name in ("Ada", "Bo", "Cleo")]
    await found(bo, game=HOARD, players=4, bots_after=600, bot="greedy")
    await found(cleo, game=HOARD, players=4)
    state = await found(ada, game=HOARD, players=4, bots_after=1, bot="greedy")
    assert state["waiting"] == 3
    table = await table_of(ada)
    assert await table_of(bo) == table, "who accepts bots comes along"
    assert (await cleo.read("/quick-match")).json()["table"] is None, "who wants only people goes on waiting"
    room = await running(each_hall, table)
    assert sorted(seat.kind for seat in room.table.seats) == ["bot", "bot", "human", "human"]
    assert {seat.bot for seat in room.table.seats if seat.kind == "bot"} == {"greedy"}


async def test_bots_do_not_play_with_a_guest_who_has_left(settings: Settings, time: ManualTime) -> None:
    async with open_hall(settings, time=time) as hall:
        program = await hall.program()
        await found(program, game=HOARD, players=2, bots_after=600, bot="greedy")
        await time.advance(600)
        assert (await program.read("/quick-match")).status_code == 404
        assert (await program.read("/tables")).json() == []


# ------------------------------------------------------------------------------------------------------------------------- once


async def test_a_match_whose_process_dies_before_the_start_begins_all_the_same(
    on_sqlite: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_self: QuickMatch, _table: str) -> None:
        raise DatabaseUnavailable("as if the process were killed here")

    with monkeypatch.context() as patch:
        patch.setattr(QuickMatch, "_start", die)
        async with open_hall(on_sqlite) as before:
            ada, bo = before.person(), before.person("10.0.0.2")
            await look(ada)
            path = await look(bo)
            room = await before.room(path.removeprefix("/tables/"))
            assert room.table.status == "gathering"
    async with open_hall(replace(on_sqlite)) as after:
        await running(after, path.removeprefix("/tables/"))
