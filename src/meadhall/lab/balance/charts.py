"""Charts of a balance report: intervals and curves.

They are drawn here and not by a plotting library: a chart follows the colours of the page, light, dark and on paper, and each has
the table of its numbers beside it. Its texts are texts of the page, and drawings are stretched to its width by percentages, so
that a narrow page has letters of the same size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from math import floor, log10
from typing import NamedTuple

from meadhall.lab.balance.figures import Figure
from meadhall.lab.balance.in_words import number_in_words

HEIGHT = 200
"""The height of a chart of curves, in pixels."""
SQUARE = 48
"""The height of a square of a board, in pixels."""
DARKEST = 0.45
"""The opacity of the largest value of a board, on which texts can still be read."""


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
    """A scale from one value to another, as percentages of a length."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Return the percentage of a value. Both ends leave a little room for dots and numbers."""
        return round(3 + 94 * (value - self.low) / ((self.high - self.low) or 1), 2)


def intervals(title: str, bars: Sequence[tuple[str, Figure, int]], middle: float | None) -> str:
    """Return a chart with a row for each value: its name, a bar for its interval with a dot, and the number.

    Args:
        title: its name for readers of the screen.
        bars: the name, the figure, and the number of the cell of each row.
        middle: where a line stands: a fair share, no difference; None for no line.
    """
    values = [edge for _name, figure, _series in bars for edge in (figure.low, figure.high)] + (
        [] if middle is None else [middle]
    )
    x = Scale(min(0.0, *values), max(values))
    grid = "".join(_line("grid", x.at(tick), x.at(tick), 0, 100) for tick in ticks(*x, 4))
    if middle is not None:
        grid += _line("middle", x.at(middle), x.at(middle), 0, 100)
    rows = []
    for name, figure, series in bars:
        kind = f"series-{series % 4}{' flag' if figure.warning else ''}"
        interval = _line(f"interval {kind}", x.at(figure.low), x.at(figure.high), 50, 50)
        dot = f'<circle class="dot {kind}" cx="{x.at(figure.value)}%" cy="50%" r="5"/>'
        drawing = f'<svg aria-hidden="true">{grid}{interval}{dot}</svg>'
        rows.append(f"<li><span>{escape(name)}</span>{drawing}<b>{number_in_words(figure, figure.value)}</b></li>")
    marks = "".join(f'<text x="{x.at(tick)}%" y="12" text-anchor="middle">{tick:g}</text>' for tick in ticks(*x, 4))
    axis = f'<li class="axis" aria-hidden="true"><span></span><svg>{marks}</svg><b></b></li>'
    return f'<ul class="bars" aria-label="{escape(title)}">{"".join(rows)}{axis}</ul>'


def _line(kind: str, left: float, right: float, top: float, bottom: float) -> str:
    return f'<line class="{kind}" x1="{left}%" x2="{right}%" y1="{top}%" y2="{bottom}%"/>'


def board(title: str, squares: Mapping[tuple[int, int], tuple[str, Figure]]) -> str:
    """Return a board whose squares are darker for larger values, each with its name and its number.

    Args:
        title: its name for readers of the screen.
        squares: the name and the figure of each square by its row and column.
    """
    width = 100 / (1 + max(column for _row, column in squares))
    most = max(figure.value for _name, figure in squares.values()) or 1.0
    drawn = []
    for (row, column), (name, figure) in squares.items():
        value = number_in_words(figure, figure.value)
        left, top = round(width * column, 2), SQUARE * row
        middle, dark = round(left + width / 2, 2), DARKEST * figure.value / most
        drawn.append(
            f'<rect x="{left}%" y="{top}" width="{width:.2f}%" height="{SQUARE}" fill-opacity="{dark:.2f}"/>'
            f'<text x="{middle}%" y="{top + 18}" text-anchor="middle">{escape(name)}</text>'
            f'<text class="value" x="{middle}%" y="{top + 36}" text-anchor="middle">{value}</text>'
        )
    height = SQUARE * (1 + max(row for row, _column in squares))
    return f'<svg class="board" height="{height}" role="img" aria-label="{escape(title)}">{"".join(drawn)}</svg>'


def curves(title: str, drawn: Mapping[str, Sequence[float]], across: str) -> str:
    """Return a chart of curves over a match from its beginning to its end, with their names below it."""
    values = [0.0, *(value for values in drawn.values() for value in values)]
    y, lines, names = Scale(min(values), max(values)), [], []
    for tick in ticks(*y, 4):
        up = round(100 - y.at(tick), 2)
        lines.append(f'{_line("grid", 0, 100, up, up)}<text x="0" y="{up}%" dy="-3">{tick:g}</text>')
    for number, (name, curve) in enumerate(drawn.items()):
        kind = f"curve series-{number % 4} dash-{number % 4}"
        last = max(len(curve) - 1, 1)
        steps = [(round(8 + 92 * k / last, 2), round(100 - y.at(value), 2)) for k, value in enumerate(curve)]
        lines += [_line(kind, one[0], other[0], one[1], other[1]) for one, other in pairwise(steps)]
        names.append(f'<li><svg aria-hidden="true">{_line(kind, 0, 100, 50, 50)}</svg>{escape(name)}</li>')
    parts = "".join(f"<span>{25 * part} %</span>" for part in range(5))
    drawing = f'<svg class="curves" height="{HEIGHT}" role="img" aria-label="{escape(title)}">{"".join(lines)}</svg>'
    below = f'<div class="parts" aria-hidden="true">{parts}</div><p class="quiet">{escape(across)}</p>'
    return f'{drawing}{below}<ul class="names">{"".join(names)}</ul>'
