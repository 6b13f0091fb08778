"""Uploads don't exhaust the memory of a hall: limits on every text of a record."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

import meadhall
from meadhall.engine.match.record import dumps
from processes.process import hall_process
from server.people import AXES

Record = dict[str, Any]


MB = 1024 * 1024


def _resident(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096


def _long_record() -> Record:
    """Return a valid record with as many actions as a hall accepts. Most of them were undone."""
    match = meadhall.game(AXES).match(players=6, seed="a long evening")
    for _ in range(4900):
        match.play(match.legal()[0])
        match.undo(revealed=True)
    record: Record = json.loads(dumps(match.record(abandoned="tired")))
    return record


def _uploads() -> list[bytes]:
    """Return records of hostile and of patient people."""
    record = meadhall.game(AXES).match(players=6, seed="any").record(abandoned="tired")
    letters = "x" * (600 * 1024)
    hostile: list[Record] = [
        record | {"seats": [{"name": f"{seat}{letters}", "kind": "human"} for seat in range(6)]},
        record | {"seats": [{"name": f"{seat}", "kind": "bot", "bot": letters} for seat in range(6)]},
        record | {"abandoned": letters * 6},
        record | {"options": {"any": letters * 6}},
        record | {"setup": [[]] * MB},
    ]
    longest = _long_record()
    patient = [
        longest | {"seats": [{"name": f"Guest {guest}, seat {seat}", "kind": "human"} for seat in range(6)]} for guest in range(4)
    ]
    return [dumps(each).encode() for each in (*hostile, *patient)]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
async def test_uploads_leave_the_memory_of_the_hall_as_it_was(tmp_path: Path) -> None:
    bodies = _uploads()
    async with hall_process(tmp_path) as hall, httpx.AsyncClient(base_url=hall.url, timeout=120) as client:
        client.headers["Sec-Fetch-Site"] = "same-origin"
        client.headers["Accept"] = "application/json"
        await client.get("/replay")
        before = _resident(hall.pid)
        accepted = []
        for body in bodies:
            answer = await client.post("/replay", files={"record": ("x.match.json", body)})
            assert answer.status_code in (201, 400), answer.text
            if answer.status_code == 201:
                accepted.append(answer.json()["url"])
        assert len(accepted) == 4
        for url in accepted:
            for path in ("?step=0", "?step=0&seat=all", "?step=0&seat=3"):
                assert (await client.get(f"{url}{path}")).status_code == 200
        assert _resident(hall.pid) - before < 150 * MB
