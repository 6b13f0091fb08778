"""``meadhall serve --dev``: who can reach it, where it keeps its matches, and what it says."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from ports import free_port

MEADHALL = Path(sys.executable).parent / "meadhall"

EVERYWHERE = "0.0.0.0"  # noqa: S104 - to see what the command says of it


def started(data: Path, *arguments: str) -> str:
    """Start a hall in the environment of a real one, and return what it says until it is open."""
    real_hall = {
        "MEADHALL_HOST": EVERYWHERE,
        "MEADHALL_SOCKET": str(data / "hall.sock"),
        "MEADHALL_URL": "https://hall.example.org",
        "MEADHALL_DATABASE_URL": "postgresql://hall@127.0.0.1:1/hall",
        "MEADHALL_WORKERS": "4",
        "MEADHALL_DATA": str(data),
        "MEADHALL_LANG": "en",
    }
    command = [str(MEADHALL), "serve", "--dev", "--no-browser", "--port", str(free_port()), *arguments]
    with subprocess.Popen(
        command, env=os.environ | real_hall, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as hall:
        assert hall.stdout is not None
        said = ""
        for line in hall.stdout:
            said += line
            if "is open" in line:
                break
        hall.send_signal(signal.SIGTERM)
        hall.stdout.read()
    return said


def test_it_ignores_the_addresses_and_the_database_of_a_real_hall(tmp_path: Path) -> None:
    said = started(tmp_path)
    assert "Only this machine can reach it." in said
    assert "http://127.0.0.1:" in said
    assert [path.name for path in tmp_path.iterdir()] == ["development"]
    assert (tmp_path / "development" / "meadhall.db").exists()


def test_it_warns_when_others_can_reach_it(tmp_path: Path) -> None:
    said = started(tmp_path, "--host", EVERYWHERE)
    assert f"Warning: it listens on {EVERYWHERE}." in said
    assert "Only this machine" not in said


def test_it_runs_in_one_process(tmp_path: Path) -> None:
    said = started(tmp_path, "--workers", "2", "--database-url", "postgresql://hall@127.0.0.1:1/hall")
    assert "leave out --workers" in said
