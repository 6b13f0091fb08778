"""Players are called when it is their turn, and when their time is short: after a kill, too, and once over all processes."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from sqlalchemy import Connection, select

from meadhall.server.hall import notifications as module
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store import schema
from server.people import AXES, OpenHall, Person, open_hall, stream
from server.postgres import PostgreSQL
from server.process import Process, hall_process
from server.push_endpoint import PATIENCE, PushEndpoint, push_endpoint

pytestmark = pytest.mark.asyncio

DEVICES = "/settings/notifications/devices"
SLOW = {"clock": "slow:86400"}
LIVE = {"clock": "decision:60"}


@pytest.fixture
def endpoint() -> Iterator[PushEndpoint]:
    with push_endpoint() as opened:
        yield opened


@pytest_asyncio.fixture
async def calling(
    settings: Settings, at_once: None, endpoint: PushEndpoint, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[OpenHall]:
    """Open a hall that may send to the push service on loopback, and does so soon."""
    monkeypatch.setattr(module, "PAUSE", timedelta(seconds=0.2))
    async with open_hall(replace(settings, push_services=(endpoint.url,))) as opened:
        yield opened


async def subscribe(person: Person, endpoint: PushEndpoint, name: str) -> None:
    answer = await person.http.post(DEVICES, json=endpoint.subscription(name))
    assert answer.status_code == 201, answer.text


async def match_of_two(hall: OpenHall, endpoint: PushEndpoint, clock: dict[str, str] | None) -> tuple[list[Person], Room]:
    """Start a match of two people who get push messages. Their devices are named after their seats."""
    host, friend = hall.person(), hall.person("10.0.0.2")
    for seat, person in enumerate((host, friend)):
        await person.post("/settings", {"language": "en"})
        await subscribe(person, endpoint, f"seat-{seat}")
    table = await host.open(AXES)
    if clock is not None:
        answer = await host.ask(f"/tables/{table}/clock", clock)
        assert answer.status_code == 200, answer.text
    assert (await friend.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
    assert (await host.ask(f"/tables/{table}/start")).status_code == 200
    return [host, friend], await hall.room(table)


async def move(people: list[Person], room: Room) -> int:
    """Let the seat to move play until another seat is. Return that one."""
    match = room.match
    assert match is not None
    before = match.actor
    while match.actor == before:
        assert match.actor is not None
        answer = await people[match.actor].act(room.table.id, match.legal()[-1].action, match.next_number)
        assert answer.status_code == 200, answer.text
        assert room.match is not None
        match = room.match
    assert match.actor is not None
    return match.actor


async def called(endpoint: PushEndpoint) -> str:
    """Return the device of the next message, which must be about a turn."""
    message = await asyncio.to_thread(endpoint.messages.get, timeout=PATIENCE)
    assert message.text["title"] == "It is your turn"
    return message.path.strip("/")


async def waiting(hall: OpenHall, kind: str) -> list[Any]:
    def read(connection: Connection) -> list[Any]:
        jobs = connection.execute(select(schema.jobs).where(schema.jobs.c.kind == "push")).all()
        return [job for job in jobs if job.payload["kind"] == kind]

    return await hall.store.transact(read)


async def test_in_a_slow_match_each_player_is_called_once_for_each_turn(calling: OpenHall, endpoint: PushEndpoint) -> None:
    people, room = await match_of_two(calling, endpoint, SLOW)
    assert room.match is not None
    assert await called(endpoint) == f"seat-{room.match.actor}"  # at the start
    for _ in range(2):
        seat = await move(people, room)
        assert await called(endpoint) == f"seat-{seat}"
    await asyncio.sleep(0.5)
    assert len(endpoint.seen) == 3
    assert await waiting(calling, "turn") == []


async def test_a_player_who_has_moved_meanwhile_is_not_called(
    calling: OpenHall, endpoint: PushEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSE", timedelta(seconds=1))
    people, room = await match_of_two(calling, endpoint, SLOW)
    seat = await move(people, room)
    assert await called(endpoint) == f"seat-{seat}"
    assert len(endpoint.seen) == 1


async def test_time_that_gets_short_is_told_before_the_deadline(calling: OpenHall, endpoint: PushEndpoint) -> None:
    _people, room = await match_of_two(calling, endpoint, SLOW)
    (job,) = await waiting(calling, "short")
    assert room.deadline is not None
    assert job.due_at.replace(tzinfo=UTC) == room.deadline - timedelta(hours=3)


async def test_in_a_live_match_a_player_is_told_only_that_time_gets_short(calling: OpenHall, endpoint: PushEndpoint) -> None:
    people, room = await match_of_two(calling, endpoint, LIVE)
    assert await waiting(calling, "turn") == []
    (job,) = await waiting(calling, "short")
    assert room.deadline is not None
    assert job.due_at.replace(tzinfo=UTC) == room.deadline - timedelta(seconds=20)
    await move(people, room)
    await asyncio.sleep(0.5)
    assert endpoint.seen == []


async def test_without_a_clock_only_players_who_are_away_are_called(calling: OpenHall, endpoint: PushEndpoint) -> None:
    people, room = await match_of_two(calling, endpoint, None)
    assert room.match is not None
    first = room.match.actor
    assert await called(endpoint) == f"seat-{first}"
    async with AsyncExitStack() as pages:
        for person in people:
            page = await pages.enter_async_context(stream(person, f"/tables/{room.table.id}/stream"))
            await page.message()
        await move(people, room)
        assert await waiting(calling, "turn") == []


# --------------------------------------------------------------------------------------------------------- kills, and processes


class Player:
    """A player at a hall in a separate process."""

    def __init__(self, hall: Process) -> None:
        self.http = hall.client(**{"Sec-Fetch-Site": "same-origin", "Accept": "application/json", "Accept-Language": "en"})

    async def post(self, path: str, form: dict[str, str] | None = None) -> httpx.Response:
        answer = await self.http.post(path, data=form or {})
        assert answer.status_code < 400, answer.text
        return answer

    async def move_to(self, hall: Process) -> None:
        """Go on at another process."""
        cookies = self.http.cookies
        await self.http.aclose()
        self.http = hall.client(**{"Sec-Fetch-Site": "same-origin", "Accept": "application/json"})
        self.http.cookies = cookies


async def leave(players: dict[int, Player]) -> None:
    for player in players.values():
        await player.http.aclose()


async def slow_match(hall: Process, endpoint: PushEndpoint) -> tuple[dict[int, Player], str]:
    """Start a slow match of two players, who get push messages."""
    players = {0: Player(hall), 1: Player(hall)}
    for seat, player in players.items():
        answer = await player.http.post(DEVICES, json=endpoint.subscription(f"seat-{seat}"))
        assert answer.status_code == 201, answer.text
    opened = await players[0].post("/tables", {"game": AXES, "kind": "friends", "players": "2"})
    table = str(opened.json()["id"])
    await players[0].post(f"/tables/{table}/clock", SLOW)
    await players[1].post(f"/tables/{table}/seats", {"set": "sit"})
    await players[0].post(f"/tables/{table}/start")
    return players, table


async def hand_over(players: dict[int, Player], table: str, seat: int) -> None:
    """Let the seat play until it is the other seat's turn."""
    while "● Your turn" in (await players[seat].http.get(f"/tables/{table}", headers={"Accept": "text/html"})).text:
        page = (await players[seat].http.get(f"/tables/{table}")).text
        actions = [int(part.split('"')[0]) for part in page.split('name="action" value="')[1:]]
        number = page.split('name="n" value="')[1].split('"')[0]
        await players[seat].post(f"/tables/{table}/act", {"action": str(max(actions)), "n": number})


