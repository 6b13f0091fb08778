"""Luck: how much of what everybody won came of dice, draws and the deal, and what they won without it.

Whenever something falls by chance, a seat's luck is what the position is worth then, less what it was worth on average over all
that could have fallen. On average that is nothing, however badly positions are judged; so what is won without it is the same on
average, and varies less where they are judged well. This is AIVAT without its terms for players whose policies are known: Burch
et al.: AIVAT, A New Variance Reduction Technique for Agent Evaluation in Imperfect Information Games (2018). How much luck counts
is fitted, as for any control variate: Lavenberg, Welch: A Perspective on the Use of Control Variables to Increase the Efficiency
of Monte Carlo Simulations (1981).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from meadhall.bots.continuations import Continuations
from meadhall.engine.events import NO_LOG_SHAPE
from meadhall.engine.kernels import Floats, loops
from meadhall.engine.match import EVERYTHING, SPECTATOR, Match, concealed
from meadhall.engine.schema import Tables, copied

CONTINUATIONS = 256
"""How many continuations of a position tell what it is worth."""
LEAST = 20
"""Matches from which on it can be told how much luck counts."""


def luck(match: Match, seed: int) -> tuple[float, ...]:
    """Each seat's luck in a match that is over, in shares of the win.

    As long as nobody has known more than everybody, positions are weighed by what everybody knew, and what comes to light is
    chance. From then on they are weighed by all that is there: what a deck holds was luck when it was shuffled. A deal is
    compared with equal chances: who sits everywhere has as much of them as anybody.

    Args:
        match: of a game in which not all win or lose together.
        seed: keys what might have been.
    """
    scales = _Scales(match, seed)
    positions = [*(step.before for step in match.steps), match.tables]
    viewer = scales.viewer_of(positions[0], SPECTATOR)
    total = scales.worth(positions[0], viewer) - 1 / len(match.game.parties(match.players, match.options))
    for step, after in zip(match.steps, positions[1:], strict=True):
        viewer = scales.viewer_of(step.before, viewer)
        if (step.before["reveals"] != after["reveals"]).any():
            total += scales.worth(after, viewer) - scales.worth_on_average(step.before, viewer, step.action)
    return tuple(total[: match.players].tolist())


class _Scales:
    """Weighs positions of a match, and what might have become of them."""

    def __init__(self, match: Match, seed: int) -> None:
        self._match = match
        self._loops = loops(match.game)
        self._continuations = Continuations(match.game)
        self._draw = np.random.default_rng(seed)
        self._silent = np.zeros(NO_LOG_SHAPE, np.int32)

    def viewer_of(self, position: Tables, before: int) -> int:
        """Who weighs a position: as ``before``, until a seat knows more than spectators do."""
        if before == EVERYTHING:
            return EVERYTHING
        seen = concealed(self._match.game, position, SPECTATOR).tobytes()
        seats = range(self._match.players)
        open_ = all(concealed(self._match.game, position, seat).tobytes() == seen for seat in seats)
        return SPECTATOR if open_ else EVERYTHING

    def worth(self, position: Tables, viewer: int) -> Floats:
        """What a position is worth to each seat as the viewer knows it, float64 (max_players,)."""
        known = concealed(self._match.game, position, viewer)
        return self._continuations.shares(known, viewer, CONTINUATIONS, self._seed()) / CONTINUATIONS

    def worth_on_average(self, before: Tables, viewer: int, action: int) -> Floats:
        """The same of what becomes of a position by an action, over all that can fall or come to light."""
        known, seed = concealed(self._match.game, before, viewer), self._seed()
        total = np.zeros(self._match.game.max_players, np.float64)
        for number in range(CONTINUATIONS):
            supposed = copied(known)
            supposed["rng"] = self._draw.integers(1 << 64, size=2, dtype=np.uint64)
            if viewer == SPECTATOR:
                self._loops.redeal_one(supposed, viewer)
            self._loops.play_one(supposed, action, self._silent)
            total += self._continuations.shares(supposed, EVERYTHING, 1, seed, number)
        return total / CONTINUATIONS

    def _seed(self) -> int:
        return int(self._draw.integers(1 << 63))


@dataclass(frozen=True)
class Adjusted:
    """What is won without luck.

    Attributes:
        share: what a bot won with each of its seats or sides on average, 0 to 1.
        low, high: its interval, by default of 95 %.
        explained: how much of the variance of what it won was luck, 0 to 1.
    """

    share: float
    low: float
    high: float
    explained: float

    @classmethod
    def of(cls, won: Floats, lucky: Floats, z: float) -> Self | None:
        """The mean of what was won, and its interval of ``z`` standard errors; None of too few matches.

        Args:
            won: float64 (matches,).
            lucky: float64 (matches,), how much of it was luck; what it is on average is known to be nothing.
        """
        matches = len(won)
        if matches < LEAST:
            return None
        spread = lucky - lucky.mean()
        squares = float(spread @ spread)
        counts = float(spread @ won) / squares if squares > 0 else 0.0
        without = won - counts * lucky
        share, variance = float(without.mean()), float(without.var())
        error = (
            variance * matches / (matches - 2) * (1 / matches + (lucky.mean() ** 2 / squares if squares > 0 else 0.0))
        ) ** 0.5
        half = student(z, matches - 2) * error
        return cls(share, share - half, share + half, 1 - variance / float(won.var()) if won.var() > 0 else 0.0)


def student(z: float, freedom: int) -> float:
    """What ``z`` standard deviations of a normal distribution are where they are estimated with so many degrees of freedom.

    Abramowitz, Stegun: Handbook of Mathematical Functions (1964), 26.7.5, to the second order.
    """
    return z * (1 + (z**2 + 1) / (4 * freedom) + (5 * z**4 + 16 * z**2 + 3) / (96 * freedom**2))
