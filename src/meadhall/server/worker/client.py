"""The worker computes bot actions, hints and charts beside the event loop: its interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from meadhall.bots import Hint
from meadhall.bots.analysis import Analysis, Knowledge
from meadhall.engine.match.record import MatchRecord
from meadhall.engine.match.view import View
from meadhall.engine.text.lessons import Outcome
from meadhall.server.worker.tasks import (
    AnalyseMatch,
    ChooseAction,
    EvaluatePosition,
    FindHints,
    LoadRules,
    Progress,
    SolveDeal,
    Task,
)
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

    async def choose(self, table: str, bot: str, view: View, whole_budget: bool = False) -> int:
        """Return the action that a bot chooses for the viewer. The bot is kept for the viewer's next decision at this table.

        Args:
            whole_budget: let a bot that searches do the same work in every position.
        """
        return await self.run(ChooseAction(table, bot, view, whole_budget))

    async def hints(self, view: View) -> tuple[Hint, ...]:
        """Return the actions that the strongest bot would consider in the viewer's place, the best first."""
        return await self.run(FindHints(view))

    async def evaluate(self, view: View, seconds: float, whole_budget: bool = False) -> tuple[float, ...]:
        """Return the expected payoff of every seat, estimated within some seconds from the viewer's knowledge.

        Args:
            whole_budget: do the same work in every position.
        """
        return await self.run(EvaluatePosition(view, seconds, whole_budget))

    async def analyse(self, record: MatchRecord, knowledge: Knowledge, progress: Progress) -> Analysis:
        """Return the win chances through a finished match; see ``run`` for ``progress``."""
        return await self.run(AnalyseMatch(record, knowledge), progress)

    async def solve(self, game: str, seed: bytes, options: Mapping[str, Any]) -> Outcome:
        """Return the best possible result of a puzzle of the day."""
        return await self.run(SolveDeal(game, seed, options))

    async def load(self, game: str) -> None:
        """Load the compiled rules of a game into the worker, so that compiling is not counted as thinking time."""
        await self.run(LoadRules(game))

    async def warm(self, game: str) -> None:
        """Compile the rules of a game unless they are in the cache. Raises what the compiler raises."""
        await self.run(WarmRules(game))

    def forget(self, table: str) -> None:
        """Drop the bots of a table, without waiting."""

    async def close(self) -> None:
        """Stop the worker. Tasks that are running are abandoned."""
