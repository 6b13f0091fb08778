"""Requests of programs that are sent twice, and the lists of tables."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest

from games_for_tests.hoard.rules import BOAST, DRAW
from meadhall.server.settings import Settings
from meadhall.server.store import tables
from server.people import HOARD, OpenHall, Program, open_hall

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def open_with(program: Program, key: str, **table: Any) -> httpx.Response:
    return await program.http.post("/api/v1/tables", json=table, headers={"Idempotency-Key": key})


# ------------------------------------------------------------------------------------------------------------------- actions


async def test_an_action_that_is_sent_again_is_answered_again(hall: OpenHall) -> None:
    host, _friend, table = await hall.two_programs()
    first = await host.act(table, BOAST, 1)
    assert [(await host.act(table, BOAST, 1)).status_code for _ in range(2)] == [200, 200]
    assert (await host.act(table, BOAST, 1)).json() == first.json()
    await host.act(table, DRAW, 2)
    assert (await host.act(table, BOAST, 1)).json()["view"]["next"] == 3
    assert len((await hall.room(table)).match.steps) == 2  # type: ignore[union-attr]


async def test_an_action_that_is_sent_twice_at_once_is_played_once(hall: OpenHall) -> None:
    host, _friend, table = await hall.two_programs()
    answers = await asyncio.gather(*(host.act(table, BOAST, 1) for _ in range(5)))
    assert [answer.status_code for answer in answers] == [200] * 5
    assert {answer.json()["view"]["next"] for answer in answers} == {2}


async def test_another_action_of_the_same_number_is_outdated(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs()
    await host.act(table, BOAST, 1)
    assert (await host.act(table, DRAW, 1)).json()["error"] == "stale"
    assert (await friend.act(table, BOAST, 1)).json()["error"] == "stale"
    assert (await host.act(table, "0", 1)).json()["error"] == "stale"
    assert (await host.act(table, BOAST)).json()["error"] == "illegal"
    await host.post(f"/tables/{table}/undo")
    assert (await host.act(table, BOAST, 1)).json()["error"] == "stale"


async def test_the_last_action_of_a_match_can_be_sent_again(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs()
    while (view := (await host.read(f"/tables/{table}")).json()["view"])["actor"] is not None:
        actor = (host, friend)[view["actor"]]
        action, number = (await actor.read(f"/tables/{table}/legal")).json()[0]["action"], view["next"]
        last = await actor.act(table, action, number)
    again = await actor.act(table, action, number)
    assert (again.status_code, again.json()) == (200, last.json())


# --------------------------------------------------------------------------------------------------------------- new tables


async def test_a_request_with_the_same_key_opens_one_table(hall: OpenHall) -> None:
    program = await hall.program()
    first = await open_with(program, "k", game=HOARD, bots=["thrall"])
    again = await open_with(program, "k", game=HOARD, bots=["thrall"], players=None)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json()["id"] == first.json()["id"]
    assert again.json()["status"] == "running"
    assert (await open_with(program, "l", game=HOARD)).json()["id"] != first.json()["id"]


async def test_the_same_key_at_the_same_time_opens_one_table(hall: OpenHall) -> None:
    program = await hall.program()
    answers = await asyncio.gather(*(open_with(program, "k", game=HOARD, bots=["thrall"]) for _ in range(5)))
    assert [answer.status_code for answer in answers] == [201] * 5, [answer.text for answer in answers]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert len((await program.read("/tables")).json()) == 1


async def test_a_key_belongs_to_one_request_of_one_guest(hall: OpenHall) -> None:
    program, other = await hall.program(), await hall.program()
    first = await open_with(program, "k", game=HOARD)
    refused = await open_with(program, "k", game=HOARD, players=3)
    assert (refused.status_code, refused.json()["error"]) == (422, "key-reused")
    assert (await open_with(other, "k", game=HOARD, players=3)).json()["id"] != first.json()["id"]


@pytest.mark.parametrize("key", ["", "x" * 101])
async def test_a_key_that_is_too_long_or_empty_is_malformed(hall: OpenHall, key: str) -> None:
    answer = await open_with(await hall.program(), key, game=HOARD)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad-request")


async def test_a_refused_request_does_not_use_up_its_key(hall: OpenHall) -> None:
    program = await hall.program()
    assert (await open_with(program, "k", game=HOARD, players=9)).status_code == 400
    assert (await open_with(program, "k", game=HOARD, players=2)).status_code == 201


@pytest.mark.usefixtures("at_once")
async def test_the_number_and_the_age_of_keys_are_limited(on_sqlite: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "REQUESTS_PER_GUEST", 3)
    async with open_hall(on_sqlite) as hall:
        program = await hall.program()
        opened = [(await open_with(program, str(number), game=HOARD)).json()["id"] for number in range(5)]
        again = [(await open_with(program, str(number), game=HOARD)).json()["id"] for number in (4, 3, 2)]
        assert again == [opened[4], opened[3], opened[2]]
        assert (await open_with(program, "0", game=HOARD)).json()["id"] not in opened
        monkeypatch.setattr(tables, "REQUESTS_KEPT_FOR", timedelta())
        assert (await open_with(program, "4", game=HOARD)).json()["id"] not in opened
        guest = (await hall.room(opened[0])).table.host
        assert hall.store.transact(tables.find_request, guest, "3") is None


# -------------------------------------------------------------------------------------------------------------------- lists


async def test_a_program_lists_its_own_tables_unfinished_ones_first(hall: OpenHall) -> None:
    host, friend = await hall.program("Ada"), await hall.program("Björn")
    finished = (await host.open(game=HOARD, bots=["thrall"]))["id"]
    await host.post(f"/tables/{finished}/resign")
    joined = (await friend.open(game=HOARD, players=3))["id"]
    await host.post(f"/tables/{joined}/join")
    tables = (await host.read("/tables")).json()
    assert [(table["id"], table["status"], table["host"], table["you"]) for table in tables] == [
        (joined, "gathering", False, 1),
        (finished, "abandoned", True, 0),
    ]
    assert tables[0]["started"] is tables[0]["finished"] is None
    assert tables[1]["finished"].startswith("20")
    assert [seat["you"] for seat in tables[0]["seats"]] == [False, True, False]
    assert [table["id"] for table in (await host.read("/tables?limit=1&skip=1")).json()] == [finished]
    assert (await (await hall.program()).read("/tables")).json() == []


async def test_a_program_lists_the_open_public_tables(hall: OpenHall) -> None:
    host, friend = await hall.program("Ada"), await hall.program("Björn")
    table = (await host.open(game=HOARD, players=2, public=True))["id"]
    await host.open(game=HOARD, players=2)
    listed = (await friend.read("/tables/open")).json()
    assert [(each["id"], each["public"], each["host"], each["you"]) for each in listed] == [(table, True, False, None)]
    await friend.post(f"/tables/{table}/join")
    await host.post(f"/tables/{table}/start")
    assert (await friend.read("/tables/open")).json() == []


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "skip=-1"])
async def test_a_list_has_a_limited_length(hall: OpenHall, query: str) -> None:
    program = await hall.program()
    for path in ("/tables", "/tables/open"):
        assert (await program.read(f"{path}?{query}")).json()["error"] == "bad-request"


async def test_a_list_tells_no_secret(hall: OpenHall) -> None:
    host = await hall.program()
    table = (await hall.room((await host.open(game=HOARD, bots=["thrall"], public=True))["id"])).table
    text = (await host.read("/tables")).text
    assert table.seed.hex() not in text
    assert all(seat.link_token not in text for seat in table.seats)
    assert table.host not in text
