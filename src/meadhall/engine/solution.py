"""Solution: the exact value of a decision, for games that are partly solved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


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
