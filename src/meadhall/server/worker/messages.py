"""Messages between the server and the worker process. On the wire each one is a length followed by a pickle."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

from meadhall.server.worker.tasks import Task

LENGTH_BYTES = 8
"""Bytes of the length before each message."""


@dataclass(frozen=True)
class RunTask:
    """Server to worker: start a task. Replies carry its number."""

    number: int
    task: Task[Any]


@dataclass(frozen=True)
class CancelTask:
    """Server to worker: the result of a task is no longer needed."""

    number: int


@dataclass(frozen=True)
class ForgetTable:
    """Server to worker: drop the bots of a table. It has no reply."""

    table: str


@dataclass(frozen=True)
class TaskProgress:
    """Worker to server: the part of a task that is done, 0 to 1."""

    number: int
    done: float


@dataclass(frozen=True)
class TaskResult:
    """Worker to server: what a task returned."""

    number: int
    value: Any


@dataclass(frozen=True)
class TaskError:
    """Worker to server: the exception that a task raised."""

    number: int
    error: Exception


Request = RunTask | CancelTask | ForgetTable
Reply = TaskProgress | TaskResult | TaskError


def framed(message: Request | Reply) -> bytes:
    """Return the bytes of a message."""
    pickled = pickle.dumps(message)
    return len(pickled).to_bytes(LENGTH_BYTES) + pickled


def answered(number: int, run: Callable[[], Any]) -> bytes:
    """Run a task and return the bytes of the reply. Instead of what can't be pickled, or unpickled, it has a RuntimeError."""
    reply: Reply
    try:
        reply = TaskResult(number, run())
    except Exception as error:
        error.add_note(traceback.format_exc())
        reply = TaskError(number, error)
    try:
        message = framed(reply)
        if isinstance(reply, TaskError):
            pickle.loads(message[LENGTH_BYTES:])  # noqa: S301 - our own; an exception class may not be reconstructible
    except Exception as error:  # the exception class of a game may fail in any way
        return framed(TaskError(number, RuntimeError(f"{reply!r}: {error!r}")))
    return message


def read_message(stream: IO[bytes]) -> bytes | None:
    """Return the pickle of the next message, None at the end of the stream."""
    length = stream.read(LENGTH_BYTES)
    if len(length) < LENGTH_BYTES:
        return None
    message = stream.read(size := int.from_bytes(length))
    return message if len(message) == size else None
