"""Sequential test: when to check the standings of a tournament, and when it may end early.

Checking often enough will show a false difference sooner or later. So there are only a few check points, each after 1.5 times as
many games as the one before, and with n check points each interval has the level 1 - 5 % / n (Bonferroni). All intervals together
then hold with a probability of 95 %.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import NormalDist

import numpy as np

from meadhall.engine.statistics import Rate
from meadhall.lab.control_variate import MIN_MATCHES, regress_on_luck, student_quantile
from meadhall.lab.standings import Meetings

FIRST = 50
"""The smallest number of games before the first check point."""
GROWTH = 1.5
"""The smallest factor from one check point to the next."""
ERROR = 0.05
"""Family-wise error rate of the sequential test."""


def check_points(games: int, round_: int) -> tuple[int, ...]:
    """Return the numbers of games after which to check: whole rounds, the last one after all games."""
    found = []
    wanted = float(FIRST)
    while wanted < games:
        found.append(-(-int(wanted) // round_) * round_)
        wanted = GROWTH * found[-1]
    return (*(number for number in found if number < games), games)


def width(count: int) -> float:
    """Return the normal quantile of the intervals at each of ``count`` check points."""
    return NormalDist().inv_cdf(1 - ERROR / 2 / count)


def all_sure(meetings: Meetings) -> bool:
    """Return whether each bot is significantly better than the one before it."""
    return all(is_better(meetings, one, other) for other, one in pairwise(range(meetings.bots)))


def is_better(meetings: Meetings, one: int, other: int) -> bool:
    """Return whether one bot wins significantly more than another.

    If luck was measured, the comparison is corrected for it. Otherwise it uses only the meetings that one of the two won.
    """
    if meetings.luck is not None:
        lead, lucky = (np.subtract(*each[:, [one, other]].T) for each in (meetings.mean_shares, meetings.means(meetings.luck)))
        there = ~np.isnan(lead)
        if np.count_nonzero(there) < MIN_MATCHES:
            return False
        gain = regress_on_luck(lead[there], lucky[there])
        return gain.mean > student_quantile(meetings.z, gain.freedom) * gain.error
    shares = meetings.mean_shares[:, [one, other]]
    shares = shares[shares.sum(axis=1) > 0]
    return Rate.of((np.sign(shares[:, 0] - shares[:, 1]) + 1) / 2, meetings.z).low > 1 / 2
