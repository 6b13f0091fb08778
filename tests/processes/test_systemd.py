"""The hall as a service: it tells systemd how it is, and the unit file in ``deploy`` is right and strict."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from meadhall.server.ops import systemd
from meadhall.server.settings import Settings
from processes.process import Process, Supervised
from server.postgres import PostgreSQL

UNIT = Path(__file__).parents[2] / "deploy" / "meadhall.service"

PATIENCE = 60.0


class Manager:
    """The socket of a systemd, with the messages that arrive there and the processes that sent them."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.settimeout(PATIENCE)
        self.socket.bind(path.replace("@", "\0") if path.startswith("@") else path)
        self.senders: set[int] = set()

    def message(self) -> list[str]:
        data, details, *_ = self.socket.recvmsg(4096, socket.CMSG_SPACE(struct.calcsize("3i")))
        self.senders.add(struct.unpack("3i", details[0][2])[0])
        return data.decode().splitlines()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(str(tmp_path / "notify"))
    yield manager
    manager.socket.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("workers", [1, 2])
async def test_a_hall_says_when_it_is_ready_alive_and_stopping(
    workers: int, tmp_path: Path, manager: Manager, postgresql: PostgreSQL
) -> None:
    hall = (Process, Supervised)[workers - 1](
        tmp_path, MEADHALL_DATABASE_URL=postgresql.new_database(), NOTIFY_SOCKET=manager.path, WATCHDOG_USEC="30000000"
    )
    hall.command = ("-m", "meadhall.cli", "serve", "--workers", str(workers))
    await hall.launch()
    try:
        seen: list[str] = []
        while "READY=1" not in seen:
            seen = await asyncio.to_thread(manager.message)
        assert seen == ["READY=1", f"STATUS=The hall is open: {hall.url}/"]
        assert await asyncio.to_thread(manager.message) == ["WATCHDOG=1"]
        assert await asyncio.to_thread(manager.message) == ["WATCHDOG=1"]
        assert await hall.end(signal.SIGTERM) == 0
        while seen != ["STOPPING=1"]:
            seen = await asyncio.to_thread(manager.message)
        assert manager.senders == {hall.pid}, "only the main process speaks to systemd"
    finally:
        if hall.running:
            await hall.end(signal.SIGKILL)


def test_a_socket_may_be_abstract_or_away(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    manager = Manager(f"@meadhall-test-{os.getpid()}")
    monkeypatch.setenv("NOTIFY_SOCKET", manager.path)
    systemd.notify(systemd.READY, "STATUS=well")
    assert manager.message() == ["READY=1", "STATUS=well"]
    manager.socket.close()
    systemd.notify(systemd.STOPPING)
    assert "can't be told" in caplog.text


def test_a_process_is_watched_only_if_systemd_means_it(monkeypatch: pytest.MonkeyPatch, manager: Manager) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", manager.path)
    manager.socket.settimeout(0.2)
    for usec, pid in (("", ""), ("1000000", "1")):
        monkeypatch.setenv("WATCHDOG_USEC", usec)
        monkeypatch.setenv("WATCHDOG_PID", pid)
        systemd.keep_alive()
        with pytest.raises(TimeoutError):
            manager.message()
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    systemd.keep_alive()
    assert manager.message() == ["WATCHDOG=1"]


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
