"""Ratings: estimate the strength of bots from their matches against each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meadhall.engine.compute.bulk import Floats
from meadhall.engine.statistics import Z_95


@dataclass(frozen=True)
class Rating:
    """A rating on OpenSkill's scale, where every bot starts at 25.

    Attributes:
        mu: the mean of the belief about the strength.
        sigma: its standard deviation.
        low: the lower end of the interval of mu, by default of 95 %.
        high: its upper end.
    """

    mu: float
    sigma: float
    low: float
    high: float


def ratings(shares: Floats, z: float = Z_95) -> tuple[Rating, ...]:
    """Return every bot's rating after these matches, in order.

    Weng, Lin: A Bayesian Approximation Method for Online Ranking (2011), with the model of Plackett and Luce. A match ranks its
    bots by payoff; equal payoffs are ties. Bots don't learn, so sigma gets no drift (tau = 0).

    Args:
        shares: float64 (matches, bots): each bot's payoff; NaN where it didn't play.
        z: the normal quantile of the interval.
    """
    from openskill.models import PlackettLuce  # noqa: PLC0415 - only a tournament needs it

    model = PlackettLuce(tau=0.0)
    rated = [model.rating() for _ in range(shares.shape[1])]
    for match in shares.round(9):
        there = np.flatnonzero(~np.isnan(match)).tolist()
        if len(there) > 1:
            after = model.rate([[rated[k]] for k in there], scores=match[there].tolist())
            for k, (rating,) in zip(there, after, strict=True):
                rated[k] = rating
    return tuple(Rating(each.mu, each.sigma, each.mu - z * each.sigma, each.mu + z * each.sigma) for each in rated)
