"""Main loop of a worker process, ``python -m meadhall.server.worker.process``, with the address of a cluster if that thinks.

``remote.WorkerProcess`` starts it: it reads requests from its standard input and writes replies to its standard output. Every
task runs in its own thread. At the end of the input the server is gone, and the process ends too.
"""

from __future__ import annotations

import os
import pickle
import sys
from contextlib import suppress
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, BinaryIO

from meadhall.engine.compute.executors import leave_a_core
from meadhall.server.ops.logs import TEXT, configure_logging
from meadhall.server.worker.bot_cache import BotCache
from meadhall.server.worker.messages import (
    CancelTask,
    ForgetTable,
    Request,
    RunTask,
    TaskProgress,
    answered,
    framed,
    read_message,
)
from meadhall.server.worker.tasks import Task

if TYPE_CHECKING:
    from meadhall.server.worker.cluster import Nodes

NICENESS = 10
"""How much lower than the server's its priority is (see ``nice``)."""


class _Cancelled(BaseException):
    """The server no longer needs the result of the task."""


class TaskRunner:
    """Runs the tasks of the server, each in a thread, and writes the replies. ``nodes``: they run the tasks instead."""

    def __init__(self, bots: BotCache, output: BinaryIO, nodes: Nodes | None = None) -> None:
        self._bots = bots
        self._nodes = nodes
        self._output = output
        self._writing = Lock()
        self._running: set[int] = set()

    def serve(self, requests: BinaryIO) -> None:
        """Handle the requests of the server until it is gone. Its tasks are cancelled then."""
        while (message := read_message(requests)) is not None:
            self.handle(pickle.loads(message))  # noqa: S301 - from our own server
        self._running.clear()

    def handle(self, request: Request) -> None:
        """Start or cancel a task, or forget a table."""
        match request:
            case RunTask(number, task):
                self._running.add(number)
                Thread(target=self._run, args=(number, task), name=type(task).__name__, daemon=True).start()
            case CancelTask(number):
                self._running.discard(number)
            case ForgetTable(table):
                (self._nodes or self._bots).forget(table)

    def _run(self, number: int, task: Task[Any]) -> None:
        def progress(done: float) -> None:
            if number not in self._running:
                raise _Cancelled
            self._write(framed(TaskProgress(number, done)))

        nodes = self._nodes
        try:
            reply = answered(number, lambda: task.run(self._bots, progress) if nodes is None else nodes.run(task, progress))
        except _Cancelled:
            return
        self._running.discard(number)
        self._write(reply)

    def _write(self, message: bytes) -> None:
        with self._writing, suppress(OSError, ValueError):  # the server is gone, or its stream is closed
            self._output.write(message)
            self._output.flush()


def main() -> None:
    """Handle requests until the server is gone."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # prints go to the server's log
    configure_logging(os.environ.get("MEADHALL_LOG") or TEXT, "worker")
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    leave_a_core()  # to the server
    nodes = None
    if len(sys.argv) > 1:
        from meadhall.server.worker.cluster import Nodes  # noqa: PLC0415 - only a hall with a cluster loads Ray

        nodes = Nodes(sys.argv[1])
    TaskRunner(BotCache(), replies, nodes).serve(requests)
    sys.stderr.flush()
    os._exit(0)  # don't wait for tasks that are still running


if __name__ == "__main__":
    main()
