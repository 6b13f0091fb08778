"""Players are called when it is their turn after a kill, too, and once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from meadhall.server.settings import Settings
from meadhall.server.store.database import of_json
from meadhall.server.store.files import snapshot
from processes.process import Process, hall_process
from server.people import AXES
from server.push_endpoint import PATIENCE, PushEndpoint, push_endpoint

pytestmark = pytest.mark.asyncio


DEVICES = "/settings/notifications/devices"


SLOW = {"clock": "slow:86400"}


@pytest.fixture
def endpoint() -> Iterator[PushEndpoint]:
    with push_endpoint() as opened:
        yield opened


async def called(endpoint: PushEndpoint) -> str:
    """Return the device of the next message, which must be about a turn."""
    message = await asyncio.to_thread(endpoint.messages.get, timeout=PATIENCE)
    assert message.text["title"] == "It is your turn"
    return message.path.strip("/")


class Player:
    """A player at a hall in a separate process."""

    def __init__(self, hall: Process) -> None:
        self.http = hall.client(**{"Sec-Fetch-Site": "same-origin", "Accept": "application/json", "Accept-Language": "en"})

    async def post(self, path: str, form: dict[str, str] | None = None) -> httpx.Response:
        answer = await self.http.post(path, data=form or {})
        assert answer.status_code < 400, answer.text
        return answer


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


async def until_no_call_waits(settings: Settings) -> None:
    """Wait until no call because of a turn is stored any more."""

    def calls() -> list[Any]:
        with snapshot(settings.database) as db:
            payloads = map(of_json, db.values("SELECT payload FROM jobs WHERE kind = 'push'"))
            return [payload for payload in payloads if payload["kind"] == "turn"]

    async with asyncio.timeout(PATIENCE):
        while await asyncio.to_thread(calls):
            await asyncio.sleep(0.05)


async def test_a_turn_is_told_after_a_kill(tmp_path: Path, endpoint: PushEndpoint) -> None:
    """The hall is killed at once after the move, so that only the database knows whom to call."""
    settings = {"MEADHALL_PUSH_SERVICES": endpoint.url}
    async with hall_process(tmp_path, **settings) as hall:
        players, table = await slow_match(hall, endpoint)
        first = int((await called(endpoint)).removeprefix("seat-"))
        await hand_over(players, table, first)
        await hall.end(signal.SIGKILL)
        assert len(endpoint.seen) == 1
        await hall.start()
        assert await called(endpoint) == f"seat-{1 - first}"
        await until_no_call_waits(Settings(data=tmp_path))
        assert len(endpoint.seen) == 2
        await leave(players)
