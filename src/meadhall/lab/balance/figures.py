"""Figures: what each match adds to them, their intervals, and which of them are flagged.

Every figure is a ratio of two sums over matches: wins by seats, waits by turns, purchases by offers. A column holds both for each
match, so any figure has an interval, and the difference of two variants on the same deals has one by pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan
from statistics import NormalDist, median
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from meadhall.engine.compute.bulk import Floats
from meadhall.engine.statistics import Z_95, wilson
from meadhall.lab.balance.definitions import DEFINITIONS, Definition


@dataclass(frozen=True)
class Column:
    """A figure's numerators and denominators by match, float64 (matches,) each.

    ``spread``: whether the median of the numerators is a figure, too. ``most``: the largest value that the figure can have.
    """

    sums: Floats
    counts: Floats
    spread: bool = False
    most: float | None = None

    @property
    def value(self) -> float:
        """Return the figure; NaN if nothing was counted."""
        total = float(self.counts.sum())
        return float(self.sums.sum()) / total if total else float("nan")

    @property
    def residuals(self) -> Floats:
        """Return what each match adds to the error of the figure, by linearization of the ratio."""
        total = float(self.counts.sum())
        if not total:
            return np.zeros(len(self.sums))
        found: Floats = (self.sums - self.value * self.counts) * (len(self.sums) / total)
        return found

    @property
    def error(self) -> float:
        """Return the standard error of the figure."""
        return standard_error(self.residuals)

    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval: Wilson's if every match has nothing or the most, otherwise the normal one."""
        most = self.most or 1.0
        if len(self.sums) and (self.counts == 1).all() and ((self.sums == 0) | (self.sums == most)).all():
            low, high = wilson(float(self.sums.sum()) / most, len(self.sums))
            return low * most, high * most
        half = Z_95 * self.error
        return self.value - half, self.value + half

    def median(self) -> tuple[float, float, float]:
        """Return the median of the numerators and its 95 % interval, which is made of order statistics."""
        ordered = np.sort(self.sums[self.counts > 0])
        count = len(ordered)
        half = Z_95 * count**0.5 / 2
        low, high = (int(np.clip(round(count / 2 + side), 0, count - 1)) for side in (-half - 1, half))
        return float(np.median(ordered)), float(ordered[low]), float(ordered[high])


Columns: TypeAlias = dict[str, Column]
"""Columns by the names of their figures."""


def difference(one: Column, other: Column) -> tuple[float, float]:
    """Return the difference of two figures and its standard error. Matches with the same number had the same deal."""
    left, right = len(one.sums), len(other.sums)
    pairs, together = min(left, right), np.zeros(max(left, right))
    together[:left] += one.residuals / max(left, 1)
    together[:right] -= other.residuals / max(right, 1)
    return one.value - other.value, float(np.sqrt((together**2).sum() * pairs / max(pairs - 1, 1)))


def standard_error(residuals: Floats) -> float:
    """Return the standard error of a figure from what each match adds to it."""
    count = len(residuals)
    return float(np.sqrt((residuals**2).sum() / max(count - 1, 1) / count)) if count else float("inf")


def counted(columns: Columns, stopped: npt.NDArray[np.bool_] | None = None) -> Columns:
    """Return columns in which matches that were stopped, or whose figures are NaN, don't count; and one of the former."""
    found: Columns = {}
    for name, column in columns.items():
        left_out = np.isnan(column.sums + column.counts) | (False if stopped is None else stopped)
        sums, counts = (np.where(left_out, 0.0, values) for values in (column.sums, column.counts))
        found[name] = replace(column, sums=sums, counts=counts)
    if stopped is not None:
        found["stopped"] = Column(stopped.astype(np.float64), np.ones(len(stopped)))
    return found


def joined(parts: Sequence[Columns]) -> Columns:
    """Return the columns of consecutive matches. A column that a part lacks is zero there."""
    lengths = [len(next(iter(part.values())).sums) if part else 0 for part in parts]
    nothing = [Column(np.zeros(length), np.zeros(length)) for length in lengths]
    found: Columns = {}
    for name in dict.fromkeys(name for part in parts for name in part):
        columns = [part.get(name, none) for part, none in zip(parts, nothing, strict=True)]
        sums, counts = (np.concatenate(each) for each in zip(*((one.sums, one.counts) for one in columns), strict=True))
        most = next((each.most for each in columns if each.most is not None), None)
        found[name] = Column(sums, counts, any(each.spread for each in columns), most)
    return found


def merged(some: Columns, others: Columns) -> Columns:
    """Return the columns of two tasks. Of a figure that both measure, the column of more matches stands, else the other's."""
    kept = {name for name, column in some.items() if name in others and len(column.sums) > len(others[name].sums)}
    return some | {name: column for name, column in others.items() if name not in kept}


FALSE_DISCOVERIES = 0.05
"""The expected share of false flags among the flags of a page (Benjamini and Hochberg, 1995)."""
CEILING = 0.98
"""The part of the largest possible value from which on a figure is at its ceiling."""
MEDIAN = "median"
"""The item of the median of a figure that has one."""


