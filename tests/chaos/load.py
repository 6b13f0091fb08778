"""The load: programs that play at tables of people, and one person among bots. They repeat each request until it is answered."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

GAME = "axes-and-allies"
_RETRY = 0.2
_PAUSE = 0.05
_STARTS = 50
_REPEATED = {httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.BAD_GATEWAY}


@dataclass(frozen=True)
class Acknowledged:
    """An action that the hall has acknowledged."""

    table: str
    number: int
    seat: int
    action: int


@dataclass
class Load:
    """All tables of a run.

    Attributes:
        acknowledged: the actions that the hall has answered with 200.
        finished: the tables, with the token of a player at each.
        longest_wait: the longest time in seconds that a bot let a table wait while nothing failed.
        moved_at: when each player's match last went on, by the monotonic clock; by the number of the player.
        refused: answers that no client should get.
    """

    url: str
    calm_since: Callable[[], float]
    acknowledged: list[Acknowledged] = field(default_factory=list)
    tables: dict[str, str] = field(default_factory=dict)
    longest_wait: float = 0.0
    moved_at: dict[int, float] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    repeated: int = 0

    async def play(self, number: int, people: int, bots: int, until: asyncio.Event) -> None:
        """Play at one table after another until the event is set: one person or more, and bots. ``number``: of this player."""
        async with httpx.AsyncClient(base_url=f"{self.url}/api/v1", timeout=5.0) as client:
            players = [await self._guest(client) for _ in range(people)]
            while not until.is_set():
                await self._play_one(number, client, players, bots, until)

    async def _guest(self, client: httpx.AsyncClient) -> dict[str, str]:
        answer = await self._repeat(client, "POST", "/guests", json={"name": "Robot"})
        return {"Authorization": f"Bearer {answer.json()['token']}"}

    async def _play_one(
        self, player_number: int, client: httpx.AsyncClient, players: list[dict[str, str]], bots: int, until: asyncio.Event
    ) -> None:
        setup = {"game": GAME, "players": len(players) + bots, "bots": ["karl"] * bots}
        key = {"Idempotency-Key": random.randbytes(8).hex()}
        table = (await self._repeat(client, "POST", "/tables", json=setup, headers=players[0] | key)).json()
        path = f"/tables/{table['id']}"
        self.tables[table["id"]] = players[0]["Authorization"]
        for player in players[1:]:
            await self._repeat(client, "POST", f"{path}/join", json={}, headers=player, done=httpx.codes.CONFLICT)
            await self._repeat(client, "POST", f"{path}/ready", headers=player, done=httpx.codes.CONFLICT)
        await self._start(client, path, players)
        seats = {await self._seat(client, path, player): player for player in players}
        waiting_since, known = time.monotonic(), -1
        while not until.is_set():
            state = (await self._repeat(client, "GET", path, headers=players[0])).json()
            if state["status"] != "running":
                return
            view = state["view"]
            if (number := view["next"]) != known:
                waiting_since, known = time.monotonic(), number
                self.moved_at[player_number] = waiting_since
            actor = view["actor"]
            if actor in seats:
                await self._act(client, path, seats[actor], actor, number)
            else:
                waited = time.monotonic() - max(waiting_since, self.calm_since())
                self.longest_wait = max(self.longest_wait, waited)
            await asyncio.sleep(_PAUSE * random.random())

    async def _start(self, client: httpx.AsyncClient, path: str, players: list[dict[str, str]]) -> None:
        """Start the match. It may be refused: a process that has just started doesn't know yet who is here."""
        for _ in range(_STARTS):
            answer = await self._repeat(client, "POST", f"{path}/start", headers=players[0], done=httpx.codes.CONFLICT)
            state = (await self._repeat(client, "GET", path, headers=players[0])).json()
            if state["status"] != "gathering":
                return
            if answer.status_code == httpx.codes.OK:
                break
            for player in players:
                await self._repeat(client, "POST", f"{path}/ready", headers=player, done=httpx.codes.CONFLICT)
            await asyncio.sleep(_RETRY)
        self.refused.append(f"{path} has not begun: {answer.status_code} {answer.text}")

    async def _seat(self, client: httpx.AsyncClient, path: str, player: dict[str, str]) -> int:
        return int((await self._repeat(client, "GET", path, headers=player)).json()["you"])

    async def _act(self, client: httpx.AsyncClient, path: str, player: dict[str, str], seat: int, number: int) -> None:
        legal = (await self._repeat(client, "GET", f"{path}/legal", headers=player)).json()
        if not legal:  # a repeated request has been answered late: the match has moved on
            self.refused.append(f"{path}: seat {seat} has no legal action for {number}")
            return
        action = legal[-1]["action"]  # an alliance: the match goes on for long
        answer = await self._repeat(client, "POST", f"{path}/actions", json={"action": action, "n": number}, headers=player)
        if answer.status_code == httpx.codes.OK:
            self.acknowledged.append(Acknowledged(path.rpartition("/")[2], number, seat, action))

    async def _repeat(
        self, client: httpx.AsyncClient, method: str, path: str, done: int | None = None, **request: Any
    ) -> httpx.Response:
        """Send a request until it is answered. ``done``: a status that is no fault: an earlier attempt may have done it."""
        while True:
            try:
                answer = await client.request(method, path, **request)
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.status_code not in _REPEATED:
                if answer.status_code not in (200, 201, done):
                    self.refused.append(f"{method} {path}: {answer.status_code} {answer.text}")
                return answer
            self.repeated += 1
            await asyncio.sleep(_RETRY)
