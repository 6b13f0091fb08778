"""Looks: when a tournament is looked at before its end, and when it need not go on.

Who looks often enough sees something sure that isn't so. Therefore a tournament is looked at a few times only, each time when
half as many games again have been played, and the intervals at each of n looks are those of 1 - 5 % / n (Bonferroni): so all of
them hold together with 95 %.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import NormalDist

import numpy as np

from meadhall.engine.statistics import Rate
from meadhall.lab.adjusted import LEAST, student, without_luck
from meadhall.lab.standings import Meetings

FIRST = 50
"""Games before the first look, at least."""
GROWTH = 1.5
"""How many times as many games there are at the next look, at least."""
ERROR = 0.05
"""How often at most any look shows an interval in which the truth is not."""


def looks(games: int, round_: int) -> tuple[int, ...]:
    """After which numbers of games to look: after whole rounds, at last after all."""
    found = []
    wanted = float(FIRST)
    while wanted < games:
        found.append(-(-int(wanted) // round_) * round_)
        wanted = GROWTH * found[-1]
    return (*(number for number in found if number < games), games)


def width(count: int) -> float:
    """How many standard deviations the intervals have to either side, at each of so many looks."""
    return NormalDist().inv_cdf(1 - ERROR / 2 / count)


def all_sure(meetings: Meetings) -> bool:
    """Whether each bot is surely better than the one named before it."""
    return all(is_better(meetings, one, other) for other, one in pairwise(range(meetings.bots)))


def is_better(meetings: Meetings, one: int, other: int) -> bool:
    """Whether one bot surely wins more than another: without luck, where that was measured; else of the meetings that either won,
    as the others say nothing.
    """
    if meetings.luck is not None:
        lead, lucky = (np.subtract(*each[:, [one, other]].T) for each in (meetings.mean_shares, meetings.means(meetings.luck)))
        there = ~np.isnan(lead)
        if np.count_nonzero(there) < LEAST:
            return False
        gain = without_luck(lead[there], lucky[there])
        return gain.mean > student(meetings.z, gain.freedom) * gain.error
    shares = meetings.mean_shares[:, [one, other]]
    shares = shares[shares.sum(axis=1) > 0]
    return Rate.of((np.sign(shares[:, 0] - shares[:, 1]) + 1) / 2, meetings.z).low > 1 / 2
