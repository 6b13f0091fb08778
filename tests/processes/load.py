"""Programs that play at a hall in another process as fast as they can."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx

from processes.process import Process


async def guest(client: httpx.AsyncClient, name: str) -> dict[str, str]:
    """Return the headers of a new program."""
    answer = await client.post("/api/v1/guests", json={"name": name})
    return {"Authorization": f"Bearer {answer.json()['token']}"}


async def new_table(client: httpx.AsyncClient, headers: dict[str, str], **table: Any) -> str:
    answer = await client.post("/api/v1/tables", json=table, headers=headers)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


class Player:
    """A program that plays at its tables as fast as it can, and remembers the acknowledged actions."""

    def __init__(self, headers: dict[str, str], tables: list[str]) -> None:
        self.headers = headers
        self.tables = tables
        self.acknowledged: set[tuple[str, int, int]] = set()

    async def play(self, url: str, draw: random.Random) -> None:
        async with httpx.AsyncClient(base_url=url, headers=self.headers, timeout=60) as client:
            with suppress(httpx.TransportError):
                while True:
                    for table in self.tables:
                        await self.play_once(client, table, draw)

    async def play_once(self, client: httpx.AsyncClient, table: str, draw: random.Random) -> None:
        info = (await client.get(f"/api/v1/tables/{table}")).json()
        view = info["view"]
        if view is None or not view["legal"]:
            return
        action, n = draw.choice(view["legal"])["action"], view["next"]
        answer = await client.post(f"/api/v1/tables/{table}/actions", json={"action": action, "n": n})
        if answer.status_code == 200:
            self.acknowledged.add((table, n, action))


class Program:
    """A program at a hall in another process."""

    def __init__(self, token: str) -> None:
        self._headers = {"Authorization": f"Bearer {token}"}

    @classmethod
    async def new(cls, hall: Process, name: str) -> Program:
        async with hall.client() as client:
            return cls((await client.post("/api/v1/guests", json={"name": name})).json()["token"])

    async def post(self, hall: Process, path: str, *, key: str = "", **data: Any) -> dict[str, Any]:
        headers = self._headers | ({"Idempotency-Key": key} if key else {})
        async with hall.client(**headers) as client:
            answer = await client.post(f"/api/v1{path}", json=data)
            assert answer.is_success, answer.text
            found: dict[str, Any] = answer.json()
            return found

    async def get(self, hall: Process, path: str) -> Any:
        async with hall.client(**self._headers) as client:
            answer = await client.get(f"/api/v1{path}")
            assert answer.is_success, answer.text
            return answer.json()

    @asynccontextmanager
    async def events(self, hall: Process, table: str, after: int = 0) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
        """Open a table's event stream; yield its events as name and data."""
        headers = self._headers | {"Last-Event-ID": str(after), "Accept-Encoding": "identity"}
        async with hall.client(**headers) as client, client.stream("GET", f"/api/v1/tables/{table}/events") as answer:
            yield _events(answer)


async def _events(answer: httpx.Response) -> AsyncIterator[tuple[str, Any]]:
    name = ""
    async for line in answer.aiter_lines():
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            yield name, json.loads(line[6:])
