"""A worker in threads of the tests' process."""

from __future__ import annotations

from typing import TypeVar

from meadhall.server.worker.bot_cache import BotCache
from meadhall.server.worker.client import Worker
from meadhall.server.worker.tasks import LoadRules, Progress, Task
from meadhall.server.worker.threads import run_in_thread

R = TypeVar("R")


class WorkerThreads(Worker):
    """A worker in threads of this process. It uses the rules as they run here, compiled or interpreted."""

    def __init__(self) -> None:
        self.bots = BotCache()

    async def run(self, task: Task[R], progress: Progress | None = None) -> R:
        """Run a task in a thread; ``progress`` is called in that thread."""
        return await run_in_thread(task.run, self.bots, progress or _ignore)

    async def warm(self, game: str) -> None:
        await self.run(LoadRules(game))

    def forget(self, table: str) -> None:
        self.bots.forget(table)

    async def close(self) -> None:
        """Do nothing: the threads end with the process."""


def _ignore(_done: float) -> None:
    pass
