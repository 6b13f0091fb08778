"""``meadhall move`` in a process that is killed."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from meadhall.cli.hall_data import move
from meadhall.server.settings import Settings
from server.halls import tally, with_guests


@pytest.fixture
def back_again(settings: Settings, tmp_path: Path) -> Settings:
    """Return settings of a third hall, on SQLite."""
    return replace(settings, data=tmp_path / "back", database_url=f"sqlite:///{tmp_path}/back/meadhall.db")


def test_nothing_is_left_of_a_move_that_is_killed(settings: Settings, back_again: Settings) -> None:
    with_guests(settings, 1)
    with sqlite3.connect(settings.data / "meadhall.db") as connection:
        upload = [(f"{k}", f"{random.Random(k).randbytes(500_000).hex()}", "2026-11-26 10:00:00.000000") for k in range(40)]
        connection.executemany("INSERT INTO uploads (link_token, record, created_at) VALUES (?, ?, ?)", upload)
    connection.close()
    run = [sys.executable, "-m", "meadhall.cli", "move", "--from", str(settings.url), "--to", back_again.database_url]
    log = back_again.data / "meadhall.db-wal"
    with subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as moving:
        while moving.poll() is None and (not log.exists() or log.stat().st_size < 5_000_000):
            time.sleep(0.001)
        moving.send_signal(signal.SIGKILL)
    assert moving.returncode == -signal.SIGKILL, "it was killed in the middle"
    with sqlite3.connect(back_again.data / "meadhall.db") as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    connection.close()
    move(str(settings.url), back_again.database_url)
    assert not tally(settings).differences(tally(back_again))
