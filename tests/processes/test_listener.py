"""A hall on a Unix socket, in a separate process."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from processes.process import hall_process


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hall.sock"


@pytest.mark.asyncio
async def test_a_hall_serves_on_its_socket_and_comes_back_after_it_was_killed(tmp_path: Path, path: Path) -> None:
    async with hall_process(tmp_path, MEADHALL_SOCKET=str(path)) as hall:
        for how in (signal.SIGKILL, signal.SIGTERM):
            async with hall.client() as client:
                assert (await client.get("/health")).status_code == 200
                assert (await client.get("/", headers={"Host": "hall.example.org"})).status_code == 200
            await hall.end(how)
            assert path.exists() == (how is signal.SIGKILL)  # noqa: ASYNC240 - at once
            await hall.start()
        await hall.logs(f"The hall is open: unix:{path}")
