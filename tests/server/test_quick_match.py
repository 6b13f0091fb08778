"""Quick match: a guest sits at the first open table that fits, or opens one; after its wait bots take the empty seats."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest

from meadhall.engine.errors import BadSetup
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store import acquaintances
from server.manual_time import ManualTime
from server.people import AXES, HOARD, OpenHall, Person, Program, open_hall, stream, until

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]

VIKINGS = "viking-axes"


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


async def kinds(hall: OpenHall, table: str) -> list[str]:
    room = await hall.room(table.removeprefix("/tables/"))
    return [room.table.status, *sorted(seat.kind for seat in room.table.seats)]


# ------------------------------------------------------------------------------------------------------------------ with people


async def test_people_who_look_for_the_same_play_together(hall: OpenHall) -> None:
    ada, bo, cleo = (hall.person(f"10.0.0.{number}") for number in range(3))
    await ada.post("/settings", {"name": "Ada"})
    wanted = {"option-variant": "strategic", "clock": "seat:300"}
    path = await look(ada, VIKINGS, 3, **wanted)
    page = (await ada.get(path)).text
    assert "Looking for players" in page
    assert "Bots never take the empty seats." in page
    card = (await bo.get("/")).text
    assert "Ada waits" in card
    assert path in card
    assert await look(bo, VIKINGS, 3, **wanted) == path
    assert await kinds(hall, path) == ["gathering", "human", "human", "open"]
    assert await look(cleo, VIKINGS, 3, **wanted) == path
    assert await kinds(hall, path) == ["running", "human", "human", "human"]
    table = (await hall.room(path.removeprefix("/tables/"))).table
    assert table.options["variant"] == "strategic"
    assert table.clock is not None
    assert (table.clock.kind, table.clock.seconds) == ("seat", 300)
    assert await look(ada, VIKINGS, 3, **wanted) == path, "the request came twice"


async def test_a_player_who_takes_the_last_seat_by_hand_starts_the_match(hall: OpenHall) -> None:
    path = await look(hall.person())
    room = await hall.room(path.removeprefix("/tables/"))
    seat = next(row.seat for row in room.table.seats if row.kind == "open")
    await hall.person("10.0.0.2").post(f"{path}/seats", {"set": "sit", "seat": str(seat)})
    assert await kinds(hall, path) == ["running", "human", "human"]


async def test_other_players_options_clocks_and_waits_are_other_tables(hall: OpenHall) -> None:
    wanted: list[tuple[str, int, dict[str, str]]] = [
        (VIKINGS, 3, {}),
        (VIKINGS, 4, {}),
        (VIKINGS, 3, {"option-variant": "strategic"}),
        (VIKINGS, 3, {"clock": "decision:30"}),
        (VIKINGS, 3, {"bots_after": "60"}),
        ("axxa", 3, {}),
    ]
    paths = {
        await look(hall.person(f"10.0.1.{number}"), game, seats, **fields) for number, (game, seats, fields) in enumerate(wanted)
    }
    assert len(paths) == len(wanted)


async def test_the_last_seat_fits_whatever_wait_a_guest_has_chosen(hall: OpenHall) -> None:
    path = await look(hall.person(), bots_after="never")
    assert await look(hall.person("10.0.0.2"), bots_after="30") == path


async def test_an_open_table_of_a_host_is_taken_and_its_host_starts_it(hall: OpenHall) -> None:
    host, guest = hall.person(), hall.person("10.0.0.2")
    table = await host.open(AXES)
    await host.post(f"/tables/{table}/visibility", {"public": "yes"})
    assert await look(guest) == f"/tables/{table}"
    assert await kinds(hall, table) == ["gathering", "human", "human"]
    assert (await guest.ask(f"/tables/{table}/wait", {"bots_after": "30"})).status_code == 403
    assert (await host.ask(f"/tables/{table}/wait", {"bots_after": "30"})).json()["reason"] == (
        "At this table you start the match yourself."
    )


async def test_people_who_have_blocked_each_other_do_not_meet(hall: OpenHall) -> None:
    ada, bo, cleo = [await hall.program(name) for name in ("Ada", "Bo", "Cleo")]
    first = (await found(ada, game=HOARD, players=2))["table"]
    other = (await found(bo, game=AXES, players=2))["table"]
    hosts = [(await hall.room(table)).table.host for table in (first, other)]
    hall.store.transact(lambda connection: acquaintances.ignore(connection, hosts[0], hosts[1:], "block", on=True))
    assert (await found(bo, game=HOARD, players=2))["waiting"] == 1
    assert (await found(cleo, game=HOARD, players=2))["table"] == first, "the first that was opened"


# --------------------------------------------------------------------------------------------------------------------- waiting


async def test_a_guest_has_one_wait_and_can_end_it(hall: OpenHall) -> None:
    ada, bo = hall.person(), await hall.program()
    first = await look(ada)
    second = await look(ada, VIKINGS)
    assert await kinds(hall, first) == ["closed", "open", "open"], "the last player has left"
    await ada.post(f"{second}/seats", {"set": "leave"})
    assert await kinds(hall, second) == ["closed", "open", "open"]
    state = await found(bo, game=AXES, players=2)
    assert (await bo.read("/quick-match")).json() == state
    assert (await bo.http.delete("/api/v1/quick-match")).status_code == 204
    assert (await bo.read("/quick-match")).status_code == 404
    assert (await bo.http.delete("/api/v1/quick-match")).status_code == 204


async def test_the_host_changes_the_wait(hall: OpenHall) -> None:
    ada = hall.person()
    path = await look(ada, bots_after="300")
    assert 'value="300" selected' in (await ada.get(path)).text
    await ada.post(f"{path}/wait", {"bots_after": "never"})
    page = (await ada.get(path)).text
    assert 'value="never" selected' in page
    assert "Bots never take the empty seats." in page
    assert await look(ada, bots_after="45") == path, "the same wait begins anew"
    page = (await ada.get(path)).text
    assert 'value="45" selected' in page
    assert re.search(r"Bots take the empty seats in <b [^>]*>0:45</b>", page)
    for wrong in ("0", "soon", "3601"):
        assert (await ada.ask(f"{path}/wait", {"bots_after": wrong})).status_code == 400


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


# ------------------------------------------------------------------------------------------------------------------ with bots


async def test_bots_take_the_empty_seats_when_the_shortest_wait_is_up(settings: Settings, time: ManualTime) -> None:
    async with open_hall(settings, time=time) as hall:
        ada, bo = hall.person(), await hall.program()
        path = await look(ada, HOARD, 4, bots_after="300")
        async with stream(ada, f"{path}/stream") as pages:
            await pages.frame()
            state = await found(bo, game=HOARD, players=4, bots_after=10, bot="karl")
            assert (state["table"], state["waiting"]) == (path.removeprefix("/tables/"), 2)
            room = await hall.room(state["table"])
            await time.advance(9)
            assert room.table.status == "gathering"
            await time.advance(1)
            await until(room, lambda: room.table.status == "running")
            assert sorted(seat.kind for seat in room.table.seats) == ["bot", "bot", "human", "human"]


async def test_who_has_left_gets_no_seat_and_a_table_without_people_closes(settings: Settings, time: ManualTime) -> None:
    async with open_hall(settings, time=time) as hall:
        ada, bo = hall.person(), await hall.program()
        path = await look(ada, HOARD, 3, bots_after="60")
        await found(bo, game=HOARD, players=3, bots_after=60)
        room = await hall.room(path.removeprefix("/tables/"))
        await time.advance(50)
        await bo.read("/quick-match")
        await time.advance(10)
        await until(room, lambda: room.table.status == "running")
        assert sorted(seat.kind for seat in room.table.seats) == ["bot", "bot", "human"]
        for after, period in (("60", 60), ("never", 600)):
            path = await look(hall.person(), HOARD, 3, bots_after=after)
            room = await hall.room(path.removeprefix("/tables/"))
            await time.advance(period)
            assert "people wait" not in (await bo.get("/")).text
            await time.advance(89)
            assert room.table.status == "gathering", "a page may come back"
            await time.advance(1)
            await until(room, partial(_is_closed, room))


def _is_closed(room: Room) -> bool:
    return room.is_closed


async def test_a_hidden_page_keeps_its_seat_with_a_request_a_minute(settings: Settings, time: ManualTime) -> None:
    async with open_hall(settings, time=time) as hall:
        ada = hall.person()
        path = await look(ada)
        for _ in range(3):
            await ada.get(f"{path}?hidden")
            await time.advance(60)
        assert await look(hall.person("10.0.0.2")) == path
        assert await kinds(hall, path) == ["running", "human", "human"]


async def test_a_wait_goes_on_after_a_restart(settings: Settings, time: ManualTime) -> None:
    async with open_hall(settings, time=time) as before:
        ada = before.person()
        path = await look(ada, HOARD, bots_after="60", bot="karl")
        kept = dict(ada.http.cookies)
        await time.advance(30)
    async with open_hall(settings, time=time) as after:
        again = after.person()
        again.http.cookies.update(kept)
        assert "0:30</b>" in (await again.get(path)).text
        await time.advance(15)
        await again.get(path)
        await time.advance(15)
        room = await after.room(path.removeprefix("/tables/"))
        await until(room, lambda: room.table.status == "running")
        assert sorted(seat.kind for seat in room.table.seats) == ["bot", "human"]


async def test_if_the_options_allow_no_match_the_host_has_to_start_it(
    settings: Settings, time: ManualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_hall(settings, time=time) as hall:
        ada = hall.person()
        path = await look(ada, "axxa", 3, bots_after="30")
        room = await hall.room(path.removeprefix("/tables/"))
        await ada.get(path)
        monkeypatch.setattr(type(room.game), "check_setup", refuse)
        await time.advance(15)
        await ada.get(path)
        await time.advance(15)
        await until(room, lambda: room.state.wait is None)
        assert room.table.status == "gathering"


def refuse(*_args: object) -> None:
    raise BadSetup("no")
