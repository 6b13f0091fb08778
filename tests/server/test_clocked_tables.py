"""Tables with a clock: the choice, what the API tells, and the record."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

import meadhall
from games_for_tests.hoard.rules import BOAST
from meadhall.server.hall.holidays import _note
from meadhall.server.settings import Settings
from meadhall.server.store import tables
from meadhall.server.store.models import Clock
from meadhall.server.store.store import Store
from server.matches import match_of
from server.people import AXES, HOARD, OpenHall, Person, open_hall, until
from server.rows import table_of
from server.waiting import until as wait_until

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIVE = {"kind": "seat", "seconds": 180, "increment": 2, "time_up": "bot_decision"}


async def test_a_clock_is_stored_with_its_table(on_sqlite: Settings) -> None:
    with_clock, without = table_of("a1", clock=Clock("slow", 86400, 0, "resign")), table_of("b1")
    async with Store.open(on_sqlite) as store:
        for table in (with_clock, without):
            store.add_table(table)
            assert store.transact(tables.find, table.id) == table


async def test_the_host_chooses_the_clock_before_the_match(hall: OpenHall) -> None:
    host, friend = await hall.program("Ada"), await hall.program("Björn")
    info = await host.open(game=HOARD, players=2, clock={"kind": "seat"})
    assert info["clock"] == {"kind": "seat", "seconds": 300, "increment": 3, "time_up": "bot_decision"}
    assert info["clocks"] is None
    path = f"/tables/{info['id']}"
    await friend.post(f"{path}/join")
    await friend.post(f"{path}/ready")
    assert (await friend.post(f"{path}/clock", {"kind": "none"})).status_code == 403
    changed = await host.post(f"{path}/clock", {"kind": "slow", "seconds": 86400, "time_up": "resign"})
    assert changed.json()["clock"] == {"kind": "slow", "seconds": 86400, "increment": 0, "time_up": "resign"}
    changed = await host.post(f"{path}/clock", {"kind": "reserve"})
    assert changed.json()["clock"] == {"kind": "reserve", "seconds": 604800, "increment": 43200, "time_up": "bot_seat"}
    assert (await host.post(f"{path}/clock", {"kind": "none"})).json()["clock"] is None
    await host.post(f"{path}/start")
    refused = await host.post(f"{path}/clock", {"kind": "slow"})
    assert (refused.status_code, refused.json()["error"]) == (409, "wrong-moment")
    assert (await host.read(path)).json()["clocks"] is None


async def test_a_clock_that_is_not_on_offer_opens_no_table(hall: OpenHall) -> None:
    host = await hall.program("Ada")
    answer = await host.post("/tables", {"game": HOARD, "clock": {"kind": "seat", "seconds": 7}})
    assert answer.status_code == 400
    assert "180, 300, 600, 1200" in answer.json()["reason"]
    assert (await host.read("/tables")).json() == []


async def test_players_agree_again_when_the_clock_changes(hall: OpenHall) -> None:
    host, friend = await hall.program("Ada"), await hall.program("Björn")
    path = f"/tables/{(await host.open(game=HOARD, players=2))['id']}"
    await friend.post(f"{path}/join")
    room = await hall.room(path.rpartition("/")[2])
    for clock, agrees in (({"kind": "none"}, True), ({"kind": "decision"}, False)):
        await friend.post(f"{path}/ready")
        await host.post(f"{path}/clock", clock)
        assert room.table.seats[1].is_ready == agrees


async def test_the_api_tells_the_clocks_with_the_time_of_the_hall(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs(clock=LIVE)
    for program in (host, friend):
        told = (await program.read(f"/tables/{table}")).json()["clocks"]
        assert told["running"] == 0
        assert 170 < told["left"][0] <= 180
        assert told["left"][1] == 180
        assert told["now"] < told["deadline"]
        assert (told["paused"], told["stopped_until"]) == (False, None)
    await host.act(table, BOAST)
    assert 172 < (await host.read(f"/tables/{table}")).json()["clocks"]["left"][0] <= 182


async def test_a_record_has_the_clock_and_the_time_of_every_action_of_a_person(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        host = await hall.program("Ada")
        table = (await host.open(game=HOARD, bots=["thrall"], clock=LIVE))["id"]
        room = await hall.room(table)
        await host.act(table, BOAST)
        await host.post(f"/tables/{table}/undo")
        while not match_of(room).over:
            await until(room, lambda: match_of(room).actor in (0, None))
            if not match_of(room).over:
                await host.act(table, match_of(room).legal()[0].action)
        record = (await host.read(f"/tables/{table}/record")).json()
    assert record["clock"] == LIVE
    actions = [*record["actions"], *(action for undone in record["undone"] for action in undone["actions"])]
    assert {action["seat"] for action in actions if "seconds" in action} == {0}
    assert {action["seat"] for action in actions if "seconds" not in action} == {1}
    assert all(0 <= action["seconds"] < 10 for action in actions if action["seat"] == 0)
    assert meadhall.replay(record).record() == record
    async with open_hall(settings) as hall:
        assert match_of(await hall.room(table)).record() == record, "the same after a restart"


async def slow_match(host: Person, friend: Person) -> str:
    """Start a match with three days for each decision, and return the address of its table."""
    table = f"/tables/{await host.open(AXES)}"
    await host.ask(f"{table}/clock", {"clock": "slow:259200", "was": "none"})
    await friend.ask(f"{table}/seats", {"set": "sit"})
    assert (await host.ask(f"{table}/start")).status_code == 200
    return table


async def test_a_seat_has_no_more_days_of_holiday_than_a_person(hall: OpenHall) -> None:
    """However many guests share it."""
    host, friend = hall.person(), hall.person("10.0.0.2")
    table = await slow_match(host, friend)
    room = await hall.room(table.removeprefix("/tables/"))
    seat = next(row for row in room.table.seats if room.match is not None and row.seat == room.match.actor)
    owner = (host, friend)[seat.seat]
    key = re.findall(r"/seat/[\w-]+", (await owner.get(table)).text)[0]
    before, day = room.deadline, timedelta(days=1)
    assert before is not None
    first = hall.hall.time.now().date() + 2 * day
    if (first + 100 * day).year != first.year:  # all of them lie in one year
        first = first.replace(year=first.year + 1, month=1, day=1)
    for number in range(5):
        device = owner if number == 0 else hall.person(f"10.0.1.{number}")
        if number:
            assert (await device.post(key)).status_code == 303
        began = first + 20 * number * day
        days = {"first": str(began), "last": str(began + (11 if number == 0 else 19) * day)}
        assert (await device.post("/settings/holidays", days)).status_code == 303
    await wait_until(lambda: room.state.clocks is not None and len(room.state.clocks.holidays_of(seat.seat)) == 2)
    assert room.state.clocks is not None
    told = room.state.clocks.holidays_of(seat.seat)
    assert sum((each.ended_at - each.began_at for each in told), timedelta()) == 20 * day
    version = room.version
    room.change(_note, hall.store)
    assert (room.state.clocks.holidays_of(seat.seat), room.version) == (told, version), "it stays so"


async def test_the_slow_clocks_of_a_person_stand_in_their_holidays(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        host, friend = hall.person(), hall.person("10.0.0.2")
        table = await slow_match(host, friend)
        first = await hall.room(table.removeprefix("/tables/"))
        assert first.deadline is not None
        assert first.match is not None
        before, actor = first.deadline, (host, friend)[first.match.actor or 0]
        today, day = hall.hall.time.now().date(), timedelta(days=1)
        days = {"first": str(today + 2 * day), "last": str(today + 6 * day)}
        assert (await actor.post("/settings/holidays", days)).headers["location"] == "/settings"
        await wait_until(lambda: first.deadline == before + 5 * day)
        assert ">Holiday " in (await friend.get(table)).text
        second = await hall.room((await slow_match(host, friend)).removeprefix("/tables/"))
        await wait_until(lambda: second.state.clocks is not None and second.state.clocks.holidays != ())
        for wrong, reason in (
            ({"first": str(today), "last": days["last"]}, "begins tomorrow at the earliest"),
            ({"first": days["last"], "last": days["first"]}, "on its first day or later"),
            ({"first": "never", "last": days["last"]}, "the first and the last day"),
            (days, "on holiday then already"),
            ({"first": str(today + 30 * day), "last": str(today + 68 * day)}, "days of holiday left in"),
        ):
            refused = await actor.post("/settings/holidays", wrong)
            assert (refused.status_code, reason in refused.text) == (400, True)
        cookies = dict(actor.http.cookies)
    async with open_hall(settings) as again:
        room = await again.room(table.removeprefix("/tables/"))
        assert room.deadline is not None
        assert abs(room.deadline - before - 5 * day) < day / 24, "a downtime may lie between"
        actor = again.person()
        actor.http.cookies.update(cookies)
        assert (await actor.post("/settings/holidays", {"end": days["first"]})).status_code == 303
        await wait_until(lambda: room.state.clocks is not None and room.state.clocks.holidays == ())
        assert ">Holiday " not in (await actor.get(table)).text
