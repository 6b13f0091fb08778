"""``meadhall backup`` and ``meadhall restore`` as processes: beside a hall that runs, and within limits of memory and disk."""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from forked import run
from meadhall.cli import main
from meadhall.server.settings import Settings
from meadhall.server.store import matches
from meadhall.server.store.files import snapshot
from meadhall.server.store.store import Store
from processes.load import Player, guest, new_table
from processes.process import hall_process
from server.halls import command, with_guests
from server.people import AXES


def entries(settings: Settings) -> set[tuple[str, int, int]]:
    """Return the table, number and action of all stored entries."""
    with snapshot(settings.database) as db:
        rows = db.rows("SELECT table_id, number, value FROM match_entries")
        return {(table, number, value) for table, number, value in rows}


async def test_backups_under_load_hold_every_acknowledged_action_and_all_their_records_verify(
    settings: Settings, elsewhere: Settings, tmp_path: Path
) -> None:
    draw = random.Random(5)
    backups: list[tuple[Path, set[tuple[str, int, int]]]] = []
    async with hall_process(tmp_path) as hall, httpx.AsyncClient(base_url=hall.url, timeout=60) as client:
        guests = [await guest(client, name) for name in ("Ada", "Björn")]
        players = [Player(headers, []) for headers in guests]

        async def open_table() -> None:
            table = await new_table(client, guests[0], game=AXES, players=2)
            await client.post(f"/api/v1/tables/{table}/join", json={}, headers=guests[1])
            await client.post(f"/api/v1/tables/{table}/start", headers=guests[0])
            for player in players:
                player.tables.append(table)

        async def open_tables() -> None:
            for _ in range(40):
                await open_table()
                await asyncio.sleep(0.1)

        await open_table()
        playing = [asyncio.create_task(open_tables()), *(asyncio.create_task(each.play(hall.url, draw)) for each in players)]
        for number in range(2):
            while sum(len(player.acknowledged) for player in players) < 10 * (number + 1):
                await asyncio.sleep(0.01)
            acknowledged = set().union(*(player.acknowledged for player in players))
            file = tmp_path / f"{number}.backup"
            done = await asyncio.to_thread(command, settings, "backup", file)
            assert done.returncode == 0, done.stderr
            backups.append((file, acknowledged))
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        assert "ERROR" not in hall.log.read_text()
        refused = await asyncio.to_thread(command, settings, "restore", file, "--replace")
        assert refused.returncode == 2
        assert "stop it" in refused.stderr
    for number, (file, acknowledged) in enumerate(backups):
        restored = replace(elsewhere, data=tmp_path / f"restored{number}")
        done = await asyncio.to_thread(command, restored, "restore", file)
        assert (done.returncode, done.stderr) == (0, "")
        done = await asyncio.to_thread(command, restored, "verify-hall")
        assert (done.returncode, done.stderr) == (0, "")
        assert "verified" in done.stdout
        assert "not verified" not in done.stdout
        assert acknowledged <= await asyncio.to_thread(entries, restored)


def test_a_backup_that_can_not_be_completed_leaves_the_older_one(settings: Settings, backup: Path) -> None:
    older = backup.read_bytes()
    with_upload(settings, 500_000)
    files = set(settings.data.iterdir())
    limit = "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); from meadhall.cli import main; sys.exit(main())"
    run = [sys.executable, "-c", limit, "backup", str(backup), "--data", str(settings.data)]
    done = subprocess.run(run, env=os.environ | {"MEADHALL_LANG": "en"}, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert f"can't write {backup}: " in done.stderr
    assert backup.read_bytes() == older
    assert set(settings.data.iterdir()) == files


def with_upload(settings: Settings, size: int) -> None:
    """Store a text that can't be compressed below half of its size."""

    async def add() -> None:
        async with Store.open(settings) as store:
            store.transact(matches.add_upload, random.Random(1).randbytes(size // 2).hex())

    asyncio.run(add())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell memory otherwise")
def test_memory_does_not_grow_with_the_hall(settings: Settings, tmp_path: Path) -> None:
    with_guests(settings, 1)
    before = [peak(settings, "backup", tmp_path / "a.backup"), peak(settings, "restore", tmp_path / "a.backup", "--replace")]
    with sqlite3.connect(settings.data / "meadhall.db") as connection:
        upload = [(f"{k}", f"{random.Random(k).randbytes(500_000).hex()}", "2026-11-26 10:00:00.000000") for k in range(100)]
        connection.executemany("INSERT INTO uploads (link_token, record, created_at) VALUES (?, ?, ?)", upload)
        guests = ((f"x{k}", f"p{k}", "Astrid", "en", "auto", "2026-11-26 10:00:00.000000") for k in range(20_000))
        insert = "INSERT INTO guests (id, public_id, name, language, theme, created_at) VALUES (?, ?, ?, ?, ?, ?)"
        connection.executemany(insert, guests)
    connection.close()
    after = [peak(settings, "backup", tmp_path / "a.backup"), peak(settings, "restore", tmp_path / "a.backup", "--replace")]
    assert max(after) < max(before) + 50_000, f"{before} kB for one guest, {after} kB for a hall of 100 MB"


def peak(settings: Settings, *arguments: str | Path) -> int:
    """Return the peak of a command's memory in kB."""
    done = run(run_and_print_peak, [*map(str, arguments), "--data", str(settings.data)], environment=os.environ)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-2])


def run_and_print_peak(arguments: list[str]) -> int:
    status = main(arguments)
    print(*(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")))  # noqa: T201
    return status
