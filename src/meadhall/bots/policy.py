"""Bots whose policy is a compiled rule. They are cheap enough for bulk runs."""

from __future__ import annotations

import numpy as np

from meadhall.engine.chance import step_key
from meadhall.engine.compiled import loops
from meadhall.engine.game import Game
from meadhall.engine.loops import GREEDY, RANDOM
from meadhall.engine.schema import copied
from meadhall.engine.view import View

POLICIES = {"random": RANDOM, "greedy": GREEDY, "thrall": RANDOM, "karl": GREEDY}
"""The compiled policies by bot name."""


class PolicyBot:
    """Follows a compiled policy: ``random`` plays uniformly at random, ``greedy`` by the game's heuristics (if it has any)."""

    def __init__(self, game: Game, name: str, seed: bytes) -> None:
        self.name = name
        self._policy = POLICIES[name]
        self._loops = loops(game)
        self._legal = np.zeros(game.actions, np.int32)
        self._rng = np.array(step_key(seed, 0), np.uint64)

    def choose(self, view: View) -> int:
        """Choose one of ``view.legal``."""
        return int(self._loops.follow_one(self._policy, copied(view.states), self._legal, self._rng))
