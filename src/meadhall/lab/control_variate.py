"""Estimate win rates with luck as a control variate.

The expected luck of every seat is known to be 0, so luck can serve as a control variate. Its coefficient is
fitted to the matches.

Lavenberg, Welch: A Perspective on the Use of Control Variables to Increase the Efficiency of Monte Carlo Simulations (1981).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from meadhall.engine.compute.bulk import Floats

MIN_MATCHES = 20
"""The smallest number of matches for the regression."""
MIN_WINS = 5
"""The smallest number of wins, and of losses: without both there is no variance to base an interval on."""
NEGLIGIBLE = 1e-12
"""A variance below this is due to rounding alone."""


@dataclass(frozen=True)
class Adjusted:
    """A win rate corrected for luck.

    Attributes:
        share: the bot's mean payoff per seat or side, corrected for luck, 0 to 1.
        low: the lower end of its interval, by default of 95 %.
        high: its upper end.
        explained: the part of the variance of its payoff that luck explains, 0 to 1.
    """

    share: float
    low: float
    high: float
    explained: float

    @classmethod
    def of(cls, won: Floats, lucky: Floats, parties: npt.NDArray[np.int64], fair: float, z: float) -> Self | None:
        """Return a bot's win rate corrected for luck; None if there are too few matches, wins or losses.

        Args:
            won: float64 (matches,): the total payoff of its seats or sides, 0 to 1.
            lucky: float64 (matches,): their total luck.
            parties: int64 (matches,): the number of its seats or sides.
            fair: the payoff of each seat or side if all bots were equally strong.
            z: the normal quantile of the interval.
        """
        if len(won) < MIN_MATCHES or min(won.sum(), (1 - won).sum()) < MIN_WINS:
            return None
        gain = regress_on_luck(won - fair * parties, lucky)
        each = float(parties.mean())
        share, half = fair + gain.mean / each, student_quantile(z, gain.freedom) * gain.error / each
        low, high = max(0.0, share - half), min(1 / each, share + half)
        return cls(min(max(share, low), high), low, high, gain.explained)


class Gain(NamedTuple):
    """The mean gain at zero luck."""

    mean: float
    error: float  # its standard error
    freedom: int  # its degrees of freedom
    explained: float  # the part of the variance that luck explains, 0 to 1


def regress_on_luck(gained: Floats, lucky: Floats) -> Gain:
    """Regress gains on luck and return the intercept: the mean gain at zero luck.

    Args:
        gained: float64 (matches,): the payoff less the fair payoff; at least three matches.
        lucky: float64 (matches,): the luck.
    """
    matches = len(gained)
    spread = lucky - lucky.mean()
    squares, variance = float(spread @ spread), float(gained.var())
    slope, leverage = (float(spread @ gained) / squares, lucky.mean() ** 2 / squares) if squares > NEGLIGIBLE else (0.0, 0.0)
    rest = gained - slope * lucky
    error = (rest.var() * matches / (matches - 2) * (1 / matches + leverage)) ** 0.5
    explained = max(0.0, 1 - float(rest.var()) / variance) if variance > NEGLIGIBLE else 0.0
    return Gain(float(rest.mean()), float(error), matches - 2, explained)


def student_quantile(z: float, freedom: int) -> float:
    """Return the quantile of Student's t distribution that corresponds to the normal quantile ``z``.

    Abramowitz, Stegun: Handbook of Mathematical Functions (1964), 26.7.5, to the second order.
    """
    return z * (1 + (z**2 + 1) / (4 * freedom) + (5 * z**4 + 16 * z**2 + 3) / (96 * freedom**2))