async def test_a_turn_is_told_after_a_kill(tmp_path: Path, endpoint: PushEndpoint) -> None:
    """The hall is killed at once after the move, so that only the database knows whom to call."""
    settings = {"MEADHALL_PUSH_SERVICES": endpoint.url}
    async with hall_process(tmp_path, **settings) as hall:
        players, table = await slow_match(hall, endpoint)
        first = int((await called(endpoint)).removeprefix("seat-"))
        await hand_over(players, table, first)
        await hall.end(signal.SIGKILL)
        await asyncio.sleep(1)
        assert len(endpoint.seen) == 1
        await hall.start()
        assert await called(endpoint) == f"seat-{1 - first}"
        await asyncio.sleep(2)
        assert len(endpoint.seen) == 2
        await leave(players)


async def test_another_process_tells_a_turn_after_a_kill_and_only_once(
    tmp_path: Path, endpoint: PushEndpoint, postgresql: PostgreSQL
) -> None:
    settings = {"MEADHALL_PUSH_SERVICES": endpoint.url, "MEADHALL_DATABASE_URL": postgresql.new_database()}
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    async with hall_process(tmp_path / "one", **settings) as one, hall_process(tmp_path / "two", **settings) as two:
        players, table = await slow_match(one, endpoint)
        first = int((await called(endpoint)).removeprefix("seat-"))
        await hand_over(players, table, first)
        await one.end(signal.SIGKILL)
        assert await called(endpoint) == f"seat-{1 - first}"
        for player in players.values():
            await player.move_to(two)
        await hand_over(players, table, 1 - first)
        assert await called(endpoint) == f"seat-{first}"
        await asyncio.sleep(2)
        assert len(endpoint.seen) == 3
        await leave(players)
