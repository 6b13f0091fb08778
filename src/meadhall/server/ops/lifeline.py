"""The line between the supervisor and a child process: a pair of sockets, from which each learns that the other has ended.

The child sends a byte when it is ready, and others every second if it has an event loop. It ends when the line does.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from contextlib import suppress
from threading import Thread
from typing import Final

_PATIENCE: Final = 2.0
"""Seconds that a web process has to stop after the end of its line."""

_BEAT: Final = b"."

READY: Final = b"!"
"""The byte of a child that is ready."""


class Lifeline:
    """The child's end of the line.

    Args:
        descriptor: the file descriptor of the socket.
    """

    def __init__(self, descriptor: int = 0) -> None:
        self._line = socket.socket(fileno=os.dup(descriptor))

    def beat(self) -> None:
        """Tell the supervisor that the event loop of this process runs. Never waits."""
        self._send(_BEAT)

    def ready(self) -> None:
        """Tell the supervisor that this process is ready. Never waits."""
        self._send(READY)

    def _send(self, byte: bytes) -> None:
        with suppress(OSError):  # the supervisor has ended, or doesn't read
            self._line.send(byte, socket.MSG_DONTWAIT)

    def ends_within(self, seconds: float | None) -> bool:
        """Wait until the supervisor closes the line or dies, at most for some seconds. Return whether it has."""
        self._line.settimeout(seconds)
        try:
            return not self._line.recv(1)
        except TimeoutError:
            return False
        except OSError:
            return True

    def stop_at_end(self) -> None:
        """Send SIGTERM to this process when the line ends, from a thread. End the process after two more seconds."""

        def stop() -> None:
            self.ends_within(None)
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(_PATIENCE)
            os._exit(1)

        Thread(target=stop, name="lifeline", daemon=True).start()
