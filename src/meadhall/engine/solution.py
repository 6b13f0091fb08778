"""Solution: what is known for certain of a decision, where a game can be solved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from meadhall.engine.view import View


@dataclass(frozen=True)
class Solution:
    """What best play comes to.

    Attributes:
        payoffs: every seat's expected share (0 to 1) after a legal action, best play following; of those that are known.
        policy: how often best play takes which action; sums to 1.
        line: the actions that follow from here where they can be shown, e.g. to a win.
    """

    payoffs: Mapping[int, tuple[float, ...]]
    policy: Mapping[int, float]
    line: tuple[int, ...] = ()

    @property
    def value(self) -> tuple[float, ...]:
        """Every seat's expected share before the decision."""
        payoffs = [tuple(often * payoff for payoff in self.payoffs[action]) for action, often in self.policy.items()]
        return tuple(map(sum, zip(*payoffs, strict=True)))


class Solver(Protocol):
    """Solves decisions of a game, as far as they can be solved at once."""

    def __call__(self, view: View) -> Solution | None:
        """The decision of the seat that is to decide, from what the viewer may know; None if it can't be solved."""
