"""Bots whose policy is a compiled rule. They are cheap enough for bulk runs."""

from __future__ import annotations

from copy import deepcopy
from typing import Self

import numpy as np

from meadhall.engine.checks import Seed, check_seed
from meadhall.engine.compiled import loops
from meadhall.engine.game import Game
from meadhall.engine.loops import GREEDY, RANDOM
from meadhall.engine.match.view import View
from meadhall.engine.state.chance import step_key
from meadhall.engine.state.schema import copied

POLICIES = {"thrall": RANDOM, "karl": GREEDY}
"""The compiled policies by bot name."""


class PolicyBot:
    """Follows a compiled policy: ``thrall`` plays uniformly at random, ``karl`` by the game's heuristics (if it has any).

    Args:
        game: the edition of the match.
        name: one of ``POLICIES``.
        seed: determines the bot's random choices, see ``check_seed``.

    A copy makes the same choices as the original, independently of it.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots import PolicyBot
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> view = match.view(match.actor)
        >>> PolicyBot(match.game, "karl", seed="mead").choose(view) in view.legal
        True
    """

    def __init__(self, game: Game, name: str, seed: Seed | None = None) -> None:
        self.name = name
        self._policy = POLICIES[name]
        self._game = game
        self._rng = np.array(step_key(check_seed(seed), 0), np.uint64)

    def __copy__(self) -> Self:
        return deepcopy(self)

    def __repr__(self) -> str:
        return f"<Bot {self.name} of {self._game.name}>"

    def choose(self, view: View) -> int:
        """Choose one of ``view.legal``."""
        legal = np.zeros(self._game.actions, np.int32)
        return int(loops(self._game).follow_one(self._policy, copied(view.states), legal, self._rng))
