"""The bots whose ways are rules: compiled, and so cheap that bulk runs use them too."""

from __future__ import annotations

import numpy as np

from meadhall.engine.chance import step_key
from meadhall.engine.compiled import loops
from meadhall.engine.game import Game
from meadhall.engine.loops import GREEDY, RANDOM
from meadhall.engine.schema import copied
from meadhall.engine.view import View

POLICIES = {"random": RANDOM, "greedy": GREEDY, "thrall": RANDOM, "karl": GREEDY}
"""The numbers of the compiled policies by their bots' names."""


class PolicyBot:
    """``random`` takes a legal action at random; ``greedy`` follows the game's heuristics, at random if it has none."""

    def __init__(self, game: Game, name: str, seed: bytes) -> None:
        self.name = name
        self._policy = POLICIES[name]
        self._loops = loops(game)
        self._room = np.zeros(game.actions, np.int32)
        self._rng = np.array(step_key(seed, 0), np.uint64)

    def choose(self, view: View) -> int:
        """One of ``view.legal``."""
        return int(self._loops.follow_one(self._policy, copied(view.states), self._room, self._rng))
