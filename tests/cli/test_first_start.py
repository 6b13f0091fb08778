"""The first hour: `make play` with and without LAN=1, an install that fails, and the command as a module."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from stat import S_IRWXU

import pytest

from meadhall.cli import main, serve
from meadhall.cli.console import USAGE
from meadhall.engine.compile import mode
from meadhall.server.settings import Settings

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def program(path: Path, text: str) -> None:
    """Write a shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(S_IRWXU)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a clone whose uv has nothing to do, and whose command prints its arguments."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    version = next(
        line.split()[-1] for line in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines() if "UV_VERSION :=" in line
    )
    program(tmp_path / ".uv/bin/uv", "exit 0")
    (tmp_path / f".uv/uv-{version}").touch()
    program(tmp_path / ".venv/bin/meadhall", 'echo "meadhall $@"')
    return tmp_path


def make(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(["make", *arguments], cwd=clone, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("lan", "command"), [((), "meadhall serve"), (("LAN=1",), "meadhall serve --lan")])
def test_make_play_starts_the_hall_and_says_nothing_else_if_all_is_installed(
    clone: Path, lan: tuple[str, ...], command: str
) -> None:
    assert make(clone, "play", *lan).stdout == f"{command}\n"


def test_a_first_start_shows_the_progress_of_uv(clone: Path) -> None:
    program(
        clone / ".uv/bin/uv", 'case "$*" in *--check*) exit 1;; *--quiet*) exit 2;; *) echo "Downloading numba (3.6MiB)";; esac'
    )
    assert "Downloading numba" in make(clone, "play").stdout


def test_an_install_that_fails_says_which_machines_are_supported(clone: Path) -> None:
    program(clone / ".uv/bin/uv", "echo no wheel for this platform >&2; exit 1")
    failed = make(clone, "play")
    assert failed.returncode != 0
    assert "meadhall serve" not in failed.stdout
    assert "no wheel for this platform" in failed.stderr
    for words in ("Apple silicon", "macOS on Intel", "Alpine", "32-bit ARM"):
        assert words in failed.stderr


def test_the_package_runs_as_a_module() -> None:
    run = subprocess.run([sys.executable, "-m", "meadhall", "games"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "axes-and-allies" in run.stdout


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Settings]:
    """Let the command read the settings of a hall without serving it, and return them."""
    found: list[Settings] = []
    monkeypatch.setattr(mode, "prefer_interpreted", lambda: None)
    monkeypatch.setattr(serve, "_serve", lambda _compiles, _dev: found.append(Settings.from_environment()))
    for name, value in {"MEADHALL_HOST": "", "MEADHALL_NO_BROWSER": "", "MEADHALL_SOCKET": str(tmp_path / "socket")}.items():
        monkeypatch.setenv(name, value)
    return found


def test_lan_lets_the_hall_listen_on_all_addresses(started: list[Settings]) -> None:
    assert main(["serve", "--lan"]) == 0
    assert (started[0].host, started[0].socket) == ("0.0.0.0", None)  # noqa: S104 - no socket is bound


def test_lan_and_an_address_contradict_each_other(started: list[Settings], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--lan", "--host", "127.0.0.1"]) == USAGE
    assert not started
    assert "--lan" in capsys.readouterr().err
