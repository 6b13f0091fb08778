"""The socket that the server listens on: a Unix socket has the right access, is removed at the end, and replaces a stale one."""

from __future__ import annotations

import socket
import threading
from dataclasses import replace
from pathlib import Path
from stat import S_IMODE, S_ISSOCK

import pytest

from meadhall.server.listener import CannotListen, bind
from meadhall.server.settings import Settings


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hall.sock"


@pytest.fixture
def on_socket(settings: Settings, path: Path) -> Settings:
    return replace(settings, socket=path)


def test_the_owner_and_the_group_may_connect_and_the_file_is_removed(on_socket: Settings, path: Path) -> None:
    with bind(on_socket):
        assert S_ISSOCK(path.stat().st_mode)
        assert S_IMODE(path.stat().st_mode) == 0o660
    assert not path.exists()


def test_the_socket_of_a_killed_server_is_replaced(on_socket: Settings, path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
    assert path.exists()
    with bind(on_socket) as sockets:
        sockets.listener.listen()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))


def test_a_socket_in_use_is_left_alone(on_socket: Settings, path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        with pytest.raises(CannotListen, match="another program listens there"), bind(on_socket):
            pass
        assert path.exists()


def test_a_second_hall_does_not_take_the_socket_of_the_first(on_socket: Settings, path: Path) -> None:
    """The first one has bound its socket, but doesn't listen yet."""
    with bind(on_socket):
        with pytest.raises(CannotListen, match="another hall listens on"), bind(on_socket):
            pass
        assert path.exists()


def test_of_two_halls_that_start_at_once_one_listens(on_socket: Settings, path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
    gate, leave = threading.Barrier(8), threading.Event()
    outcomes: list[bool] = []

    def start() -> None:
        gate.wait()
        try:
            with bind(on_socket) as sockets:
                sockets.listener.listen()
                outcomes.append(True)
                leave.wait(30)
        except CannotListen:
            outcomes.append(False)
            if outcomes.count(False) == 7:
                leave.set()

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(outcomes) == [False] * 7 + [True]
    assert not path.exists()


def test_a_file_that_is_not_a_socket_is_never_removed(on_socket: Settings, path: Path) -> None:
    path.write_text("keep me")
    with pytest.raises(CannotListen, match="not a socket"), bind(on_socket):
        pass
    assert path.read_text() == "keep me"


@pytest.mark.parametrize("name", ["x" * 200, "file/hall.sock"])
def test_a_path_that_can_not_be_used_is_refused_by_name(settings: Settings, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotListen, match="MEADHALL_SOCKET"), bind(replace(settings, socket=tmp_path / name)):
        pass
