"""The worker computes bot actions, hints and charts beside the event loop: its interface."""

from __future__ import annotations

from typing import Protocol, TypeVar

from meadhall.server.worker.tasks import Progress, Task
from meadhall.server.worker.warming import WarmRules

R = TypeVar("R")


class WorkerLost(Exception):
    """The worker process ended before it answered."""


class NodeLost(Exception):
    """The node of a cluster that ran the task is gone, or doesn't answer."""


class NoNode(Exception):
    """The cluster has no node that can run the task now."""


class Worker(Protocol):
    """Runs tasks outside the event loop. Every method may raise WorkerLost, and whatever its task raises."""

    async def run(self, task: Task[R], progress: Progress | None = None) -> R:
        """Run a task and return its result.

        Args:
            progress: called with the finished part of the task, 0 to 1. An exception that it raises ends the task and is
                raised here.
        """

    async def warm(self, game: str) -> None:
        """Compile the rules of a game unless they are in the cache. Raises what the compiler raises."""
        await self.run(WarmRules(game))

    def forget(self, table: str) -> None:
        """Drop the bots of a table, without waiting."""

    async def close(self) -> None:
        """Stop the worker. Tasks that are running are abandoned."""
