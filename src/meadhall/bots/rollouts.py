"""Rollouts: estimate the value of a position by playing it on many times with the game's rollout policy."""

from __future__ import annotations

from dataclasses import replace

from meadhall.bots.search import Tree
from meadhall.bots.tree import ITERATIONS
from meadhall.engine.bulk import Floats
from meadhall.engine.game import Game
from meadhall.engine.schema import States


class Rollouts:
    """Plays a game's positions forward to ``Advice.value_cutoff`` and evaluates the results."""

    def __init__(self, game: Game) -> None:
        advice = game.advice
        self._root = Tree(replace(game, advice=replace(advice, cutoff=advice.value_cutoff)), nodes=1)  # only the root

    def payoffs(self, states: States, viewer: int, count: int, seed: int, first: int = 0) -> Floats:
        """Return the total payoffs of rollouts ``first`` to ``first + count - 1`` of this seed.

        Args:
            states: the position, concealed for ``viewer``. Each rollout starts from a new determinization.
            viewer: a seat, ``view.SPECTATOR``, or ``view.EVERYTHING``.
            count: the number of rollouts.
            seed: keys the chance of a rollout together with its number.
            first: the number of the first rollout.

        Returns:
            float64 (max_players,), the sums of the payoffs (0 to 1).
        """
        self._root.clear()
        self._root.control[ITERATIONS] = first
        self._root.grow(states, viewer, count, seed)
        return self._root.totals.copy()
