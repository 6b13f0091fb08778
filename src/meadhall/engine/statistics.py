"""Statistics: what a simulation counts of a game besides who wins, and how often and how far apart something is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row

Counts = npt.NDArray[np.int64]
"""What was counted: (counters,) of a game, (games, counters) of many."""

Z_95 = 1.959963984540054
"""How many standard deviations of a normal distribution to either side hold 95 % of it."""


@rule
def count_nothing(_log: Grid, _counts: Row) -> None:
    """The tally of a game that counts nothing."""


@dataclass(frozen=True)
class Statistics:
    """What a game counts.

    Attributes:
        counters: how many numbers are kept of a game.
        tally: a rule ``tally(log, counts)`` that counts what happened in one step (or in the setup). The log is complete.
        fields: what the report of many games says, JSON-able, of their counts and the number of players.
        rows: the same for people: a heading and what is said of it, row by row.
    """

    counters: int
    tally: Any
    fields: Callable[[Counts, int], dict[str, Any]]
    rows: Callable[[dict[str, Any]], Iterable[tuple[str, str]]]


NOTHING = Statistics(0, count_nothing, lambda _counts, _players: {}, lambda _fields: ())
"""Of a game that counts nothing."""


def wilson(share: float, games: int, z: float = Z_95) -> tuple[float, float]:
    """The interval, by default of 95 %, for the rate behind ``share`` wins in ``games`` (Wilson, 1927): sound near 0 and 1."""
    if games == 0:
        return 0.0, 1.0
    rate, spread = share / games, z * z / games
    middle = (rate + spread / 2) / (1 + spread)
    half = z * ((rate * (1 - rate) + spread / 4) / games) ** 0.5 / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Rate:
    """How often somebody wins.

    Attributes:
        games: in how many games they had a seat; one who has two seats in a game counts twice.
        share: the wins; k winners of one game have 1/k each.
        rate: share / games.
        low, high: its interval, by default of 95 %.
    """

    games: int
    share: float
    rate: float
    low: float
    high: float

    @classmethod
    def of(cls, shares: npt.NDArray[np.float64], z: float = Z_95, independent: int | None = None) -> Self:
        """The rate in games that ended with these shares.

        ``independent``: how many of them say something of their own, where seats win together; by default each.
        """
        games, share = len(shares), float(shares.sum())
        rate, count = share / games if games else 0.0, games if independent is None else independent
        return cls(games, share, rate, *wilson(rate * count, count, z))


@dataclass(frozen=True)
class Spread:
    """How large something is, and how far apart."""

    mean: float
    sd: float
    min: int
    median: float
    max: int

    @classmethod
    def of(cls, values: npt.NDArray[np.int64]) -> Self:
        """Of these numbers, at least one."""
        return cls(float(values.mean()), float(values.std()), int(values.min()), float(np.median(values)), int(values.max()))
