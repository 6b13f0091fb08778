"""What systemd and a hall agree on: how the service is (sd_notify(3)), and which open sockets it begins with (sd_listen_fds(3)).

A hall that starts itself again hands its sockets to its later self in the same way.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

log = logging.getLogger(__name__)

READY = "READY=1"
STOPPING = "STOPPING=1"

_FIRST: Final = 3
"""The file descriptor of the first socket. The others follow."""

OWN: Final = "meadhall"
"""The name of sockets that an earlier self of this process has made. The name of others is that of systemd's socket unit."""

_AGAIN: Final = "again"
"""The second name, if an earlier self of this process has left the sockets open."""

START_AGAIN: Final = 75
"""The exit status with which a hall on Windows, which can't hand over its sockets, asks to be started again."""

MORE_TIME = "EXTEND_TIMEOUT_USEC=60000000"
"""Wait another minute for the end of the start, also beyond ``TimeoutStartSec=``."""


def notify(*messages: str) -> None:
    """Send messages such as ``READY``. Do nothing if systemd doesn't run this process as ``Type=notify``."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):  # in the abstract namespace
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.connect(address)
            line.send("\n".join(messages).encode())
    except OSError as error:
        log.warning("systemd can't be told %s: %s", messages, error.strerror)


def keep_alive(is_open: bool) -> None:
    """Say every second that the service works. Until it is open, its start may take longer: rules may have to be compiled."""
    if not is_open:
        notify(MORE_TIME)
    elif os.environ.get("WATCHDOG_USEC") and os.environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid()):
        notify("WATCHDOG=1")


@dataclass(frozen=True)
class Sockets:
    """The sockets with which a hall begins.

    Attributes:
        listener: the socket that accepts connections.
        connections: those that an earlier self of this process has accepted. No request is under way on them.
        name: ``OWN``, or the name that another program has given to the listener.
        is_restart: whether an earlier self of this process has left them open.
    """

    listener: socket.socket
    connections: Sequence[socket.socket] = ()
    name: str = OWN
    is_restart: bool = False


def inherited() -> Sockets | None:
    """Return the sockets that were left open for this process; None if there are none."""
    variables = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")
    process, count, names = (os.environ.pop(each, "") for each in variables)  # the processes that this one starts get none
    if process != str(os.getpid()):
        return None
    sockets = [socket.socket(fileno=number) for number in range(_FIRST, _FIRST + int(count))]
    for each in sockets:
        each.set_inheritable(False)
    connections = [each for each in sockets if not each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)]
    listener, *others = (each for each in sockets if each not in connections)
    for each in others:
        log.warning("systemd listens at %s, too, but a hall listens at one place", each.getsockname())
    name, _, then = names.partition(":")
    return Sockets(listener, connections, name, is_restart=then == _AGAIN)


def start_again(sockets: Sequence[int], name: str) -> NoReturn:
    """Replace this process by a new run of its command, to which ``inherited`` gives these sockets."""
    from fcntl import F_DUPFD_CLOEXEC, fcntl  # noqa: PLC0415 - Windows has none

    copies = [fcntl(each, F_DUPFD_CLOEXEC, _FIRST + len(sockets)) for each in sockets]  # away from the numbers of the later self
    for number, copy in enumerate(copies, _FIRST):
        os.dup2(copy, number)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(sockets)), LISTEN_FDNAMES=f"{name}:{_AGAIN}")
    os.execv(sys.executable, sys.orig_argv)  # noqa: S606 - our own command
