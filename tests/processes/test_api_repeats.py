"""Requests that are sent again after a kill."""

from __future__ import annotations

import signal
from pathlib import Path

import httpx
import pytest

from games_for_tests.hoard.rules import BOAST
from processes.process import hall_process
from server.people import HOARD

pytestmark = pytest.mark.asyncio


async def test_keys_and_repeated_actions_survive_a_kill(tmp_path: Path) -> None:
    async with hall_process(tmp_path) as process, httpx.AsyncClient(base_url=f"{process.url}/api/v1", timeout=60) as http:
        token = (await http.post("/guests", json={"name": "Ada"})).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        body, key = {"game": HOARD, "players": 2, "bots": ["thrall"]}, {"Idempotency-Key": "once"}
        table = (await http.post("/tables", json=body, headers=key)).json()
        move = {"action": BOAST, "n": 1}
        assert (await http.post(f"/tables/{table['id']}/actions", json=move)).status_code == 200
        await process.end(signal.SIGKILL)
        await process.start()
        again = await http.post("/tables", json=body, headers=key)
        assert (again.status_code, again.json()["id"]) == (201, table["id"])
        assert (await http.post(f"/tables/{table['id']}/actions", json=move)).status_code == 200
        assert [each["id"] for each in (await http.get("/tables")).json()] == [table["id"]]
