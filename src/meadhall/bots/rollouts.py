"""Rollouts: what a position is worth, as the mean of many in which the game's quick policy plays it on."""

from __future__ import annotations

from dataclasses import replace

from meadhall.bots.search import Tree
from meadhall.bots.tree import ITERATIONS
from meadhall.engine.bulk import Floats
from meadhall.engine.game import Game
from meadhall.engine.schema import States


class Rollouts:
    """Plays positions of one game on, as far as ``Advice.outlook`` says, and judges what they have come to."""

    def __init__(self, game: Game) -> None:
        advice = game.advice
        self._root = Tree(replace(game, advice=replace(advice, cutoff=advice.value_cutoff)), nodes=1)  # nothing grows from it

    def payoffs(self, states: States, viewer: int, count: int, seed: int, first: int = 0) -> Floats:
        """What rollouts ``first`` to ``first + count - 1`` of those with this seed bring each seat in all.

        Args:
            tables: the position, concealed for ``viewer``; what is hidden from it is dealt anew in each continuation.
            viewer: a seat, ``match.SPECTATOR``, or ``match.EVERYTHING``.

        Returns:
            float64 (max_players,), the sums of the shares (0 to 1).
        """
        self._root.clear()
        self._root.control[ITERATIONS] = first
        self._root.grow(states, viewer, count, seed)
        return self._root.totals.copy()
