"""Ratings: beliefs about the strengths of players, changed by the order in which they finish each match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, hypot
from typing import Final

BETA: Final = 25 / 6
"""The standard deviation of a player's luck in one match, on OpenSkill's scale."""


@dataclass(frozen=True)
class Belief:
    """A belief about a strength: a normal distribution on OpenSkill's scale.

    Attributes:
        mu: its mean.
        sigma: its standard deviation.
    """

    mu: float = 25.0
    sigma: float = 25 / 3


def after_match(beliefs: Sequence[Belief], scores: Sequence[float], drift: float = 0.0) -> list[Belief]:
    """Return the beliefs after a match.

    Weng, Lin: A Bayesian Approximation Method for Online Ranking (2011), with the model of Plackett and Luce.

    Args:
        beliefs: of each player before the match.
        scores: of each player in the match; more is better, and equal scores are ties.
        drift: how much strengths change between two matches, as the standard deviation that is added before.
    """
    from openskill.models import PlackettLuce  # noqa: PLC0415 - few commands rate players

    model = PlackettLuce(beta=BETA, tau=drift)
    rated = model.rate([[model.rating(each.mu, each.sigma)] for each in beliefs], scores=list(scores))
    return [Belief(rating.mu, rating.sigma) for (rating,) in rated]


def chance(one: Belief, other: Belief, players: float = 2.0, z: float = 0.0) -> float:
    """Return the chance that one player finishes before another, as OpenSkill's model of a match has it.

    Args:
        one: the belief about the first.
        other: the belief about the second.
        players: the number of players, also as a mean. The model expects that a strength decides less at a larger table.
        z: how many standard deviations are added to the difference of the strengths, for the ends of an interval.
    """
    spread = hypot(one.sigma, other.sigma)
    scale = (players / 2) ** 0.5 * hypot(spread, 2**0.5 * BETA)
    return 1 / (1 + exp(-(one.mu - other.mu + z * spread) / scale))
