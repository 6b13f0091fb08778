"""Seat the people of an evening at tables, round by round, and give points for their places.

A round at tables of 2 to 7 should have as few pairs as possible that have met before. That is one round of the social golfer
problem (problem 10 of CSPLib). Dotú and Van Hentenryck (Scheduling Social Golfers Locally, 2005) solve it by a tabu search, which
swaps two people at a time, and so does this file. That equals meet is the idea of the Swiss system of chess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Groups = npt.NDArray[np.int64]

PATIENCE: Final = 200, 2
"""After so many swaps without gain for each person, the search for few pairs that meet again ends, and the search for equals.

The first ends at once if there is nothing left to gain. If 60 people must meet again, it takes about a second.
"""

TENURE: Final = (2, 8)
"""A person who has left a table doesn't come back for so many swaps: a random number from the first to below the second."""

TINY: Final = 1e-9
"""Costs that differ by less than this are equal."""

AGAIN: Final = 1e4
"""How much worse a pair is that meets again than the widest spread of points at one pair: more than all pairs of a round."""

BYE: Final = Fraction(1, 2)
"""The points of a bye: those of a person in the middle of a table. How a match against bots ends doesn't change them."""


@dataclass(frozen=True)
class Standing:
    """A person before a round.

    Attributes:
        id: any text that is different for each person.
        points: their points until now.
        byes: how often they have sat out.
    """

    id: str
    points: Fraction
    byes: int


def points_of(places: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return the points for a match, by person: the share of the opponents who are behind. A tie counts as half an opponent.

    So the first gets 1 and the last 0 at a table of any size, and the mean of a table is 1/2. A person alone gets as much.

    Args:
        places: each person's place, or anything that sorts like it: equal places are ties, and smaller ones are better.
    """
    if len(places) == 1:
        return dict.fromkeys(places, BYE)
    taken = Counter(places.values())
    behind = {place: sum(count for other, count in taken.items() if other > place) for place in taken}
    return {each: Fraction(2 * behind[place] + taken[place] - 1, 2 * (len(places) - 1)) for each, place in places.items()}


def table_sizes(people: int, counts: range, wished: int) -> list[int]:
    """Return the sizes of the tables, largest first: as equal as possible, and as near as possible to the size wished.

    As few people as possible are left without a table.

    Args:
        people: the number of people.
        counts: the possible numbers of players at a table, 2 or more.
        wished: the preferred number.
    """
    for seated in range(people, 0, -1):
        if fitting := [tables for tables in range(1, seated // counts.start + 1) if ceil(seated / tables) in counts]:
            tables = min(fitting, key=lambda count: abs(seated - wished * count) / count)
            return [seated // tables + (table < seated % tables) for table in range(tables)]
    return []


def seat_round(
    people: Iterable[Standing], met: Mapping[frozenset[str], int], counts: range, wished: int, seed: int
) -> list[list[str]]:
    """Seat a round. Return the ids of the people at each table, those with most points first; who sits out is alone at the end.

    In this order, as few people as possible sit out, none of them with more byes than a person with a table; pairs meet again as
    seldom as possible, where a pair counts as often as it has met; people at a table have similar points. The rest is a draw.

    Args:
        people: who takes part in this round.
        met: how often each pair has sat at the same table before; a pair that is missing has not.
        counts: the possible numbers of players at a table, 2 or more.
        wished: the preferred number.
        seed: chooses the draw. The same arguments give the same round.
    """
    draw = np.random.default_rng(seed)
    drawn = sorted(people, key=lambda each: each.id)
    draw.shuffle(drawn)
    ranked = sorted(drawn, key=lambda each: each.points, reverse=True)
    sizes = table_sizes(len(ranked), counts, wished)
    ranked.sort(key=lambda each: each.byes, reverse=True)  # those at the end sit out
    ranked[: sum(sizes)] = sorted(ranked[: sum(sizes)], key=lambda each: each.points, reverse=True)
    start = np.repeat(np.arange(len(sizes) + 1), [*sizes, len(ranked) - sum(sizes)])
    points = np.array([float(each.points) for each in ranked])
    points /= max(1e-9, np.ptp(points)) if len(points) else 1.0
    again = np.array([[met.get(frozenset((one.id, other.id)), 0) for other in ranked] for one in ranked], np.float64)
    byes = np.array([each.byes for each in ranked])
    seldom = _improved(start, again, 0 * points, byes, len(sizes), draw, PATIENCE[0])
    found = _improved(seldom, AGAIN * again + (points[:, None] - points) ** 2, points, byes, len(sizes), draw, PATIENCE[1])
    table_of = {each.id: int(table) for each, table in zip(ranked, found, strict=True)}
    *seated, without = [[each for each in drawn if table_of[each.id] == table] for table in range(len(sizes) + 1)]
    seated.sort(key=lambda table: sum((each.points for each in table), Fraction()) / len(table), reverse=True)
    return [[each.id for each in table] for table in (*seated, *([each] for each in without))]


def _improved(
    groups: Groups, cost: Floats, solo: Floats, byes: Groups, tables: int, draw: np.random.Generator, patience: int
) -> Groups:
    """Return the best groups that a tabu search over swaps of two people finds.

    Args:
        groups: int64 (people,): the table of each person; ``tables`` itself for those who sit out.
        cost: float64 (people, people): the cost of a pair at one table.
        solo: float64 (people,): the cost of a person who sits out.
        byes: int64 (people,): only people with the same number may swap a table for a bye.
        tables: the number of tables.
        draw: chooses among equal swaps, and how long they may not be undone.
        patience: after so many swaps without gain for each person the search ends.
    """
    everyone, unequal = np.arange(len(groups)), byes[:, None] != byes
    forbidden_until = np.zeros((len(groups), tables + 1), np.int64)
    best, at = groups, groups.copy()
    least = now = float((cost * ((at[:, None] == at) & (at < tables))).sum() / 2 + solo[at == tables].sum())
    swap = gained = 0
    while least > TINY and swap - gained < patience * len(at):
        swap += 1
        seated = 1.0 * (at < tables)
        to_each = cost @ np.eye(tables + 1)[at]  # (people, tables + 1): what a person costs at each table
        to_each[:, tables] = solo
        joins = to_each[:, at] - to_each[everyone, at][:, None]  # [i, j]: if i joins the table of j, who stays
        change = joins + joins.T - cost * (seated[:, None] + seated)
        waits = forbidden_until[:, at] > swap
        forbidden = (waits | waits.T) & (now + change >= least - TINY)
        change[forbidden | (at[:, None] == at) | (unequal & (seated[:, None] != seated))] = np.inf
        one, other = divmod(int(draw.choice(np.flatnonzero(change <= change.min() + TINY))), len(at))
        if change[one, other] == np.inf:
            continue
        forbidden_until[[one, other], at[[one, other]]] = swap + draw.integers(*TENURE, size=2)
        at[[one, other]] = at[[other, one]]
        now += float(change[one, other])
        if now < least - TINY:
            best, least, gained = at.copy(), now, swap
    return best
