"""Games that are compiled already, so that no hall has to do it."""

from __future__ import annotations

from meadhall.engine.game import game_names
from meadhall.server.hall.readiness import Readiness
from meadhall.server.worker.client import Thinker


class ReadyAtOnce(Readiness):
    def __init__(self, thinker: Thinker) -> None:
        super().__init__(thinker)
        self._ready = set(game_names())
