"""Rollouts: estimate the value of a position by playing it on many times with the game's rollout policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from meadhall.bots.search import Tree
from meadhall.bots.tree import ITERATIONS
from meadhall.engine.compute.bulk import Floats
from meadhall.engine.game import Game
from meadhall.engine.state.schema import States


class Rollouts:
    """Plays positions of a game forward to ``Advice.value_cutoff`` and evaluates the results.

    Args:
        game: the edition of the match.
        players: the number of players.
        options: the options of the match.
    """

    def __init__(self, game: Game, players: int, options: Mapping[str, Any]) -> None:
        advice = game.advice
        self._root = Tree(replace(game, advice=replace(advice, cutoff=advice.value_cutoff)), nodes=1)  # only the root
        if game.needs_shares(players, options):
            self._root.count_shares(game.parties(players, options), game.payoffs_of(players, options))

    def shares(self, states: States, viewer: int, count: int, seed: int, first: int = 0) -> Floats:
        """Return the sums of each seat's shares of a win in rollouts ``first`` to ``first + count - 1`` of this seed.

        Args:
            states: the position, concealed for ``viewer``. Each rollout starts from a new determinization.
            viewer: a seat, ``view.SPECTATOR``, or ``view.EVERYTHING``.
            count: the number of rollouts.
            seed: keys the chance of a rollout together with its number.
            first: the number of the first rollout.

        Returns:
            float64 (max_players,), the sums of the shares (0 to 1), see ``Game.shares``.
        """
        self._root.clear()
        self._root.control[ITERATIONS] = first
        self._root.grow(states, viewer, count, seed)
        return self._root.totals.copy()
