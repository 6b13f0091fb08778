"""The hall on PostgreSQL: a whole match, and several halls that share one database."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

import meadhall
from games_for_tests.hoard.rules import BOAST, LOOK
from meadhall.server.settings import Settings
from server.people import AXES, HOARD, OpenHall, Person, open_hall, play_out, until

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]


def elsewhere(person: Person, hall: OpenHall) -> Person:
    """The same person, whom a load balancer leads to another hall."""
    again = hall.person(person.address)
    again.http.cookies.update(person.http.cookies)
    return again


async def test_a_whole_match_and_a_restart(on_postgresql: Settings) -> None:
    async with open_hall(on_postgresql) as hall:
        host, friend, room = await hall.two_at(HOARD)
        await host.act(room.table.id, BOAST)
        await host.ask(f"/table/{room.table.id}/undo")
        await host.act(room.table.id, LOOK)
        table = room.table.id
    async with open_hall(on_postgresql) as hall:
        people = [elsewhere(person, hall) for person in (host, friend)]
        room = await hall.room(table)
        await play_out(room, dict(enumerate(people)))
        record = (await people[0].get(f"/table/{table}/record")).json()
        assert [undone["actions"][0]["n"] for undone in record["undone"]] == [1]
        assert meadhall.replay(record).over
        answer = await people[0].upload((await people[0].get(f"/table/{table}/record")).content)
        assert answer.status_code == 303
        assert (await people[0].get(answer.headers["location"])).status_code == 200


@pytest.mark.parametrize("path", ["/table/%00", "/seat/%00", "/replay/%00", "/table/" + "x" * 3000, "/table/%f0%9f%8d%ba"])
async def test_odd_addresses_are_not_found(on_postgresql: Settings, path: str) -> None:
    async with open_hall(on_postgresql) as hall:
        assert (await hall.person().get(path)).status_code == 404


async def test_two_halls_on_one_database_play_one_match(on_postgresql: Settings) -> None:
    """Each acts at another hall; none has heard of the other's action when it is its turn."""
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        host, friend, room = await one.two_at(HOARD)
        table = room.table.id
        friend = elsewhere(friend, two)
        there = await two.room(table)
        match = meadhall.game(HOARD).match(players=2, seed=room.table.seed)
        while not match.over:
            actor, action = (host, friend)[match.actor or 0], match.legal()[0].action
            answer = await actor.act(table, action, match.next_number)
            assert answer.status_code == 200, answer.text
            match.play(action)
        for person in (host, friend):
            answer = await person.act(table, 0)
            assert (answer.status_code, answer.json()["error"]) == (409, "over")
        for each in (room, there):
            assert each.match is not None
            assert each.match.result() == match.result()


async def test_what_is_refused_is_refused_after_a_look_at_the_database(on_postgresql: Settings) -> None:
    async with open_hall(on_postgresql) as one:
        host, friend, room = await one.two_at(HOARD)
        assert (await friend.act(room.table.id, BOAST)).json()["error"] == "not-your-turn"
        await host.act(room.table.id, BOAST)
        assert (await host.act(room.table.id, BOAST)).json()["error"] == "illegal"


async def test_of_two_actions_at_two_halls_one_wins(on_postgresql: Settings) -> None:
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        for _ in range(5):
            host, _friend, room = await one.two_at(HOARD)
            table = room.table.id
            there = elsewhere(host, two)
            await two.room(table)
            answers = await asyncio.gather(host.act(table, BOAST, 1), there.act(table, LOOK, 1))
            assert sorted(answer.status_code for answer in answers) == [200, 409]
            (entry,) = await one.store.entries(table)
            assert entry.value == (BOAST if answers[0].status_code == 200 else LOOK)


async def test_bots_at_two_halls_play_each_action_once(on_postgresql: Settings) -> None:
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        program = await one.program()
        info: dict[str, Any] = await program.open(game=AXES, bots=["greedy", "random"])
        room, there = await one.room(info["id"]), await two.room(info["id"])
        await until(room, lambda: room.match is not None and room.match.actor in (0, None))
        await program.post(f"/tables/{info['id']}/resign")
        assert room.table.status in ("abandoned", "over")
        entries = await one.store.entries(info["id"])
        assert [entry.entry for entry in entries] == list(range(1, len(entries) + 1))
        assert there.table.id == room.table.id
