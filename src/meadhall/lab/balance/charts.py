"""Charts of a balance report as SVG: intervals, points, curves.

They are drawn here and not by a plotting library: a chart follows the colours of the page, light, dark and on paper, its texts
are texts, and each has the table of its numbers beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import floor, log10
from typing import NamedTuple

WIDTH = 640
SPAN = 340
"""The width of a scale of intervals."""
VALUE = 80
"""The room for a number at its right."""
LETTER = 6.6
"""About the width of a letter."""
ROW = 22
TOP = 8


class Bar(NamedTuple):
    """A value with its interval, its name and its text."""

    name: str
    value: float
    low: float
    high: float
    text: str
    flagged: bool = False
    series: int = 0


class Point(NamedTuple):
    """A point of a scatter chart with its name."""

    name: str
    x: float
    y: float


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return a few round numbers from ``low`` to ``high``.

    Examples:
        >>> from meadhall.lab.balance.charts import ticks
        >>> ticks(0, 1.7)
        [0.0, 0.5, 1.0, 1.5]
    """
    if not high > low:
        return [low]
    rough = (high - low) / most
    base = 10 ** floor(log10(rough))
    step = next(base * factor for factor in (1, 2, 5, 10) if base * factor >= rough)
    first = -floor(-low / step)
    count = floor(high / step) - first + 1
    return [round((first + k) * step, 10) for k in range(count)]


class Scale(NamedTuple):
    """A scale from one value to another, between two coordinates."""

    low: float
    high: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        """Return the coordinate of a value."""
        return round(self.begin + (self.end - self.begin) * (value - self.low) / ((self.high - self.low) or 1), 1)

    def across(self, top: float, bottom: float) -> str:
        """Return lines from top to bottom, with their values below."""
        return "".join(
            f'<path class="grid" d="M{self.at(tick):g} {top}V{bottom}"/>'
            f'<text x="{self.at(tick):g}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>'
            for tick in ticks(self.low, self.high)
        )

    def up(self, left: float, right: float, most: int = 6) -> str:
        """Return lines from left to right, with their values at their left."""
        return "".join(
            f'<path class="grid" d="M{left} {self.at(tick):g}H{right}"/>'
            f'<text x="{left - 6}" y="{self.at(tick):g}" dy="0.35em" text-anchor="end">{tick:g}</text>'
            for tick in ticks(self.low, self.high, most)
        )


def _svg(title: str, height: float, body: str, width: float = WIDTH) -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title)}" '
        f'xmlns="http://www.w3.org/2000/svg">{body}</svg>'
    )


def intervals(title: str, bars: Sequence[Bar], middle: float | None) -> str:
    """Return a chart with a row for each value: a dot, a bar for its interval and the number.

    Args:
        title: its name for readers of the screen.
        middle: where a line stands: a fair share, no difference; None for no line.
    """
    values = [edge for bar in bars for edge in (bar.low, bar.high)] + ([] if middle is None else [middle])
    bottom = TOP + ROW * len(bars)
    left = round(20 + LETTER * max(len(bar.name) for bar in bars))
    x = Scale(min(0.0, *values), max(values), left, left + SPAN)
    line = "" if middle is None else f'<path class="middle" d="M{x.at(middle):g} {TOP}V{bottom}"/>'
    rows = []
    for number, bar in enumerate(bars):
        y = TOP + ROW * (number + 0.5)
        kind = f"series-{bar.series % 4}{' flag' if bar.flagged else ''}"
        rows.append(
            f'<text x="{left - 10}" y="{y:g}" dy="0.35em" text-anchor="end">{escape(bar.name)}</text>'
            f'<path class="interval {kind}" d="M{x.at(bar.low):g} {y:g}H{x.at(bar.high):g}"/>'
            f'<circle class="dot {kind}" cx="{x.at(bar.value):g}" cy="{y:g}" r="4.5"/>'
            f'<text class="value" x="{x.end + 12:g}" y="{y:g}" dy="0.35em">{escape(bar.text)}</text>'
        )
    return _svg(title, bottom + 22, x.across(TOP, bottom) + line + "".join(rows), max(WIDTH, x.end + VALUE))


def scatter(title: str, points: Sequence[Point], across: str, up: str) -> str:
    """Return a chart of points with names."""
    height, left, top = 320, 60, 14
    right, bottom = WIDTH - 130, height - 46
    xs, ys = [0.0, *(point.x for point in points)], [0.0, *(point.y for point in points)]
    x, y = Scale(min(xs), max(xs), left, right), Scale(min(ys), max(ys), bottom, top)
    dots = "".join(
        f'<circle class="dot series-0" cx="{x.at(point.x):g}" cy="{y.at(point.y):g}" r="4"/>'
        f'<text class="small" x="{x.at(point.x) + 7:g}" y="{y.at(point.y):g}" dy="0.35em">{escape(point.name)}</text>'
        for point in points
    )
    names = (
        f'<text x="{(left + right) / 2:g}" y="{height - 8}" text-anchor="middle">{escape(across)}</text>'
        f'<text x="14" y="{(top + bottom) / 2:g}" text-anchor="middle" transform="rotate(-90 14 {(top + bottom) / 2:g})">'
        f"{escape(up)}</text>"
    )
    return _svg(title, height, x.across(top, bottom) + y.up(left, right) + dots + names)


class Curve(NamedTuple):
    """A curve over the parts of a match."""

    name: str
    values: Sequence[float]


def curves(title: str, drawn: Sequence[Curve], across: str) -> str:
    """Return a chart of curves over a match from its beginning to its end."""
    height, left, top = 260, 60, 14
    right, bottom = WIDTH - 170, height - 46
    values = [0.0, *(value for curve in drawn for value in curve.values)]
    y = Scale(min(values), max(values), bottom, top)
    grid = y.up(left, right, 4) + "".join(
        f'<text x="{left + (right - left) * part / 4:g}" y="{bottom + 16}" text-anchor="middle">{25 * part} %</text>'
        for part in range(5)
    )
    lines = []
    for number, curve in enumerate(drawn):
        x = Scale(0, max(len(curve.values) - 1, 1), left, right)
        path = "L".join(f"{x.at(k):g} {y.at(value):g}" for k, value in enumerate(curve.values))
        entry, kind = top + 6 + 16 * number, f"curve series-{number % 4} dash-{number % 4}"
        lines.append(
            f'<path class="{kind}" d="M{path}"/><path class="{kind}" d="M{right + 10} {entry}h22"/>'
            f'<text class="small" x="{right + 38}" y="{entry}" dy="0.35em">{escape(curve.name)}</text>'
        )
    name = f'<text x="{(left + right) / 2:g}" y="{height - 8}" text-anchor="middle">{escape(across)}</text>'
    return _svg(title, height, grid + "".join(lines) + name)
