"""Readiness of games for tests: all games are ready, also those that are registered later."""

from __future__ import annotations

from meadhall.engine.registry import game_names
from meadhall.server.hall.processes.readiness import Readiness
from meadhall.server.worker.client import Worker


class ReadyAtOnce(Readiness):
    """Readiness of games.

    Attributes:
        delayed: games that are not ready. Tests add them.
    """

    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self._ready = set(game_names())
        self.delayed: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name not in self.delayed
