"""The log of a process: each line is one object of JSON."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from processes.process import hall_process

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("ending", ["raise RuntimeError('by accident')", "Thread(target=lambda: 1 / 0).start()"])
async def test_an_exception_that_nothing_catches_is_a_line_of_json(ending: str) -> None:
    program = f"""
import warnings
from threading import Thread
from meadhall.server.ops.logs import configure_logging
configure_logging("json", "test")
warnings.warn("look out")
{ending}
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)  # noqa: ASYNC221
    warning, error = [json.loads(line) for line in done.stderr.splitlines()]
    assert "look out" in warning["message"]
    assert "Traceback" in error["exception"]


async def test_all_lines_of_a_hall_are_json(tmp_path: Path) -> None:
    settings = {"MEADHALL_LOG": "json", "MEADHALL_STREAMS_PER_CLIENT": "0"}
    async with (
        hall_process(tmp_path, **settings) as hall,
        httpx.AsyncClient(base_url=hall.url, timeout=60, headers={"X-Request-ID": "abc-123"}) as client,
    ):
        guest = (await client.post("/api/v1/guests", json={"name": "Ada"})).json()
        client.headers["Authorization"] = f"Bearer {guest['token']}"
        table = (await client.post("/api/v1/tables", json={"game": "axes-and-allies", "players": 2})).json()["id"]
        answer = await client.get(f"/api/v1/tables/{table}/events")
        assert (answer.status_code, answer.headers["x-request-id"]) == (429, "abc-123")
        reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
        writer.write(b"not HTTP\r\n\r\n")  # uvicorn warns of it
        assert b"400" in await reader.readline()
        writer.close()
        assert await hall.end(signal.SIGTERM) == 0
    lines = [json.loads(line) for line in hall.log.read_text().splitlines()]
    assert lines[0]["message"] == f"The hall is open: {hall.url}/"
    assert {line["process"] for line in lines} == {"web"}
    (refused,) = [line for line in lines if "MEADHALL_STREAMS_PER_CLIENT" in line["message"]]
    assert refused["request_id"] == "abc-123"
    assert any(line["logger"] == "uvicorn.error" for line in lines)
