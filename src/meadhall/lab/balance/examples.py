"""Examples: the matches behind a report that are worth watching."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from meadhall.engine.text.language import marked
from meadhall.lab.balance.columns import Column, Columns

KINDS = {
    "comeback": marked("the widest comeback"),
    "lead_changes": marked("the most changes of the lead"),
    "flat": marked("decided the earliest"),
    "longest": marked("the longest"),
    "shortest": marked("the shortest"),
    "close": marked("the closest by points"),
    "rare": marked("with the piece that is acquired least"),
}
"""Why a match is worth watching; messages for gettext."""


@dataclass(frozen=True)
class Example:
    """A match that is worth watching.

    Attributes:
        kind: why, one of ``KINDS``.
        number: its number in its cell.
        seed: its seed.
        value: the figure of this match.
    """

    kind: str
    number: int
    seed: str
    value: float


def examples_of(columns: Columns, seed_of: Callable[[int], str]) -> tuple[Example, ...]:
    """Return the examples of a cell, each match once."""
    found: dict[int, Example] = {}
    for kind, column, best in _wanted(columns):
        counted = column.counts > 0
        if counted.any():
            values = np.where(counted, column.sums, np.nan)
            number = int(best(values))
            found.setdefault(number, Example(kind, number, seed_of(number), float(values[number])))
    return tuple(found.values())


def _wanted(columns: Columns) -> Iterator[tuple[str, Column, Callable[[np.ndarray], np.intp]]]:
    choices: tuple[tuple[str, str, Callable[[np.ndarray], np.intp]], ...] = (
        ("comeback", "winner_lowest", np.nanargmin),
        ("lead_changes", "lead_changes", np.nanargmax),
        ("flat", "decided", np.nanargmin),
        ("longest", "decisions", np.nanargmax),
        ("shortest", "decisions", np.nanargmin),
        ("close", "margin", np.nanargmin),
    )
    for kind, name, best in choices:
        if name in columns:
            yield kind, columns[name], best
    pieces = [column for name, column in columns.items() if name.startswith("acquired.") and column.sums.any()]
    if pieces:
        yield "rare", min(pieces, key=lambda column: column.value), np.nanargmax
