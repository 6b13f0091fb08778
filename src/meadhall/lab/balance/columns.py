"""Columns: what each match adds to a figure.

Every figure is a ratio of two sums over matches: wins by seats, waits by turns, purchases by offers. A column holds both for each
match, so any figure has an interval, and the difference of two variants on the same deals has one by pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from meadhall.engine.compute.bulk import Floats
from meadhall.engine.statistics import Z_95, wilson


@dataclass(frozen=True)
class Column:
    """A figure's numerators and denominators by match, float64 (matches,) each.

    ``spread``: whether the figure is the spread of its numerators, whose quantiles are figures too.
    """

    sums: Floats
    counts: Floats
    spread: bool = False

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
        return _error(self.residuals)

    @property
    def is_rate(self) -> bool:
        """Return whether the figure is the share of matches in which something happened."""
        return bool((self.counts == 1).all() and ((self.sums == 0) | (self.sums == 1)).all())

    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval: Wilson's for a share of matches, otherwise the normal one."""
        if len(self.sums) and self.is_rate:
            return wilson(float(self.sums.sum()), len(self.sums))
        half = Z_95 * self.error
        return self.value - half, self.value + half

    def quantile(self, share: float) -> tuple[float, float, float]:
        """Return a quantile of the numerators and its 95 % interval, which is made of order statistics."""
        ordered = np.sort(self.sums[self.counts > 0])
        count = len(ordered)
        half = Z_95 * (count * share * (1 - share)) ** 0.5
        low, high = (int(np.clip(round(count * share + side), 0, count - 1)) for side in (-half - 1, half))
        return float(np.quantile(ordered, share)), float(ordered[low]), float(ordered[high])


Columns: TypeAlias = dict[str, Column]
"""Columns by the names of their figures."""


def difference(one: Column, other: Column) -> tuple[float, float]:
    """Return the difference of two figures and its standard error. Matches with the same number had the same deal."""
    pairs = min(len(one.sums), len(other.sums))
    gap = one.value - other.value
    if len(one.sums) == len(other.sums):
        return gap, _error(one.residuals - other.residuals)
    one_left, other_left = one.residuals.copy(), other.residuals.copy()
    weights = len(one.sums), len(other.sums)
    together = one_left[:pairs] / weights[0] - other_left[:pairs] / weights[1]
    alone = np.concatenate((one_left[pairs:] / weights[0], other_left[pairs:] / weights[1]))
    return gap, float(np.sqrt((together**2).sum() + (alone**2).sum()))


def _error(residuals: Floats) -> float:
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
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: _joined(name, parts, lengths) for name in names}


def merged(some: Columns, others: Columns) -> Columns:
    """Return the columns of two tasks. Of a figure that both measure, the column of more matches stands, else the other's."""
    kept = {name for name, column in some.items() if name in others and len(column.sums) > len(others[name].sums)}
    return some | {name: column for name, column in others.items() if name not in kept}


def _joined(name: str, parts: Sequence[Columns], lengths: Sequence[int]) -> Column:
    nothing = [np.zeros(length) for length in lengths]
    found = [part.get(name) for part in parts]
    return Column(
        np.concatenate([zeros if each is None else each.sums for each, zeros in zip(found, nothing, strict=True)]),
        np.concatenate([zeros if each is None else each.counts for each, zeros in zip(found, nothing, strict=True)]),
        any(each is not None and each.spread for each in found),
    )
