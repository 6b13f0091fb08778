"""Games that are compiled already, so that no hall has to do it."""

from __future__ import annotations

from meadhall.engine.game import game_names
from meadhall.server.readiness import Readiness


class ReadyAtOnce(Readiness):
    def __init__(self) -> None:
        super().__init__()
        self._ready = set(game_names())
