"""The log of the hall's processes: lines of text, or one JSON object a line, with the id of the request that wrote the line."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final

log = logging.getLogger(__name__)

TEXT: Final = "text"
JSON: Final = "json"

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the current request; "" outside requests."""


def configure_logging(form: str, process: str) -> None:
    """Write log lines to standard error, from level INFO on.

    Args:
        form: ``TEXT`` or ``JSON``. As JSON, warnings and exceptions that nothing catches are log lines, too.
        process: name of this process: ``web`` or ``worker``.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter(process) if form == JSON else TextFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("uvicorn.error").addFilter(OncePerInterval())  # it warns of each malformed request
    if form == JSON:
        logging.captureWarnings(True)
        sys.excepthook = _log_exception
        threading.excepthook = _log_exception_of_thread


class TextFormatter(logging.Formatter):
    """Formats a record as text: ``2026-11-26 17:05:00,123 ERROR meadhall.server.hall: message [id of the request]``."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - of the base class
        id = request_id.get()
        return super().formatMessage(record) + (f" [{id}]" if id else "")


class JsonFormatter(logging.Formatter):
    """Formats a record as a JSON object in one line.

    Its members are ``time`` (UTC, RFC 3339), ``level``, ``logger``, ``message``, ``process`` and ``pid``; in a request
    ``request_id``, and after an exception ``exception`` with the traceback.
    """

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": self._process,
            "pid": record.process,
        }
        if id := request_id.get():
            line["request_id"] = id
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            line["stack"] = record.stack_info
        return json.dumps(line, ensure_ascii=False)


def _log_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        log.critical("the process ends: %s", error, exc_info=(kind, error, trace))


def _log_exception_of_thread(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value is not None:
        name = failed.thread.name if failed.thread else "?"
        log.error("the thread %s ends: %s", name, failed.exc_value, exc_info=failed.exc_value)


# -------------------------------------------------------------------------------------------------------- one line in an interval


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
