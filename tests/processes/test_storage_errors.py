"""A full, read-only or damaged disk: the hall reports it, loses no confirmed action, and continues when it can write again."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from typing import Any

import httpx
import pytest

from meadhall.server.routes import tables as table_routes
from meadhall.server.settings import Settings
from meadhall.server.store.files import StoreUnusable
from meadhall.server.store.store import Store
from processes.process import PATIENCE, Process
from server.people import HOARD, OpenHall

_BOAST = 12
"""An action of Hoard that reveals nothing, so it can be undone and played again."""

Switch = Callable[[Process, bool], None]


def limit_file_sizes(hall: Process, full: bool) -> None:
    """Let no file of the hall become larger than its write-ahead log is now, or lift the limit again."""
    log = hall.log.parent / "meadhall.db-wal"
    _, hard = resource.prlimit(hall.pid, resource.RLIMIT_FSIZE)
    room = max(log.stat().st_size if log.exists() else 0, 4096)  # the hall's own log must have room
    resource.prlimit(hall.pid, resource.RLIMIT_FSIZE, (room if full else hard, hard))


def fill_disk(hall: Process, full: bool) -> None:
    """Fill the file system of the hall's data to its last byte, or make room again."""
    filler = hall.log.parent / "filler"
    if not full:
        filler.unlink()
        return
    with filler.open("ab", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError as error:
                assert error.errno == ENOSPC


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 3 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder], check=False).returncode:
        pytest.skip("only root may mount a small file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@contextmanager
def read_only(file: Path) -> Iterator[None]:
    """Mount a file over itself so that root can't write to it."""
    subprocess.run(["mount", "--bind", file, file], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", file], check=True)
        yield
    finally:
        subprocess.run(["umount", file], check=True)


async def test_a_disk_that_fails_is_told_in_words_and_nothing_confirmed_is_lost(tmp_path: Path) -> None:
    await _check_full_disk(tmp_path, limit_file_sizes)


async def test_a_full_disk_is_told_in_words_and_nothing_confirmed_is_lost(small_disk: Path) -> None:
    await _check_full_disk(small_disk, fill_disk)


async def _check_full_disk(data: Path, switch: Switch) -> None:
    hall = Process(data)
    try:
        await hall.start()
        async with httpx.AsyncClient(base_url=hall.url, timeout=PATIENCE) as client:
            await _fill_and_make_room(hall, client, switch)
    finally:
        if hall.running:
            await hall.end(signal.SIGKILL)


async def _fill_and_make_room(hall: Process, client: httpx.AsyncClient, switch: Switch) -> None:
    token = (await client.post("/api/v1/guests", json={"name": "Ada"})).json()["token"]
    client.headers["Authorization"] = f"Bearer {token}"
    opened = await client.post("/api/v1/tables", json={"game": HOARD, "bots": ["thrall"]})
    table = f"/api/v1/tables/{opened.json()['id']}"

    async def boast() -> httpx.Response:
        return await client.post(f"{table}/actions", json={"action": _BOAST})

    assert (await boast()).status_code == 200
    assert (await client.get("/health")).status_code == 200
    before = (await client.get(f"{table}/record")).json()["actions"]

    refused: list[httpx.Response] = []
    for _ in range(20):  # after a refusal the hall empties its write-ahead log, which makes room for a while
        switch(hall, True)
        answers = [await client.post("/api/v1/guests", json={"name": "Björn"}) for _ in range(100)]
        refused = [answer for answer in answers if answer.status_code != 201]
        if len(refused) == len(answers):
            break
    assert len(refused) == 100, "no room is left"
    assert {(answer.status_code, answer.json()["error"]) for answer in refused} == {(503, "database-away")}
    assert "can't save anything" in refused[0].json()["reason"]
    assert int(refused[0].headers["retry-after"]) > 0
    form = await client.post("/settings", data={"name": "Ada"}, headers={"Accept-Language": "de", "Accept": "text/html"})
    assert (form.status_code, "kann zurzeit nichts speichern" in form.text) == (503, True)
    for _ in range(20):  # again, the last refusal may have made room for a while
        await client.post("/api/v1/guests", json={"name": "Björn"})
        await asyncio.sleep(1.1)
        health = await client.get("/health")
        if health.status_code != 200:
            break
    assert (health.status_code, health.json()["status"]) == (503, "database away")
    assert (await client.get(f"{table}/record")).json()["actions"][: len(before)] == before, "what is known can still be read"
    log = hall.log.read_text()
    told = [line for line in log.splitlines() if "can't store anything" in line]
    assert len([line for line in told if "more like this" not in line]) == 1, log
    assert "Traceback" not in log

    switch(hall, False)
    await asyncio.sleep(1.1)
    assert (await client.get("/health")).status_code == 200
    assert (await client.post("/api/v1/guests", json={"name": "Björn"})).status_code == 201
    await hall.end(signal.SIGKILL)
    await hall.start()
    assert (await client.get(f"{table}/record")).json()["actions"][: len(before)] == before


async def test_a_database_that_can_not_be_written_is_refused_at_the_start(small_disk: Path) -> None:
    """The folder is writable, and so is the lock; only the file is not."""
    there = Settings(data=small_disk, browser=False)
    async with Store.open(there):
        pass
    with read_only(small_disk / "meadhall.db"), pytest.raises(StoreUnusable, match=r"readonly.*MEADHALL_DATA"):
        async with Store.open(there):
            pass


async def test_a_damaged_database_is_refused_at_the_start(settings: Settings) -> None:
    async with Store.open(settings):
        pass
    file = settings.data / "meadhall.db"
    content = bytearray(file.read_bytes())
    content[3 * 4096 : 4 * 4096] = b"\xee" * 4096
    file.write_bytes(content)
    with pytest.raises(StoreUnusable, match=r"damaged|malformed"):
        async with Store.open(settings):
            pass
    assert file.read_bytes() == bytes(content), "nothing may have been changed"


async def test_a_full_disk_beside_the_database_is_no_internal_error(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upload is kept in a temporary file."""

    def fail(*_: Any) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(table_routes, "_seat_behind", fail)
    answer = await hall.person().get("/seat/x")
    assert (answer.status_code, "can&#39;t save anything" in answer.text) == (503, True)
