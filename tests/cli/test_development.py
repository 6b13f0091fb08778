"""``meadhall serve --dev``: who can reach it, where it keeps its matches, and what it says."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from meadhall.cli import main, serve
from meadhall.engine.compile import mode
from meadhall.server.ops.systemd import START_AGAIN
from meadhall.server.settings import Settings
from ports import free_port

EVERYWHERE = "0.0.0.0"  # noqa: S104 - to see what the command says of it


def real_hall(data: Path) -> dict[str, str]:
    """Return the environment of a real hall."""
    return {
        "MEADHALL_HOST": EVERYWHERE,
        "MEADHALL_SOCKET": str(data / "hall.sock"),
        "MEADHALL_URL": "https://hall.example.org",
        "MEADHALL_DATA": str(data),
        "MEADHALL_LANG": "en",
    }


def test_it_ignores_the_addresses_and_the_database_of_a_real_hall(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "meadhall.cli", "serve", "--dev", "--no-browser", "--port", str(free_port())]
    environment = os.environ | real_hall(tmp_path)
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as hall:
        assert hall.stdout is not None
        said = ""
        for line in hall.stdout:
            said += line
            if "is open" in line:
                break
        hall.send_signal(signal.SIGTERM)
        hall.stdout.read()
    assert "Only this machine can reach it." in said
    assert "http://127.0.0.1:" in said
    assert [path.name for path in tmp_path.iterdir()] == ["development"]
    assert (tmp_path / "development" / "meadhall.db").exists()


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let the command announce a hall without serving it, in this process."""
    monkeypatch.setattr(mode, "interpret", lambda: None)
    monkeypatch.setattr(mode, "prefer_interpreted", lambda: None)
    monkeypatch.setattr(serve, "_serve", lambda _compiles, _dev: serve._announce_development(Settings.from_environment()))
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    for name in ("MEADHALL_INTERPRET", "MEADHALL_NO_BROWSER", "MEADHALL_PROXIES", "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    for name, value in real_hall(tmp_path).items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("announced")
def test_it_warns_when_others_can_reach_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--dev", "--host", EVERYWHERE]) == 0
    said = capsys.readouterr().out
    assert f"Warning: it listens on {EVERYWHERE}." in said
    assert "Only this machine" not in said


def test_a_command_that_asks_for_it_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows a hall can't start itself again."""
    monkeypatch.setenv("MEADHALL_NO_BROWSER", "")
    runs = tmp_path / "runs"
    script = (
        f"import os, pathlib, sys; file = pathlib.Path({str(runs)!r}); runs = file.read_text() if file.exists() else ''; "
        f"file.write_text(runs + os.environ['MEADHALL_NO_BROWSER'] + ','); sys.exit({START_AGAIN} if len(runs) < 3 else 7)"
    )
    assert serve.run_until_it_ends([sys.executable, "-c", script]) == 7
    assert runs.read_text() == ",1,1,", "a browser is opened once"
