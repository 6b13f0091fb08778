"""A game whose package can't be loaded: the hall and the command work with the other games."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from processes.process import Command, running

MODULE = "import a_module_that_is_missing\n"
ENTRY_POINTS = "[meadhall.games]\ncracked-horn = cracked_horn:game\n"
METADATA = "Metadata-Version: 2.1\nName: cracked-horn\nVersion: 1.0\n"


@pytest.fixture
def python_path(tmp_path: Path) -> str:
    """Install a broken package in a folder, and return the PYTHONPATH that contains it."""
    site = tmp_path / "site"
    info = site / "cracked_horn-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "cracked_horn.py").write_text(MODULE, encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    (info / "METADATA").write_text(METADATA, encoding="utf-8")
    return os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])


async def test_a_hall_opens_without_the_broken_game(tmp_path: Path, python_path: str) -> None:
    async with (
        running(Command(tmp_path, PYTHONPATH=python_path)) as process,
        process.client() as http,
    ):
        names = [game["name"] for game in (await http.get("/api/v1/games")).json()]
        assert "axes-and-allies" in names
        assert "cracked-horn" not in names
        assert (await http.get("/")).status_code == 200
        refused = await http.get("/rules/cracked-horn")
        assert refused.status_code == 404
        assert "its package is broken" in refused.text
        assert "a_module_that_is_missing" not in refused.text
        logged = process.log.read_text()
        assert logged.count("'cracked-horn' is installed but can't be loaded from cracked_horn:game: ModuleNotFoundError") == 1


@pytest.mark.parametrize(
    ("command", "status"),
    [(["games"], 0), (["simulate", "cracked-horn"], 2), (["simulate", "axes-and-allies", "--games", "2"], 0)],
)
def test_the_command_says_what_is_wrong(python_path: str, command: list[str], status: int) -> None:
    environment = {**os.environ, "PYTHONPATH": python_path, "MEADHALL_INTERPRET": "1", "MEADHALL_LANG": "en"}
    ran = subprocess.run(
        [sys.executable, "-m", "meadhall.cli", *command], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == status
    assert "Traceback" not in ran.stderr
    if command[1:2] != ["axes-and-allies"]:
        assert "No module named 'a_module_that_is_missing'" in ran.stderr
        assert len(ran.stderr.splitlines()) == 1
