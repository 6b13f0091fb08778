"""Keep a log short while the same thing goes wrong again and again."""

from __future__ import annotations

import logging
import time

INTERVAL = 60.0
"""Seconds in which a message is logged once."""


class OncePerInterval(logging.Filter):
    """Lets each message of a logger pass once per interval. The next one says how many were left out.

    Messages are told apart by their text before arguments are inserted. Errors (level ERROR and above) always pass.
    """

    def __init__(self, interval: float = INTERVAL) -> None:
        super().__init__()
        self._interval = interval
        self._passed: dict[str, float] = {}
        self._left_out: dict[str, int] = {}

    def forget(self) -> None:
        """Let every message pass again."""
        self._passed.clear()
        self._left_out.clear()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno >= logging.ERROR:
            return True
        now, message = time.monotonic(), str(record.msg)
        if now - self._passed.get(message, float("-inf")) < self._interval:
            self._left_out[message] = self._left_out.get(message, 0) + 1
            return False
        self._passed[message] = now
        left_out = self._left_out.pop(message, 0)
        if left_out:
            record.msg, record.args = f"{record.getMessage()} ({left_out} more like this since the last line)", ()
        return True
