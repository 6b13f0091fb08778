"""The hall on PostgreSQL: a whole match, and several processes that share one database."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
import pytest_asyncio

import meadhall
from games_for_tests.hoard.rules import BOAST, LOOK
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store.models import TableRow
from meadhall.server.store.queries import entries, tables
from server.people import AXES, HOARD, OpenHall, Person, open_hall, play_out, until
from server.postgres import OwnPostgreSQL, start_postgresql

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]


def elsewhere(person: Person, hall: OpenHall) -> Person:
    """Return the same person, connected to another process by a load balancer."""
    again = hall.person(person.address)
    again.http.cookies.update(person.http.cookies)
    return again


async def test_a_whole_match_and_a_restart(on_postgresql: Settings) -> None:
    async with open_hall(on_postgresql) as hall:
        host, friend, room = await hall.two_at(HOARD)
        await host.act(room.table.id, BOAST)
        await host.ask(f"/tables/{room.table.id}/undo")
        await host.act(room.table.id, LOOK)
        table = room.table.id
    async with open_hall(on_postgresql) as hall:
        people = [elsewhere(person, hall) for person in (host, friend)]
        room = await hall.room(table)
        await play_out(room, dict(enumerate(people)))
        record = (await people[0].get(f"/tables/{table}/record")).json()
        assert [undone["actions"][0]["n"] for undone in record["undone"]] == [1]
        assert meadhall.replay(record).over
        answer = await people[0].upload((await people[0].get(f"/tables/{table}/record")).content)
        assert answer.status_code == 303
        assert (await people[0].get(answer.headers["location"])).status_code == 200


async def test_odd_addresses_are_not_found(on_postgresql: Settings) -> None:
    async with open_hall(on_postgresql) as hall:
        for path in ("/tables/%00", "/seat/%00", "/replay/%00", "/tables/" + "x" * 3000, "/tables/%f0%9f%8d%ba"):
            assert (await hall.person().get(path)).status_code == 404, path


async def test_two_processes_play_one_match(on_postgresql: Settings) -> None:
    """The players use different processes, and neither process hears of the other's actions."""
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


async def test_a_refusal_is_based_on_the_database(on_postgresql: Settings) -> None:
    async with open_hall(on_postgresql) as one:
        host, friend, room = await one.two_at(HOARD)
        assert (await friend.act(room.table.id, BOAST)).json()["error"] == "not-your-turn"
        await host.act(room.table.id, BOAST)
        assert (await host.act(room.table.id, BOAST)).json()["error"] == "illegal"


async def test_of_two_actions_at_two_processes_one_is_played(on_postgresql: Settings) -> None:
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        for _ in range(5):
            host, _friend, room = await one.two_at(HOARD)
            table = room.table.id
            there = elsewhere(host, two)
            await two.room(table)
            answers = await asyncio.gather(host.act(table, BOAST, 1), there.act(table, LOOK, 1))
            assert sorted(answer.status_code for answer in answers) == [200, 409]
            (entry,) = await one.store.transact(entries.all_of, table)
            assert entry.value == (BOAST if answers[0].status_code == 200 else LOOK)


async def test_bots_at_two_processes_play_each_action_once(on_postgresql: Settings) -> None:
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        program = await one.program()
        info: dict[str, Any] = await program.open(game=AXES, bots=["greedy", "random"])
        room, there = await one.room(info["id"]), await two.room(info["id"])
        await until(room, lambda: room.match is not None and room.match.actor in (0, None))
        await program.post(f"/tables/{info['id']}/resign")
        assert room.table.status in ("abandoned", "over")
        found = await one.store.transact(entries.all_of, info["id"])
        assert [entry.number for entry in found] == list(range(1, len(found) + 1))
        assert there.table.id == room.table.id


