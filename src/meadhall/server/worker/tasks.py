"""Tasks of the worker: bot actions, hints, charts, solved deals, and compiled rules."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Generic, Self, TypeVar

from meadhall.bots import Hint, SearchBot, hints
from meadhall.bots.analysis import Analysis, Knowledge, analyse
from meadhall.bots.bot import BadBot, check_named, named_bots
from meadhall.bots.playouts import expected_payoffs
from meadhall.bots.ranks import RANKS
from meadhall.engine.match.record import MatchRecord
from meadhall.engine.match.view import View
from meadhall.engine.registry import game
from meadhall.engine.replay import replay
from meadhall.engine.text.lessons import Outcome
from meadhall.lab import warm
from meadhall.server.worker.bot_cache import BotCache

log = logging.getLogger(__name__)

R = TypeVar("R")

Progress = Callable[[float], None]
"""Callback with the finished part of a task, 0 to 1. It may raise an exception to end the task."""

_loading = Lock()
_loaded: set[str] = set()


class Task(ABC, Generic[R]):
    """A task with its arguments. It is pickled and sent to a worker process."""

    @property
    def process(self) -> str:
        """Return the name of the process that runs it: the name of its game, or "" if it needs no rules."""
        return ""

    def within(self, seconds: float) -> Self:
        """Return a task for the same result that takes no longer than this, if it may take less."""
        return self

    @abstractmethod
    def run(self, bots: BotCache, progress: Progress) -> R:
        """Do the task, in a thread of the worker, and return its result."""


class _OfView:
    """A task with the view of a seat."""

    view: View

    @property
    def process(self) -> str:
        return self.view.game.name


@dataclass(frozen=True)
class ChooseAction(_OfView, Task[int]):
    """Let a bot choose an action for the seat to move. ``whole_budget``: with the same work in every position."""

    table: str
    bot: str
    view: View
    whole_budget: bool = False

    @property
    def seconds(self) -> float | None:
        """Return how long the bot searches; None if it doesn't search."""
        return next((rank.budget.seconds for rank in RANKS if rank.name == self.bot and rank.budget is not None), None)

    def within(self, seconds: float) -> Self:
        """Let the bot search for less than its level does."""
        return self if self.seconds is None or self.seconds <= seconds else replace(self, bot=f"search@{seconds:.2f}s")

    def run(self, bots: BotCache, progress: Progress) -> int:
        seat = self.view.viewer
        player = bots.take(self.table, seat, self.view.game, self.bot)
        if self.whole_budget and isinstance(player, SearchBot):
            action = player.choose(self.view, whole_budget=True)
        else:
            action = player.choose(self.view)
        bots.put(self.table, seat, player)
        return action


@dataclass(frozen=True)
class FindHints(_OfView, Task[tuple[Hint, ...]]):
    """Let the strongest bot rate the actions of the seat to move."""

    view: View

    def run(self, bots: BotCache, progress: Progress) -> tuple[Hint, ...]:
        return hints(self.view)


@dataclass(frozen=True)
class EvaluatePosition(_OfView, Task[tuple[float, ...]]):
    """Estimate every seat's payoff from the knowledge of one seat. ``whole_budget``: with the same work in every position."""

    view: View
    seconds: float
    whole_budget: bool = False

    def run(self, bots: BotCache, progress: Progress) -> tuple[float, ...]:
        return expected_payoffs(self.view, self.seconds, whole_budget=self.whole_budget)


@dataclass(frozen=True)
class AnalyseMatch(Task[Analysis]):
    """Estimate the win chances through a finished match."""

    record: MatchRecord
    knowledge: Knowledge

    @property
    def process(self) -> str:
        return str(self.record["game"])

    def run(self, bots: BotCache, progress: Progress) -> Analysis:
        return analyse(replay(self.record), self.knowledge, progress=progress)


@dataclass(frozen=True)
class SolveDeal(Task[Outcome]):
    """Find the best possible result of a puzzle of the day."""

    game: str
    seed: bytes
    options: Mapping[str, Any]

    @property
    def process(self) -> str:
        return self.game

    def run(self, bots: BotCache, progress: Progress) -> Outcome:
        subject = game(self.game)
        assert subject.daily is not None
        assert subject.daily.outcome is not None
        return subject.daily.outcome(subject.match(players=1, seed=self.seed, **self.options))


@dataclass(frozen=True)
class LoadRules(Task[None]):
    """Load the compiled rules of a game, and the named bots that play it. Compile rules that are not in the cache on disk."""

    game: str

    @property
    def process(self) -> str:
        return self.game

    def run(self, bots: BotCache, progress: Progress) -> None:
        if self.game in _loaded:  # without the lock: another game may be compiling
            return
        with _loading:
            if self.game not in _loaded:
                warm([self.game], bulk=False)
                _load_named_bots(self.game)
                _loaded.add(self.game)


def _load_named_bots(name: str) -> None:
    """Import the named bots of a game, so that loading a model is not counted as thinking time."""
    try:
        check_named(named_bots(game(name)))
    except BadBot:
        log.exception("named bots of %s", name)
