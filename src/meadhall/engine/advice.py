"""Advice: what a game tells those who search it. A search needs none of it; with it, it is stronger or faster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from meadhall.engine.chance import below
from meadhall.engine.rule import rule
from meadhall.engine.schema import Row


@rule
def uniform_random(_state: Any, legal: Row, count: int, rng: Row) -> int:
    """The policy that takes any legal action."""
    return legal[below(rng, count)]


@rule
def equal_payoffs(state: Any, out: Any) -> None:
    """The evaluation that knows nothing: equal shares."""
    for seat in range(state.players):
        out[seat] = 1.0 / state.players


@rule
def never_solved(_state: Any, _out: Any) -> bool:
    """No position is settled before its end."""
    return False


@rule
def always_quiescent(_state: Any) -> bool:
    """Every position can be evaluated."""
    return True


@dataclass(frozen=True)
class Advice:
    """How to search a game.

    Attributes:
        rollout: the quick policy that plays positions on, a rule ``rollout(table, legal, count, rng) -> action`` on a complete
            table.
        depth: after how many decisions of the quick policy a position is evaluated instead.
        outlook: the same where not an action is sought but what a position is worth, for the chart of a match. An evaluation that
            tells good actions from bad ones may be far off: by default it is played to the end.
        evaluate: a rule ``evaluate(table, out)``: an estimate of every seat's share (0 to 1) in a position that is not over.
        quiet: a rule ``quiet(table) -> bool``: whether a position can be evaluated, or must be played on from first: until a
            fight is over, say, or a turn.
        settled: a rule ``settled(table, out) -> bool``: whether every seat's share is known for certain, and what it is.
        guide: the policy that chooses what a search tries next of what it has not tried yet, a rule like ``rollout``.
        exploration: the constant of UCB1: how much to try what has been tried little.
        widening: how many actions a node considers after so many visits: ``first * visits ** power`` (progressive widening).
        trust: by how many standard errors an action must look better than what the game's heuristics would do, to be preferred.
        habitual: whether to do what the heuristics would without a thought, ``habitual(table, draw) -> bool`` in plain Python
            with a NumPy generator: so that those who wait for each other don't do so for ever.
    """

    rollout: Any = uniform_random
    cutoff: int = 1 << 30
    value_cutoff: int = 1 << 30
    evaluate: Any = equal_payoffs
    quiescent: Any = always_quiescent
    solved_value: Any = never_solved
    guide: Any = uniform_random
    exploration: float = 0.7
    widening: tuple[float, float] = (1e9, 0.0)
    minimum_advantage: float = 1.0
    plays_default: Callable[[Any, np.random.Generator], bool] | None = None
