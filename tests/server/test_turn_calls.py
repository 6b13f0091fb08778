"""Players are called when it is their turn, and when their time is short."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any

import pytest
import pytest_asyncio

from meadhall.server.hall.notifications import PAUSE
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from server.manual_time import ManualTime
from server.people import AXES, OpenHall, Person, open_hall, stream
from server.push_endpoint import PATIENCE, PushEndpoint, push_endpoint
from server.rows import stored_jobs
from server.waiting import until

pytestmark = pytest.mark.asyncio

DEVICES = "/settings/notifications/devices"
SLOW = {"clock": "slow:86400"}
LIVE = {"clock": "decision:60"}


@pytest.fixture
def endpoint() -> Iterator[PushEndpoint]:
    with push_endpoint() as opened:
        yield opened


@pytest_asyncio.fixture
async def calling(settings: Settings, at_once: None, time: ManualTime, endpoint: PushEndpoint) -> AsyncIterator[OpenHall]:
    """Open a hall that may send to the push service on loopback."""
    async with open_hall(replace(settings, push_services=(endpoint.url,)), time=time) as opened:
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


async def called(hall: OpenHall, endpoint: PushEndpoint) -> str:
    """Return the device of the next message, which must be about a turn."""
    await let_pushes_be_due(hall)
    message = await asyncio.to_thread(endpoint.messages.get, timeout=PATIENCE)
    assert message.text["title"] == "It is your turn"
    return message.path.strip("/")


async def let_pushes_be_due(hall: OpenHall) -> None:
    """Let the time pass after which a player is called, and wait until the calls were sent."""
    await hall.time.advance(PAUSE.total_seconds())
    await until(lambda: not hall.hall.scheduler.running)


def waiting(hall: OpenHall, kind: str) -> list[Any]:
    return [job for job in stored_jobs(hall.store, kind="push") if job.payload["kind"] == kind]


async def test_in_a_slow_match_each_player_is_called_once_for_each_turn(calling: OpenHall, endpoint: PushEndpoint) -> None:
    people, room = await match_of_two(calling, endpoint, SLOW)
    assert room.match is not None
    assert await called(calling, endpoint) == f"seat-{room.match.actor}"  # at the start
    for _ in range(2):
        seat = await move(people, room)
        assert await called(calling, endpoint) == f"seat-{seat}"
    await let_pushes_be_due(calling)
    assert len(endpoint.seen) == 3
    assert waiting(calling, "turn") == []


async def test_time_that_gets_short_is_told_before_the_deadline(calling: OpenHall, endpoint: PushEndpoint) -> None:
    _people, room = await match_of_two(calling, endpoint, SLOW)
    (job,) = waiting(calling, "short")
    assert room.deadline is not None
    assert job.due_at.replace(tzinfo=UTC) == room.deadline - timedelta(hours=3)


async def test_in_a_live_match_a_player_is_told_only_that_time_gets_short(calling: OpenHall, endpoint: PushEndpoint) -> None:
    people, room = await match_of_two(calling, endpoint, LIVE)
    assert waiting(calling, "turn") == []
    (job,) = waiting(calling, "short")
    assert room.deadline is not None
    assert job.due_at.replace(tzinfo=UTC) == room.deadline - timedelta(seconds=20)
    await move(people, room)
    await let_pushes_be_due(calling)
    assert endpoint.seen == []


async def test_without_a_clock_only_players_who_are_away_are_called(calling: OpenHall, endpoint: PushEndpoint) -> None:
    people, room = await match_of_two(calling, endpoint, None)
    assert room.match is not None
    first = room.match.actor
    assert await called(calling, endpoint) == f"seat-{first}"
    async with AsyncExitStack() as pages:
        for person in people:
            page = await pages.enter_async_context(stream(person, f"/tables/{room.table.id}/stream"))
            await page.message()
        await move(people, room)
        assert waiting(calling, "turn") == []