@dataclass(frozen=True)
class Figure:
    """A measured value.

    Attributes:
        name: its name, e.g. ``"place.1"``.
        value: its value.
        low: the lower end of its 95 % interval.
        high: the upper end.
        games: the number of matches behind it.
        warning: ``"low"`` or ``"high"`` if its interval lies outside the tolerance, with few false flags on the page; else "".
        of: how many of what it is a mean of were counted: matches, decisions, acquisitions.
        most: the largest value that it can have; None if there is none.
    """

    name: str
    value: float
    low: float
    high: float
    games: int
    warning: str = ""
    of: float = 0.0
    most: float | None = None

    @property
    def is_at_ceiling(self) -> bool:
        """Return whether it can't be distinguished from the most that is possible, so that it tells no difference any more."""
        return self.most is not None and self.value > CEILING * self.most

    @property
    def family(self) -> str:
        """Return the family of the figure, ``"place"`` for ``"place.1"``."""
        return self.name.partition(".")[0]

    @property
    def item(self) -> str:
        """Return what it is about within its family, ``"1"`` for ``"place.1"``; "" if it is the only one."""
        return self.name.partition(".")[2]

    @property
    def about(self) -> Definition:
        """Return the definition of the family."""
        return DEFINITIONS[self.family]


ERRORS = 3
"""The standard errors that a surprise leaves to chance: of a thousand figures about three have a larger error."""


def usual_of(figure: Figure, figures: Mapping[str, Figure]) -> tuple[float, float]:
    """Return the range of values that is nothing remarkable, from the definition or from the like figures of the cell."""
    if figure.about.alike:
        kind = figure.name.rpartition(".")[0]
        values = [each.value for name, each in figures.items() if name.rpartition(".")[0] == kind]
        return (typical := median(values)), typical
    return figure.about.usual or figure.about.tolerance or (-inf, inf)


def surprise(figure: Figure, usual: tuple[float, float], scale: float | None = None) -> float:
    """Return how far a figure lies beyond a range less three standard errors, in steps of the scale, by default its family's.

    Examples:
        >>> from meadhall.lab.balance.figures import Figure, surprise
        >>> round(surprise(Figure("place.4", 1.63, 1.60, 1.66, 1000), (0.9, 1.1)), 1)
        4.8
    """
    beyond = max(usual[0] - figure.value, figure.value - usual[1])
    return max(0.0, beyond - ERRORS * (figure.high - figure.low) / 2 / Z_95) / (scale or figure.about.scale)


def figures_of(columns: Columns) -> dict[str, Figure]:
    """Return the figures of these columns, without flags, in the order of the definitions."""
    found: dict[str, Figure] = {}
    order = list(DEFINITIONS)
    for name in sorted(columns, key=lambda name: order.index(name.partition(".")[0])):
        column = columns[name]
        if isnan(column.value):
            continue
        low, high = column.interval()
        if low == high:
            low, high = _of_no_case(column, DEFINITIONS[name.partition(".")[0]].unit)
        found[name] = Figure(name, column.value, low, high, len(column.sums), of=float(column.counts.sum()), most=column.most)
        if column.spread:
            found[f"{name}.{MEDIAN}"] = Figure(f"{name}.{MEDIAN}", *column.median(), len(column.sums))
    return found


def _of_no_case(column: Column, unit: str) -> tuple[float, float]:
    """Return the interval of what never or always happened: what never did in n cases happens in less than 3 of n."""
    value, most = column.value, column.most or 1.0
    width = min(1.0, 3 / float(column.counts.sum())) * most
    if value == most and (column.most or unit == "share"):
        return most - width, most
    return value, width if value == 0 and unit != "points" else value


def differences_of(one: Columns, other: Columns) -> dict[str, Figure]:
    """Return the differences of the figures of two variants, with intervals by pairs of matches with the same deal."""
    found = {}
    for name, column in one.items():
        if name in other and not isnan(column.value) and not isnan(other[name].value):
            gap, error = difference(column, other[name])
            found[name] = Figure(name, gap, gap - Z_95 * error, gap + Z_95 * error, min(len(column.sums), len(other[name].sums)))
    return found


def flagged(pages: Iterable[dict[str, Figure]], *, differences: bool = False) -> list[dict[str, Figure]]:
    """Return the figures with their flags. The rate of false flags holds for all pages together."""
    given = [dict(page) for page in pages]
    suspects: list[tuple[float, int, str, str]] = []
    tests = 0
    for number, page in enumerate(given):
        for name, figure in page.items():
            tolerance = (0.0, 0.0) if differences else figure.about.tolerance
            if tolerance is None or figure.item == MEDIAN:
                continue
            tests += 1
            half = (figure.high - figure.low) / 2
            beyond = max(tolerance[0] - figure.value, figure.value - tolerance[1])
            if beyond > 0 and half >= 0:
                chance = 1 - NormalDist().cdf(Z_95 * beyond / half) if half else 0.0
                suspects.append((chance, number, name, "low" if figure.value < tolerance[0] else "high"))
    suspects.sort()
    kept = max((rank for rank, (chance, *_) in enumerate(suspects, 1) if chance <= FALSE_DISCOVERIES * rank / tests), default=0)
    for _chance, number, name, way in suspects[:kept]:
        given[number][name] = replace(given[number][name], warning=way)
    if not differences:
        for number, page in enumerate(given):
            if places := [figure for figure in page.values() if figure.family == "place"]:
                given[number] = {"place": replace(max(places, key=lambda figure: figure.value), name="place"), **page}
    return given
