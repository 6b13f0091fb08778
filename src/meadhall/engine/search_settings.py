"""What a game tells a search: parameters, rules for playouts and values (``Advice``), and exact values (``Solution``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from meadhall.engine.compile.rule import rule
from meadhall.engine.state.chance import below
from meadhall.engine.state.schema import Row


@rule
def uniform_random(_state: Any, legal: Row, count: int, rng: Row) -> int:
    """Choose a legal action uniformly at random.

    Examples:
        >>> import numpy as np
        >>> import meadhall
        >>> from meadhall.sdk import uniform_random
        >>> match = meadhall.game("axes-and-allies").match(players=3, seed="mead")
        >>> legal, rng = np.array([0, 2, 6], np.int32), np.array([2024, 7 << 40], np.uint64)
        >>> int(uniform_random(match.state, legal, 3, rng)) in (0, 2, 6)
        True
    """
    return legal[below(rng, count)]


@rule
def equal_payoffs(state: Any, out: Any) -> None:
    """Evaluate every position as equal payoffs.

    Examples:
        >>> import numpy as np
        >>> import meadhall
        >>> from meadhall.sdk import equal_payoffs
        >>> match, payoffs = meadhall.game("axes-and-allies").match(players=4, seed="mead"), np.zeros(4)
        >>> equal_payoffs(match.state, payoffs)
        >>> payoffs
        array([0.25, 0.25, 0.25, 0.25])
    """
    for seat in range(state.players):
        out[seat] = 1.0 / state.players


@rule
def never_solved(_state: Any, _out: Any) -> bool:
    """Report that no position is solved before the end of the match.

    Examples:
        >>> import numpy as np
        >>> import meadhall
        >>> from meadhall.sdk import never_solved
        >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
        >>> never_solved(match.state, np.zeros(2))
        False
    """
    return False


@rule
def always_quiescent(_state: Any) -> bool:
    """Report that every position can be evaluated.

    Examples:
        >>> import meadhall
        >>> from meadhall.sdk import always_quiescent
        >>> always_quiescent(meadhall.game("axes-and-allies").match(players=2, seed="mead").state)
        True
    """
    return True


@dataclass(frozen=True)
class Advice:
    """How to search a game.

    Attributes:
        rollout: the rollout policy, a rule ``rollout(state, legal, count, rng) -> action``. It is given a complete state.
        cutoff: the number of rollout decisions after which the position is evaluated. By default rollouts go to the end.
        value_cutoff: the cutoff where the value of a position is wanted rather than an action, as in the chart of a match. An
            evaluation that ranks actions well may still be far from the true value, so by default rollouts go to the end.
        evaluate: a rule ``evaluate(state, out)`` that estimates every seat's payoff (0 to 1) in a position that is not over.
        quiescent: a rule ``quiescent(state) -> bool``: whether the position can be evaluated. If not, the rollout goes on, for
            example to the end of a fight or a turn.
        solved_value: a rule ``solved_value(state, out) -> bool``: whether every seat's payoff is known exactly. If so, ``out``
            holds the payoffs.
        guide: the policy that orders untried actions for expansion, a rule like ``rollout``.
        exploration: the exploration constant of UCB1.
        widening: ``(first, power)`` of progressive widening: a node considers ``first * visits ** power`` actions.
        minimum_advantage: the number of standard errors by which an action must look better than the default action (the choice
            of the game's heuristics) to replace it.
        plays_default: ``plays_default(state, generator) -> bool`` in plain Python with a NumPy generator: whether to play the
            default action without a search. It prevents a deadlock in which players wait for each other forever.
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


@dataclass(frozen=True)
class Solution:
    """The result of optimal play from a decision on.

    Attributes:
        payoffs: by legal action, every seat's expected payoff (0 to 1) under optimal play. Actions of unknown value are absent.
        policy: the probability of each action under optimal play; sums to 1.
        line: a principal variation, for example to a win; empty where there is none to show.
    """

    payoffs: Mapping[int, tuple[float, ...]]
    policy: Mapping[int, float]
    line: tuple[int, ...] = ()

    @property
    def value(self) -> tuple[float, ...]:
        """Return every seat's expected payoff before the decision."""
        payoffs = [tuple(weight * payoff for payoff in self.payoffs[action]) for action, weight in self.policy.items()]
        return tuple(map(sum, zip(*payoffs, strict=True)))


class Solver(Protocol):
    """A function that solves the decisions of a game it can solve quickly."""

    def __call__(self, view: Any) -> Solution | None:
        """Solve the decision of the seat to move, using only the information of a ``View``; None if it can't be solved."""
