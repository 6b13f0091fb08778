"""Asking a running hall of several processes to reload: the folder of its supervisor, and the Unix socket in it.

The folder also has the sockets of workers and the figures of metrics. One that a killed supervisor left behind is removed by the
next supervisor: no program listens on its sockets any more.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Final

from meadhall.engine.errors import MeadhallError
from meadhall.server.settings import Settings

RELOADED: Final = "reloaded"

_PREFIX: Final = "meadhall-"
_SOCKET: Final = "reload.sock"
_REQUEST: Final = b"reload\n"
_PLACE: Final = "place"
"""The file that says where the hall of a folder listens."""


class CannotReload(MeadhallError):
    """No hall of several processes runs here, or it could not start its new processes."""


@contextmanager
def folder_of_hall(settings: Settings) -> Iterator[Path]:
    """Make a folder for a supervisor, which only this user can open, and remove those of killed ones."""
    for left in _folders():
        if not _is_in_use(left):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=_parent(), ignore_cleanup_errors=True) as folder:
        (Path(folder) / _PLACE).write_text(_place(settings), "utf-8")
        yield Path(folder)


def ask_to_reload(settings: Settings) -> None:
    """Ask the hall with these settings to reload, and wait until it has. Raises CannotReload."""
    for folder in _folders():
        with suppress(OSError), socket.socket(socket.AF_UNIX) as line:
            if (folder / _PLACE).read_text("utf-8") == _place(settings):
                line.connect(str(folder / _SOCKET))
                line.sendall(_REQUEST)
                answer = line.makefile(encoding="utf-8").read().strip()
                if answer != RELOADED:
                    raise CannotReload(answer or "the hall has ended")
                return
    raise CannotReload(
        f"no hall of several processes of this user listens on {_place(settings)}; a hall of one process can only be restarted"
    )


class Requests:
    """The requests to reload a hall.

    Args:
        folder: the folder of the supervisor.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _SOCKET
        self._asked = asyncio.Event()
        self._waiting: list[asyncio.StreamWriter] = []
        self._served: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Requests:
        self._server = await asyncio.start_unix_server(self._accept, self._path)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for writer in (*self._waiting, *self._served):
            writer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await reader.readline() == _REQUEST:  # else another supervisor has looked whether this one runs
            self._waiting.append(writer)
            self.ask()
        else:
            writer.close()

    def ask(self) -> None:
        """Ask without waiting for an answer."""
        self._asked.set()

    async def next(self) -> None:
        """Wait for the next request. All that have come until then get the next answer; later ones ask for another reload."""
        await self._asked.wait()
        self._asked.clear()
        self._served, self._waiting = self._waiting, []

    def answer(self, outcome: str) -> None:
        """Tell those who wait what came of it."""
        for writer in self._served:
            writer.write(f"{outcome}\n".encode())
            writer.close()
        self._served = []


# ------------------------------------------------------------------------------------------------------------------ folders


def _place(settings: Settings) -> str:
    return str(settings.socket.resolve()) if settings.socket is not None else settings.authority


def _parent() -> str:
    return os.environ.get("RUNTIME_DIRECTORY") or tempfile.gettempdir()  # the first one is that of a systemd service


def _folders() -> list[Path]:
    """Return the folders of supervisors of this user."""
    found = []
    for folder in Path(_parent()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if (folder / _PLACE).is_file() and folder.lstat().st_uid == os.getuid():
                found.append(folder)
    return found


def _is_in_use(folder: Path) -> bool:
    """Return whether a program listens on the socket of a folder, or may be about to."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(folder / _SOCKET))
        except ConnectionRefusedError:
            return False
        except OSError:
            return True
    return True
