"""The part of systemd to which a service tells how it is."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread


class Manager:
    """The socket of a systemd, with the messages that have arrived there and the processes that sent them."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._received: list[tuple[int, list[str]]] = []

    def receive(self) -> None:
        """Receive messages until the socket is shut down."""
        with suppress(OSError):
            while True:
                data, details, *_ = self._listener.recvmsg(4096, socket.CMSG_SPACE(struct.calcsize("3i")))
                if not data:
                    return
                self._received.append((struct.unpack("3i", details[0][2])[0], data.decode().splitlines()))

    def told_by(self, process: int) -> list[list[str]]:
        """Return the messages of a process so far."""
        return [lines for sender, lines in self._received if sender == process]


@contextmanager
def service_manager(path: Path | str) -> Iterator[Manager]:
    """Listen during the block. A path that begins with "@" is an abstract one."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        listener.bind(str(path).replace("@", "\0") if str(path).startswith("@") else str(path))
        manager = Manager(listener)
        receiving = Thread(target=manager.receive, daemon=True)
        receiving.start()
        yield manager
        listener.shutdown(socket.SHUT_RD)
        receiving.join()
