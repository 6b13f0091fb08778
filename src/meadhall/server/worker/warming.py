"""The task that compiles the rules of a game, once, however many ask for it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from meadhall.engine.registry import game
from meadhall.lab import is_warm
from meadhall.server.worker.bot_cache import BotCache
from meadhall.server.worker.messages import RunTask, TaskError, TaskResult, framed, read_message
from meadhall.server.worker.tasks import LoadRules, Progress, Task

R = TypeVar("R")

_compiling = Lock()


@dataclass(frozen=True)
class WarmRules(Task[None]):
    """Compile the rules of a game unless they are in the cache on disk.

    A compiler takes a gigabyte of memory and returns little of it to the system. So it runs in a separate process, one at a time.
    """

    game: str

    def run(self, _bots: BotCache, _progress: Progress) -> None:
        subject = game(self.game)
        if not is_warm(subject):
            with _compiling:
                if not is_warm(subject):  # another task has asked for the same
                    run_in_new_process(LoadRules(self.game))


def run_in_new_process(task: Task[R]) -> R:
    """Run a task in a process that ends afterwards, or with this one. Return its result or raise its exception."""
    command = [sys.executable, "-m", "meadhall.server.worker.process"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - our own program
    message = None
    with suppress(BrokenPipeError), process:  # it may have been killed already
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(framed(RunTask(0, task)))
        process.stdin.flush()
        message = read_message(process.stdout)
    if message is None:
        raise RuntimeError(f"the process of {task} has ended (status {process.returncode})")
    reply = pickle.loads(message)  # noqa: S301 - from our own process
    if isinstance(reply, TaskError):
        raise reply.error
    assert isinstance(reply, TaskResult)
    value: R = reply.value
    return value