async def test_the_hall_refuses_requests_during_an_outage_of_the_database_and_recovers(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with start_postgresql() as postgresql:
        await check_outage(replace(settings, database_url=postgresql.new_database()), postgresql, caplog)


async def check_outage(settings: Settings, postgresql: OwnPostgreSQL, caplog: pytest.LogCaptureFixture) -> None:
    async with open_hall(settings) as hall:
        host, _friend, room = await hall.two_at(HOARD)
        caplog.clear()
        postgresql.stop()
        try:
            asked = [await host.act(room.table.id, BOAST, 1), await host.ask(f"/tables/{room.table.id}/resign")]
            told = [await host.post(f"/tables/{room.table.id}/act", {"action": str(BOAST), "n": "1"}), await host.get("/")]
            health = await host.get("/health")
        finally:
            postgresql.start()
        assert [(answer.status_code, answer.json()["error"]) for answer in asked] == [(503, "database-away")] * 2
        assert [page.status_code for page in (*told, health)] == [503, 503, 503]
        assert all("database doesn&#39;t answer" in page.text for page in told)
        assert not any(line.exc_info for line in caplog.records), "one line each, without a traceback"
        assert (await host.act(room.table.id, BOAST, 1)).status_code == 200
        hall.store._checked_at = -math.inf  # the answer of a check is used for a second
        assert (await host.get("/health")).status_code == 200


# ------------------------------------------------------------------------------------------------ before the match, at two halls


@dataclass
class Lobby:
    """A lobby in the memory of two processes. The second does not hear of changes at the first."""

    host: Person
    host_there: Person
    room: Room
    there: Room
    one: OpenHall
    two: OpenHall

    def path(self, what: str) -> str:
        return f"/tables/{self.room.table.id}/{what}"

    async def stored(self) -> TableRow:
        table = await self.one.store.transact(tables.find, self.room.table.id)
        assert table is not None
        return table


@pytest_asyncio.fixture
async def lobby(on_postgresql: Settings, at_once: None) -> AsyncIterator[Lobby]:
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        host = one.person()
        table = await host.open(HOARD, players=3)
        yield Lobby(host, elsewhere(host, two), await one.room(table), await two.room(table), one, two)


async def begin_and_play(lobby: Lobby) -> None:
    """Seat bots at the second process, which then has a full table; start the match and boast at the first."""
    for seat in "12":
        await lobby.host_there.ask(lobby.path("seats"), {"seat": seat, "set": "bot:random"})
    assert (await lobby.host.ask(lobby.path("start"))).status_code == 200
    assert (await lobby.host.act(lobby.room.table.id, BOAST, 1)).status_code == 200


async def test_a_seat_is_taken_once(lobby: Lobby) -> None:
    """The second guest is told so, and takes the next seat."""
    first, second = lobby.one.person("10.0.0.2"), lobby.two.person("10.0.0.3")
    assert (await first.ask(lobby.path("seats"), {"set": "sit", "seat": "1"})).status_code == 200
    answer = await second.ask(lobby.path("seats"), {"set": "sit", "seat": "1"})
    assert (answer.status_code, answer.json()["reason"]) == (409, "That seat is taken.")
    assert await lobby.stored() == lobby.room.table == lobby.there.table
    assert (await second.ask(lobby.path("seats"), {"set": "sit", "seat": "2"})).status_code == 200
    assert await lobby.stored() == lobby.there.table


async def test_of_many_guests_at_two_processes_one_gets_the_seat(lobby: Lobby) -> None:
    people = [hall.person(f"10.0.1.{k}") for k in range(4) for hall in (lobby.one, lobby.two)]
    answers = await asyncio.gather(*(person.ask(lobby.path("seats"), {"set": "sit", "seat": "1"}) for person in people))
    assert sorted(answer.status_code for answer in answers) == [200, *[409] * 7]


async def test_each_guest_gets_a_seat_while_there_are_open_ones(lobby: Lobby) -> None:
    people = [lobby.one.person("10.0.0.2"), lobby.two.person("10.0.0.3")]
    answers = await asyncio.gather(*(person.ask(lobby.path("seats"), {"set": "sit"}) for person in people))
    assert [answer.status_code for answer in answers] == [200, 200]
    assert [seat.kind for seat in (await lobby.stored()).seats] == ["human"] * 3


async def test_a_running_match_does_not_go_back_to_the_lobby(lobby: Lobby) -> None:
    await begin_and_play(lobby)
    answer = await lobby.host_there.ask(lobby.path("visibility"), {"public": "yes"})
    assert (answer.status_code, answer.json()["error"]) == (409, "wrong-moment")
    assert (await lobby.stored()).status == "running"
    assert lobby.there.table.status == "running"


async def test_a_match_starts_once(lobby: Lobby) -> None:
    """The host is told so, and plays on at the second process."""
    await begin_and_play(lobby)
    answer = await lobby.host_there.ask(lobby.path("start"))
    assert (answer.status_code, answer.json()["error"]) == (409, "wrong-moment")
    assert (await lobby.stored()).started_at == lobby.room.table.started_at
    assert lobby.there.match is not None
    assert lobby.there.match.steps[0].action == BOAST


async def test_a_seat_taken_at_another_process_counts_here(lobby: Lobby) -> None:
    friend = lobby.one.person("10.0.0.2")
    assert (await friend.ask(lobby.path("seats"), {"set": "sit"})).status_code == 200
    await lobby.host.ask(lobby.path("seats"), {"seat": "2", "set": "remove"})
    assert (await lobby.host.ask(lobby.path("start"))).status_code == 200
    assert (await elsewhere(friend, lobby.two).act(lobby.room.table.id, BOAST)).json()["error"] == "not-your-turn"


async def test_players_who_resign_at_different_processes_abandon_the_match(on_postgresql: Settings) -> None:
    """The first resignation is not undone by the second."""
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        host, friend, room = await one.three_at(HOARD)
        there = await two.room(room.table.id)
        assert (await host.ask(f"/tables/{room.table.id}/resign")).status_code == 200
        assert (await elsewhere(friend, two).ask(f"/tables/{room.table.id}/resign")).status_code == 200
        assert [seat.kind for seat in there.table.seats] == ["human", "human", "bot"]
        assert there.table.status == "abandoned"


async def test_a_player_who_resigned_at_another_process_can_not_act(on_postgresql: Settings) -> None:
    slow = replace(on_postgresql, bot_pause=3600.0)
    async with open_hall(slow) as one, open_hall(replace(slow)) as two:
        host, _friend, room = await one.three_at(HOARD)
        there = elsewhere(host, two)
        assert (await there.ask(f"/tables/{room.table.id}/resign")).status_code == 200
        answer = await host.act(room.table.id, BOAST)
        assert (answer.status_code, answer.json()["error"]) == (409, "wrong-moment")
        assert [entry.kind for entry in await one.store.transact(entries.all_of, room.table.id)] == ["stand_in"]


async def test_two_processes_open_one_rematch(on_postgresql: Settings) -> None:
    async with open_hall(on_postgresql) as one, open_hall(replace(on_postgresql)) as two:
        host, friend, room = await one.two_at(HOARD)
        url = f"/tables/{room.table.id}/rematch"
        away = elsewhere(friend, two)
        assert (await away.post(url)).status_code == 409
        await play_out(room, {0: host, 1: friend})
        answers = await asyncio.gather(away.post(url), host.post(url))
        (where,) = {answer.headers["location"] for answer in answers}
        for hall in (one, two):
            assert [table.id for table in await hall.store.transact(tables.of_guest, room.table.host)] == [
                where.removeprefix("/tables/"),
                room.table.id,
            ]
