"""Programs that play at a hall in another process as fast as they can."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import httpx


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
