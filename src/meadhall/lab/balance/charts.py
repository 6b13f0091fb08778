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


def _number(value: float) -> str:
    return f"{value:g}"


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
    low, high = min(0.0, *values), max(values)
    span = (high - low) or 1.0
    bottom = TOP + ROW * len(bars)
    left = round(20 + LETTER * max(len(bar.name) for bar in bars))
    right = left + SPAN

    def x(value: float) -> float:
        return round(left + SPAN * (value - low) / span, 1)

    grid = "".join(
        f'<path class="grid" d="M{x(tick):g} {TOP}V{bottom}"/><text x="{x(tick):g}" y="{bottom + 15}" text-anchor="middle">'
        f"{_number(tick)}</text>"
        for tick in ticks(low, high)
    )
    line = "" if middle is None else f'<path class="middle" d="M{x(middle):g} {TOP}V{bottom}"/>'
    rows = []
    for number, bar in enumerate(bars):
        y = TOP + ROW * (number + 0.5)
        kind = f"series-{bar.series % 4}{' flag' if bar.flagged else ''}"
        rows.append(
            f'<text x="{left - 10}" y="{y:g}" dy="0.35em" text-anchor="end">{escape(bar.name)}</text>'
            f'<path class="interval {kind}" d="M{x(bar.low):g} {y:g}H{x(bar.high):g}"/>'
            f'<circle class="dot {kind}" cx="{x(bar.value):g}" cy="{y:g}" r="4.5"/>'
            f'<text class="value" x="{right + 12}" y="{y:g}" dy="0.35em">{escape(bar.text)}</text>'
        )
    return _svg(title, bottom + 22, grid + line + "".join(rows), max(WIDTH, right + VALUE))


def scatter(title: str, points: Sequence[Point], across: str, up: str) -> str:
    """Return a chart of points with names."""
    height, left, top = 320, 60, 14
    right, bottom = WIDTH - 130, height - 46
    xs, ys = [point.x for point in points], [point.y for point in points]
    low_x, high_x, low_y, high_y = min(0.0, *xs), max(xs), min(0.0, *ys), max(0.0, *ys)

    def x(value: float) -> float:
        return round(left + (right - left) * (value - low_x) / ((high_x - low_x) or 1), 1)

    def y(value: float) -> float:
        return round(bottom - (bottom - top) * (value - low_y) / ((high_y - low_y) or 1), 1)

    grid = "".join(
        f'<path class="grid" d="M{x(tick):g} {top}V{bottom}"/><text x="{x(tick):g}" y="{bottom + 16}" text-anchor="middle">'
        f"{_number(tick)}</text>"
        for tick in ticks(low_x, high_x)
    ) + "".join(
        f'<path class="grid" d="M{left} {y(tick):g}H{right}"/><text x="{left - 6}" y="{y(tick):g}" dy="0.35em" text-anchor="end">'
        f"{_number(tick)}</text>"
        for tick in ticks(low_y, high_y)
    )
    dots = "".join(
        f'<circle class="dot series-0" cx="{x(point.x):g}" cy="{y(point.y):g}" r="4"/>'
        f'<text class="small" x="{x(point.x) + 7:g}" y="{y(point.y):g}" dy="0.35em">{escape(point.name)}</text>'
        for point in points
    )
    names = (
        f'<text x="{(left + right) / 2:g}" y="{height - 8}" text-anchor="middle">{escape(across)}</text>'
        f'<text x="14" y="{(top + bottom) / 2:g}" text-anchor="middle" transform="rotate(-90 14 {(top + bottom) / 2:g})">'
        f"{escape(up)}</text>"
    )
    return _svg(title, height, grid + dots + names)


class Curve(NamedTuple):
    """A curve over the parts of a match."""

    name: str
    values: Sequence[float]


def curves(title: str, drawn: Sequence[Curve], across: str) -> str:
    """Return a chart of curves over a match from its beginning to its end."""
    height, left, top = 260, 60, 14
    right, bottom = WIDTH - 170, height - 46
    high = max(value for curve in drawn for value in curve.values)
    low = min(0.0, *(value for curve in drawn for value in curve.values))

    def points(values: Sequence[float]) -> list[str]:
        last = max(len(values) - 1, 1)
        return [
            f"{left + (right - left) * k / last:.1f} {bottom - (bottom - top) * (value - low) / ((high - low) or 1):.1f}"
            for k, value in enumerate(values)
        ]

    def y(value: float) -> float:
        return round(bottom - (bottom - top) * (value - low) / ((high - low) or 1), 1)

    grid = "".join(
        f'<path class="grid" d="M{left} {y(tick):g}H{right}"/><text x="{left - 6}" y="{y(tick):g}" dy="0.35em" text-anchor="end">'
        f"{_number(tick)}</text>"
        for tick in ticks(low, high, 4)
    ) + "".join(
        f'<text x="{left + (right - left) * part / 4:g}" y="{bottom + 16}" text-anchor="middle">{25 * part} %</text>'
        for part in range(5)
    )
    lines = []
    for number, curve in enumerate(drawn):
        entry = top + 6 + 16 * number
        lines.append(
            f'<path class="curve series-{number % 4} dash-{number % 4}" d="M{"L".join(points(curve.values))}"/>'
            f'<path class="curve series-{number % 4} dash-{number % 4}" d="M{right + 10} {entry}h22"/>'
            f'<text class="small" x="{right + 38}" y="{entry}" dy="0.35em">{escape(curve.name)}</text>'
        )
    name = f'<text x="{(left + right) / 2:g}" y="{height - 8}" text-anchor="middle">{escape(across)}</text>'
    return _svg(title, height, grid + "".join(lines) + name)
