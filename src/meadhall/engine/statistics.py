"""Statistics: the counters of a game in simulations, and rates and spreads with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from meadhall.engine.compile.rule import rule
from meadhall.engine.state.events import event_count, kind_at
from meadhall.engine.state.schema import Grid, Row
from meadhall.engine.text.language import decimal, gettext as _, percent

Counts = npt.NDArray[np.int64]
"""Counters: shape (counters,) for one game, (games, counters) for many."""

Totals = dict[str, npt.NDArray[np.int64]]
"""Integers that are summed over games, by name: sums, and histograms. They don't grow with the number of games."""

Z_95 = 1.959963984540054
"""The two-sided 95 % quantile of the standard normal distribution."""


@rule
def count_nothing(_log: Grid, _counts: Row) -> None:
    """Count nothing: the tally of a game without counters."""


@dataclass(frozen=True)
class Statistics:
    """The counters of a game.

    Attributes:
        counters: the number of counters of one game.
        tally: a rule ``tally(log, counts)`` that counts the events of one step, or of the setup. The log is complete.
        gather: ``gather(counts, players)`` returns what many games add to the totals. Only the totals are kept in a run, so that
            it can be of any length; ``histogram`` keeps a distribution.
        fields: ``fields(totals, players, options)`` returns JSON-able figures for the report of many games.
        rows: ``rows(fields)`` returns the same figures as text: pairs of a heading and a value.
    """

    counters: int
    tally: Any
    gather: Callable[[Counts, int], Totals]
    fields: Callable[[Totals, int, Mapping[str, Any]], dict[str, Any]]
    rows: Callable[[dict[str, Any]], Iterable[tuple[str, str]]]


NOTHING = Statistics(0, count_nothing, lambda _counts, _players: {}, lambda _totals, _players, _options: {}, lambda _fields: ())
"""The statistics of a game without counters."""


@rule
def count_kinds(log: Grid, counts: Row) -> None:
    """Count the events of a log by kind, as far as there are counters."""
    for row in range(1, event_count(log) + 1):
        kind = kind_at(log, row)
        if kind < len(counts):
            counts[kind] += 1


@dataclass(frozen=True)
class EventFigure:
    """A figure of simulations: how often something happens in a match, or in which share of something else.

    Attributes:
        name: its name in reports.
        text: its name for people; a message for gettext.
        event: the kind of event that is counted.
        per: the kinds of which it is a share; empty: it is counted by match.
        also: another kind that is counted, too; -1 if there is none.
    """

    name: str
    text: str
    event: int
    per: tuple[int, ...] = ()
    also: int = -1


def event_statistics(*figures: EventFigure) -> Statistics:
    """Return the statistics of a game whose figures are counts of its events.

    Examples:
        >>> from meadhall.engine.statistics import EventFigure, event_statistics
        >>> found = event_statistics(EventFigure("hits", "hits", 2), EventFigure("hit_rate", "throws that hit", 2, per=(1,)))
        >>> figures = found.fields({"games": [10], "events": [0, 40, 30]}, 2, {})
        >>> figures, list(found.rows(figures))
        ({'hits': 3.0, 'hit_rate': 0.75}, [('hits', '3.00 per match'), ('throws that hit', '75.0 %')])
    """

    def gather(counts: Counts, _players: int) -> Totals:
        return {"games": np.array([len(counts)]), "events": counts.sum(axis=0)}

    def fields(totals: Totals, _players: int, _options: Mapping[str, Any]) -> dict[str, Any]:
        games, events = int(totals["games"][0]), totals["events"]
        bases = {figure.name: int(sum(events[kind] for kind in figure.per)) if figure.per else games for figure in figures}
        found = {each.name: int(events[each.event]) + (int(events[each.also]) if each.also >= 0 else 0) for each in figures}
        return {name: found[name] / bases[name] if bases[name] else None for name in found}

    def rows(fields: dict[str, Any]) -> Iterable[tuple[str, str]]:
        for figure in figures:
            value = fields[figure.name]
            if value is not None:
                told = percent(value) if figure.per else _("{count} per match").format(count=decimal(value, 2))
                yield _(figure.text), told

    kinds = 1 + max(kind for figure in figures for kind in (figure.event, figure.also, *figure.per))
    return Statistics(kinds, count_kinds, gather, fields, rows)


def added(totals: Totals, more: Totals) -> Totals:
    """Return the sum of two totals. Where a histogram is shorter than the other, its missing entries are zero."""
    return {**totals, **{name: _sum(totals[name], values) if name in totals else values for name, values in more.items()}}


