"""Playouts: estimate the value of a position by playing it on many times with the game's rollout policy.

``evaluation`` says what a seat may expect from a position, with no other knowledge than its own.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from meadhall.bots.search import Tree, background
from meadhall.bots.tree import ITERATIONS
from meadhall.engine.compute.bulk import Floats
from meadhall.engine.game import Game
from meadhall.engine.match.view import View
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


FIRST = 8
"""The rollouts of the first batch, however long they take."""

NICENESS = 10
"""The nice value of the thread."""


def expected_payoffs(view: View, seconds: float = 1.0, *, rollouts: int = 0, whole_budget: bool = False) -> tuple[float, ...]:
    """Return the expected share of a win of every seat, 0 to 1, as far as the viewer can know it, see ``Game.shares``.

    The game's solver gives exact values where it knows the position. Everywhere else they are the mean of many rollouts, each
    from a new determinization for the viewer. Two positions that look the same to the viewer have the same expectation.

    Args:
        view: the position, concealed for its viewer.
        seconds: the time limit.
        rollouts: the number of rollouts instead of a time, which makes the result deterministic.
        whole_budget: play the rollouts also where the values are exact. Else the work would tell that they are.
    """
    solver = None if view.game.needs_shares(len(view.seats), view.options) else view.game.solver
    solution = solver(view) if solver is not None else None
    if solution is not None and not whole_budget:
        return solution.value
    estimated = background("evaluation", NICENESS).submit(_rolled_out, view, seconds, rollouts).result()
    return estimated if solution is None else solution.value


def _rolled_out(view: View, seconds: float, wanted: int) -> tuple[float, ...]:
    players, runs = len(view.seats), Rollouts(view.game, len(view.seats), view.options)
    until = time.monotonic() + seconds
    sums, done, batch = [0.0] * players, 0, wanted or FIRST
    while True:
        began = time.monotonic()
        payoffs = runs.shares(view.states, view.viewer, batch, view.next_number, done)
        sums = [total + float(payoff) for total, payoff in zip(sums, payoffs[:players], strict=True)]
        done += batch
        each = max(time.monotonic() - began, 1e-6) / batch
        left = until - time.monotonic()
        if wanted or left < each:
            return tuple(total / done for total in sums)
        batch = max(1, min(2 * batch, int(left / each)))
