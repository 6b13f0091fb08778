"""What many matches come to without luck, and how sure that is.

What luck is on average is known: nothing. So it serves as a control variate, and how much it counts is fitted to the matches:
Lavenberg, Welch: A Perspective on the Use of Control Variables to Increase the Efficiency of Monte Carlo Simulations (1981).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from meadhall.engine.bulk import Floats

LEAST = 20
"""Matches from which on it can be told how much luck counts …"""
LEAST_WON = 5
"""… and how many of them must have been won, and lost: what always ends alike has no spread that an interval could be made of."""
NOTHING = 1e-12
"""A spread that comes of rounding."""


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
    def of(cls, won: Floats, lucky: Floats, parties: npt.NDArray[np.int64], fair: float, z: float) -> Self | None:
        """What a bot won in these matches without luck; None of too few, or if it has won or lost nearly all.

        Args:
            won: float64 (matches,): what its seats or sides won together, 0 to 1.
            lucky: float64 (matches,): how much of that was luck.
            parties: int64 (matches,): how many seats or sides it had.
            fair: what each of them would win if all were equally good.
            z: how many standard deviations of a normal distribution the interval has to either side.
        """
        if len(won) < LEAST or min(won.sum(), (1 - won).sum()) < LEAST_WON:
            return None
        gain = without_luck(won - fair * parties, lucky)
        each = float(parties.mean())
        share, half = fair + gain.mean / each, student(z, gain.freedom) * gain.error / each
        low, high = max(0.0, share - half), min(1 / each, share + half)
        return cls(min(max(share, low), high), low, high, gain.explained)


class Gain(NamedTuple):
    """What was gained without luck: the mean, its standard error and degrees of freedom, what part of the variance luck was."""

    mean: float
    error: float
    freedom: int
    explained: float


def without_luck(gained: Floats, lucky: Floats) -> Gain:
    """The regression of gains on luck, where there is none. Both float64 (matches,), of three matches at least."""
    matches = len(gained)
    spread = lucky - lucky.mean()
    squares, variance = float(spread @ spread), float(gained.var())
    slope, leverage = (float(spread @ gained) / squares, lucky.mean() ** 2 / squares) if squares > NOTHING else (0.0, 0.0)
    rest = gained - slope * lucky
    error = (rest.var() * matches / (matches - 2) * (1 / matches + leverage)) ** 0.5
    explained = max(0.0, 1 - float(rest.var()) / variance) if variance > NOTHING else 0.0
    return Gain(float(rest.mean()), float(error), matches - 2, explained)


def student(z: float, freedom: int) -> float:
    """What ``z`` standard deviations of a normal distribution are where they are estimated with so many degrees of freedom.

    Abramowitz, Stegun: Handbook of Mathematical Functions (1964), 26.7.5, to the second order.
    """
    return z * (1 + (z**2 + 1) / (4 * freedom) + (5 * z**4 + 16 * z**2 + 3) / (96 * freedom**2))