def _sum(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    if one.shape == other.shape:
        return one + other
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    found = longer.copy()
    found[: len(shorter)] += shorter
    return found


def histogram(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return how often each value from 0 to the largest occurs, int64 (largest + 1,). No value may be negative.

    Examples:
        >>> import numpy as np
        >>> from meadhall.sdk import histogram
        >>> histogram(np.array([0, 2, 2]))
        array([1, 0, 2])
    """
    return np.bincount(values).astype(np.int64, copy=False)


def wilson(share: float, games: int, z: float = Z_95) -> tuple[float, float]:
    """Return the score interval for the rate behind ``share`` wins in ``games``, by default of 95 % (Wilson, 1927).

    Unlike the normal interval it is reliable near 0 and 1. It begins at exactly 0 without wins, and ends at exactly 1 without
    losses.
    """
    if games == 0:
        return 0.0, 1.0
    rate, spread = share / games, z * z / games
    middle = (rate + spread / 2) / (1 + spread)
    half = z * ((rate * (1 - rate) + spread / 4) / games) ** 0.5 / (1 + spread)
    return max(0.0, middle - half) if rate > 0 else 0.0, min(1.0, middle + half) if rate < 1 else 1.0


@dataclass(frozen=True)
class Rate:
    """The win rate of a bot or a seat.

    Attributes:
        games: the number of seats it had in all games: two seats in one game count twice.
        share: the sum of its payoffs; k winners of one game get 1/k each.
        rate: share / games.
        low: the lower end of the interval of the rate, by default of 95 %.
        high: its upper end.

    Examples:
        >>> import numpy as np
        >>> from meadhall.lab import Rate
        >>> Rate.of_sum(games=100, share=50.0).rate
        0.5
        >>> round(Rate.of(np.array([1.0, 0.0, 1.0, 1.0])).low, 2)
        0.3
    """

    games: int
    share: float
    rate: float
    low: float
    high: float

    @classmethod
    def of(cls, shares: npt.NDArray[np.float64], z: float = Z_95, independent: int | None = None) -> Self:
        """Return the rate for these payoffs, float64 (games,). See ``of_sum``."""
        return cls.of_sum(len(shares), float(shares.sum()), z, independent)

    @classmethod
    def of_sum(cls, games: int, share: float, z: float = Z_95, independent: int | None = None) -> Self:
        """Return the rate for a number of payoffs and their sum.

        Args:
            games: the number of payoffs.
            share: their sum.
            z: the normal quantile of the interval.
            independent: the number of independent results among them, where seats win together; by default all.
        """
        rate, count = share / games if games else 0.0, games if independent is None else independent
        return cls(games, share, rate, *wilson(rate * count, count, z))


@dataclass(frozen=True)
class Mean:
    """The mean payoff of a bot, in points.

    Attributes:
        games: the number of games.
        mean: its mean payoff per seat.
        sd: the standard deviation of its mean payoff in a game.
        low: the lower end of the normal interval of the mean, by default of 95 %.
        high: its upper end.
    """

    games: int
    mean: float
    sd: float
    low: float
    high: float

    @classmethod
    def of_sums(cls, games: int, total: float, squares: float, z: float = Z_95) -> Self:
        """Return the mean of a number of payoffs from their sum and the sum of their squares.

        Examples:
            >>> Mean.of_sums(4, 8.0, 20.0).mean
            2.0
        """
        if games == 0:
            return cls(0, 0.0, 0.0, 0.0, 0.0)
        mean = total / games
        sd = (max(squares - games * mean * mean, 0.0) / max(games - 1, 1)) ** 0.5
        half = z * sd / games**0.5
        return cls(games, mean, sd, mean - half, mean + half)


@dataclass(frozen=True)
class Spread:
    """Location and spread of a sample.

    Examples:
        >>> import numpy as np
        >>> from meadhall.lab import Spread
        >>> Spread.of(np.array([1, 2, 3, 10])).median
        2.5
        >>> Spread.of_histogram(np.array([0, 2, 1])).max
        2
    """

    mean: float
    sd: float
    min: int
    median: float
    max: int

    @classmethod
    def of(cls, values: npt.NDArray[np.int64]) -> Self:
        """Return the spread of a sample; no value may be negative."""
        return cls.of_histogram(histogram(values))

    @classmethod
    def of_histogram(cls, times: npt.NDArray[np.int64]) -> Self:
        """Return the spread of a sample, zeros for an empty one. ``times[v]`` is how often v occurs."""
        found = np.flatnonzero(times)
        count = int(times.sum())
        if not count:
            return cls(0.0, 0.0, 0, 0.0, 0)
        mean = int(found @ times[found]) / count
        variance = float((found - mean) ** 2 @ times[found]) / count
        before = times.cumsum()
        low, high = (int(np.searchsorted(before, place, side="right")) for place in ((count - 1) // 2, count // 2))
        return cls(mean, variance**0.5, int(found[0]), (low + high) / 2, int(found[-1]))
