"""Ratings: how strong bots are by the matches they played against each other, on a scale of one number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meadhall.engine.bulk import Floats
from meadhall.engine.statistics import Z_95


@dataclass(frozen=True)
class Rating:
    """A rating of openskill's scale, on which everybody begins at 25.

    Attributes:
        mu, sigma: what is believed of the strength, as a normal distribution.
        low, high: the interval of mu, by default of 95 %.
    """

    mu: float
    sigma: float
    low: float
    high: float


def ratings(shares: Floats, z: float = Z_95) -> tuple[Rating, ...]:
    """Everybody's rating after these matches, one after the other.

    Weng, Lin: A Bayesian Approximation Method for Online Ranking (2011), for the model of Plackett and Luce. A match ranks those
    who took part in it by their shares; the same share is the same rank. Bots don't learn: nothing is added to sigma (tau = 0).

    Args:
        shares: float64 (matches, bots), what each won; not a number where it took no part.
        z: how many sigmas the interval has to either side.
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
