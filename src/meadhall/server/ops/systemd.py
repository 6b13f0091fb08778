"""Tell systemd how the service is (sd_notify(3)): one datagram for each message, to the socket that it names."""

from __future__ import annotations

import logging
import os
import socket

log = logging.getLogger(__name__)

READY = "READY=1"
STOPPING = "STOPPING=1"

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
