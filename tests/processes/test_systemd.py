"""The hall as a service: it tells systemd how it is, and the unit file in ``deploy`` is right and strict."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from meadhall.server import listener
from meadhall.server.ops import systemd
from meadhall.server.settings import Settings
from processes.process import Command
from processes.service_manager import service_manager

UNIT = Path(__file__).parents[2] / "deploy" / "meadhall.service"

PATIENCE = 240.0


def until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_a_hall_says_when_it_is_ready_alive_and_stopping(tmp_path: Path) -> None:
    with service_manager(tmp_path / "notify") as manager:
        hall = Command(tmp_path, NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="30000000")
        hall.launch()
        try:
            until(lambda: ["WATCHDOG=1"] in manager.told_by(hall.pid))
            assert asyncio.run(hall.end(signal.SIGTERM)) == 0
            until(lambda: manager.told_by(hall.pid)[-1] == ["STOPPING=1"])
        finally:
            if hall.running:
                asyncio.run(hall.end(signal.SIGKILL))
        first, *alive, _last = [lines for lines in manager.told_by(hall.pid) if lines != ["EXTEND_TIMEOUT_USEC=60000000"]]
        assert first == ["READY=1", f"STATUS=The hall is open: {hall.url}/"]
        assert {*map(tuple, alive)} == {("WATCHDOG=1",)}


def test_the_hall_is_open_when_its_games_are_ready(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """At the first start that takes minutes, and the host learns why."""
    monkeypatch.setattr(listener, "_PATIENCE", 0.0)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    caplog.set_level("INFO")

    async def compile_rules() -> None:
        while "rules of the games are being loaded" not in caplog.text:
            await asyncio.sleep(0)
        assert capsys.readouterr().out == ""
        systemd.keep_alive(is_open=False)

    with service_manager(tmp_path / "notify") as manager:
        asyncio.run(listener.announce(Settings(), compile_rules()))
        until(lambda: len(manager.told_by(os.getpid())) == 3)
    told = [line for lines in manager.told_by(os.getpid()) for line in lines]
    assert told[:3] == ["STATUS=The rules of the games are being loaded", "EXTEND_TIMEOUT_USEC=60000000", "READY=1"]
    assert capsys.readouterr().out.startswith("The hall is open: http://127.0.0.1:8000/\n")


def test_a_socket_may_be_abstract_or_away(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    path = f"@meadhall-test-{os.getpid()}"
    monkeypatch.setenv("NOTIFY_SOCKET", path)
    with service_manager(path) as manager:
        systemd.notify(systemd.READY, "STATUS=well")
        until(lambda: manager.told_by(os.getpid()) == [["READY=1", "STATUS=well"]])
    systemd.notify(systemd.STOPPING)
    assert "can't be told" in caplog.text


def test_a_process_is_watched_only_if_systemd_means_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    with service_manager(tmp_path / "notify") as manager:
        for usec, pid in (("", ""), ("1000000", "1"), ("1000000", str(os.getpid()))):
            assert manager.told_by(os.getpid()) == []
            monkeypatch.setenv("WATCHDOG_USEC", usec)
            monkeypatch.setenv("WATCHDOG_PID", pid)
            systemd.keep_alive(is_open=True)
        systemd.notify(systemd.STOPPING)
        until(lambda: manager.told_by(os.getpid()) == [["WATCHDOG=1"], ["STOPPING=1"]])


# --------------------------------------------------------------------------------------------------------------- the unit file


def test_the_unit_sets_only_settings_that_exist() -> None:
    given = {"MEADHALL_DATA": "/srv", "MEADHALL_NO_BROWSER": "1"}
    set_there = set(re.findall(r"(MEADHALL_[A-Z_]+)=[^…]", UNIT.read_text()))
    assert set_there == {*given, "MEADHALL_CACHE"}
    assert Settings.from_environment(given) == replace(Settings.from_environment({}), data=Path("/srv"), browser=False)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_accepts_the_unit_and_finds_it_strict(tmp_path: Path) -> None:
    program = tmp_path / "meadhall"
    program.symlink_to(sys.executable)  # the hall is not in /opt here
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/meadhall/bin/meadhall", str(program)))
    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager", "--threshold=20", unit],
        capture_output=True,
        text=True,
        check=False,
    )
    assert rated.returncode == 0, rated.stdout
