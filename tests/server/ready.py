"""What tests take in place of waiting and of chance: games that are ready at once, and names that come in turn."""

from __future__ import annotations

import secrets
from itertools import cycle
from types import SimpleNamespace

from meadhall.engine.registry import game_names
from meadhall.server.hall.people import names
from meadhall.server.hall.upkeep.readiness import Readiness
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


def name_guests_in_turn() -> None:
    """Let new guests take their names in turn: two of one random name would be told apart by a number at their table."""
    turns = cycle(names.GIVEN)
    in_turn = SimpleNamespace(choice=lambda free: next(name for name in turns if name in free), randbelow=secrets.randbelow)
    vars(names)["secrets"] = in_turn
