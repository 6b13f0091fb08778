"""Readiness of games for tests: all games are compiled before the hall opens."""

from __future__ import annotations

from meadhall.engine.game import game_names
from meadhall.server.hall.readiness import Readiness
from meadhall.server.worker.client import Worker


class ReadyAtOnce(Readiness):
    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self._ready = set(game_names())
