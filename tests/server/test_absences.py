"""Absences: after a while the other people may let a bot play for a player without an open page."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from meadhall.server.hall import presence
from meadhall.server.hall.room import Room
from meadhall.server.hall.upkeep.housekeeping import delete_old
from meadhall.server.ops.time import Time
from meadhall.server.settings import Retention, Settings
from meadhall.server.store import matches
from server.matches import match_of, stored
from server.people import HOARD, OpenHall, Person, open_hall, stream

pytestmark = pytest.mark.asyncio(loop_scope="module")

LONG_AGO = timedelta(days=4)


async def two_with_clock(hall: OpenHall, clock: str = "none") -> tuple[Person, Person, Room]:
    """Start a match of two people with a clock."""
    host, friend = hall.person(), hall.person("10.0.0.2")
    table = await host.open(HOARD)
    assert (await friend.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
    assert (await host.ask(f"/tables/{table}/clock", {"clock": clock})).status_code == 200
    assert (await host.ask(f"/tables/{table}/start")).status_code == 200
    return host, friend, await hall.room(table)


def forget_visits(room: Room) -> None:
    """Let the requests so far be a while ago."""
    room.visits.last.clear()
    room.publish()


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an absence in a live match be long from its beginning on."""
    monkeypatch.setattr(presence, "LIVE_LIMIT", timedelta(0))


async def test_the_others_let_a_bot_play_for_an_absent_player_who_takes_the_seat_back(hall: OpenHall, soon: None) -> None:
    host, friend, room = await two_with_clock(hall, "decision:120")
    table = f"/tables/{room.table.id}"
    room.bots.play = lambda: None  # type: ignore[method-assign]
    forget_visits(room)
    async with stream(host, f"{table}/stream"):
        assert (room.absences.since.get(0), room.absences.since.get(1) is not None) == (None, True)
        page = (await host.get(table)).text
        assert 'id="stand-in-1"' in page
        assert ">away <" in page
        assert "&lt;!--" not in page
        assert "<!--since" not in page
        assert "hidden" not in page.split('id="absent-1"')[1].split(">")[0], "its time has come when the page is loaded"
        spectator = hall.person("10.0.0.3")
        assert 'id="stand-in-1"' not in (await spectator.get(table)).text
        assert (await spectator.ask(f"{table}/stand-in", {"seat": "1"})).status_code == 403
        for _again in range(2):
            assert (await host.ask(f"{table}/stand-in", {"seat": "1"})).status_code == 200
        assert match_of(room).stand_ins[1].bot == "jarl"
        assert [kind for kind, _seat, _value in stored(hall, room)] == ["stand_in"]
        assert 'id="stand-in-1"' not in (await host.get(table)).text
        assert 'id="return"' in (await friend.get(table)).text
        assert (await friend.ask(f"{table}/return")).status_code == 200
        assert match_of(room).stand_ins == {}


async def test_nobody_replaces_a_player_who_is_here_or_has_just_left(hall: OpenHall, soon: None) -> None:
    host, friend, room = await two_with_clock(hall, "seat:300")
    table = f"/tables/{room.table.id}"
    async with stream(friend, f"{table}/stream"):
        answer = await host.ask(f"{table}/stand-in", {"seat": "1"})
        assert (answer.status_code, answer.json()["reason"]) == (409, f"{room.table.seats[1].name} is here.")
    room.state.table = replace(room.table, clock=None)  # without a clock, three days
    forget_visits(room)
    answer = await host.ask(f"{table}/stand-in", {"seat": "1"})
    assert (answer.status_code, "long enough" in answer.json()["reason"]) == (409, True)
    for seat, status in (("0", 409), ("7", 400), ("", 400)):
        assert (await host.ask(f"{table}/stand-in", {"seat": seat})).status_code == status
    assert stored(hall, room) == []


async def test_an_absence_lasts_over_a_restart_and_without_a_clock_for_three_days(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        host, friend, room = await two_with_clock(hall)
        table, cookies = room.table.id, [dict(person.http.cookies) for person in (host, friend)]
        left = Time().now() - LONG_AGO
        forget_visits(room)
        room.absences.since[1] = left
        room.absences._keep()
        assert hall.store.transact(partial(matches.departures_of, table=table)) == {
            0: room.absences.since.get(0),
            1: left,
        }
    async with open_hall(settings) as hall:
        room = await hall.room(table)
        assert room.absences.since.get(1) == left
        host, friend = hall.person(), hall.person("10.0.0.2")
        host.http.cookies.update(cookies[0])
        friend.http.cookies.update(cookies[1])
        room.bots.play = lambda: None  # type: ignore[method-assign]
        assert (await host.ask(f"/tables/{table}/stand-in", {"seat": "1"})).status_code == 200
        await friend.get(f"/tables/{table}")
        assert room.absences.since.get(1) is None
        assert 1 not in hall.store.transact(partial(matches.departures_of, table=table))


async def test_a_page_that_is_loaded_again_writes_nothing(hall: OpenHall) -> None:
    _host, friend, room = await two_with_clock(hall)
    for _again in range(3):
        forget_visits(room)
        await friend.get(f"/tables/{room.table.id}")
    assert hall.store.transact(partial(matches.departures_of, table=room.table.id)) == {}


async def test_the_departures_of_ended_matches_are_deleted(hall: OpenHall) -> None:
    _host, friend, room = await two_with_clock(hall)
    hall.store.transact(partial(matches.add_departure, table=room.table.id, seat=1, left_at=Time().now()))
    await delete_old(hall.store, Retention(), set)
    assert hall.store.transact(partial(matches.departures_of, table=room.table.id)) != {}
    assert (await friend.ask(f"/tables/{room.table.id}/resign")).status_code == 200
    await delete_old(hall.store, Retention(), set)
    assert hall.store.transact(partial(matches.departures_of, table=room.table.id)) == {}


async def test_one_person_among_bots_is_never_away(hall: OpenHall) -> None:
    program = await hall.program()
    found = await program.open(game=HOARD, bots=["thrall"])
    room = await hall.room(found["id"])
    forget_visits(room)
    assert room.absences.since.get(0) is None


async def test_programs_see_absences_and_let_a_bot_play(hall: OpenHall, soon: None) -> None:
    one, two, table = await hall.two_programs(clock={"kind": "decision"})
    room = await hall.room(table)
    room.bots.play = lambda: None  # type: ignore[method-assign]
    forget_visits(room)
    seat = (await one.read(f"/tables/{table}")).json()["seats"][1]
    assert seat["away"] is not None
    assert seat["replaceable"] is not None
    info = (await one.post(f"/tables/{table}/stand-in", {"seat": 1})).json()
    assert info["seats"][1]["stand_in"] == "jarl"
    assert (await two.post(f"/tables/{table}/return")).json()["seats"][1]["stand_in"] is None
